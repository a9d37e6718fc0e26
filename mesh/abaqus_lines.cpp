#include "mesh/abaqus_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

#include "base/error.hpp"
#include "mesh/text_place.hpp"

namespace tessera::mesh {

namespace {

constexpr std::size_t most_depth = 10, most_files = 1000;  // of *INCLUDE

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

std::string without_blanks(std::string_view text) {
  std::string result;
  for (char c : text)
    if (!is_blank(c)) result += c;
  return upper_case(result);
}

std::string_view unquoted(std::string_view text) {
  text = trimmed(text);
  return text.size() > 1 && text.front() == '"' && text.back() == '"' ? text.substr(1, text.size() - 2) : text;
}

/// The place of the first comma outside of quotes; the end where there is none.
std::size_t comma(std::string_view text) {
  if (text.find('"') == std::string_view::npos) return std::min(text.find(','), text.size());
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') quoted = !quoted;
    if (text[i] == ',' && !quoted) return i;
  }
  return text.size();
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

std::string upper_case(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return result;
}

const AbaqusKeyword::Parameter* AbaqusKeyword::find(std::string_view parameter) const {
  const auto found =
      std::find_if(parameters.begin(), parameters.end(), [&](const Parameter& own) { return own.name == parameter; });
  return found == parameters.end() ? nullptr : &*found;
}

AbaqusLines::AbaqusLines(const std::filesystem::path& file) { open(file); }

void AbaqusLines::open(const std::filesystem::path& path) {
  auto mapped = std::make_unique<MappedFile>(path);
  bytes_ += mapped->text().size();
  const std::string_view mark = "\xEF\xBB\xBF";  // of UTF-8, which some editors write
  const char* start = mapped->text().data() + (mapped->text().starts_with(mark) ? mark.size() : 0);
  files_.push_back({path, std::move(mapped), start});
  reading_.push_back(files_.size() - 1);
}

void AbaqusLines::include(const std::string& name, const char* at) {
  const std::filesystem::path path = files_[reading_.back()].path.parent_path() / name;
  const std::string help =
      "a file is named relative to the one that includes it; files may include files, but not themselves";
  std::error_code ignored;
  if (name.empty() || !std::filesystem::is_regular_file(path, ignored))
    fail(at, fmt::format("there is no file {} to include", plain_text(path.string())), help);
  if (reading_.size() >= most_depth) fail(at, fmt::format("files include each other {} deep", most_depth), help);
  if (files_.size() >= most_files) fail(at, fmt::format("more than {} files are included", most_files), help);
  if (std::filesystem::file_size(path, ignored) > 0) open(path);
}

std::optional<Position> AbaqusLines::place(const char* at, std::size_t length) const {
  for (const File& file : files_) {
    const std::string_view text = file.mapped->text();
    if (at >= text.data() && at <= text.data() + text.size())
      return place_in_text(file.path.string(), text, static_cast<std::size_t>(at - text.data()), length);
  }
  return {};
}

void AbaqusLines::fail(const char* at, const std::string& what, const std::string& help, std::size_t length) const {
  throw Error(ExitCode::mesh, fmt::format("{}: {}", file(), what), help, place(at, length));
}

bool AbaqusLines::next_line() {
  for (;; reading_.pop_back()) {
    File& file = files_[reading_.back()];
    while (file.at < file.end()) {
      const auto left = static_cast<std::size_t>(file.end() - file.at);
      const auto* stop = static_cast<const char*>(std::memchr(file.at, '\n', left));
      if (!stop) stop = file.end();
      line_ = trimmed({file.at, stop});
      file.at = stop < file.end() ? stop + 1 : stop;
      if (!line_.empty() && !line_.starts_with("**")) return true;
    }
    if (reading_.size() == 1) return false;  // the deck itself stays: what is missing is said of its end
  }
}

bool AbaqusLines::next_line_of_all() {
  while (next_line()) {
    if (!is_keyword() || without_blanks(line_.substr(0, line_.find(','))) != "*INCLUDE") return true;
    AbaqusKeyword keyword;
    read_keyword(keyword);
    const AbaqusKeyword::Parameter* input = keyword.find("INPUT");
    if (!input) fail(keyword.at, "*INCLUDE names no file", "write *INCLUDE, INPUT=file.inp");
    include(std::string(input->value), keyword.at);
  }
  return false;
}

void AbaqusLines::read_keyword(AbaqusKeyword& keyword) {
  keyword = {};
  keyword.at = line_.data();
  std::string_view rest = line_.substr(1);
  for (bool first = true;; first = false) {
    const std::size_t stop = comma(rest);
    const std::string_view part = rest.substr(0, stop), name = part.substr(0, part.find('='));
    if (first)
      keyword.name = without_blanks(part);
    else if (const std::string parameter = without_blanks(name); !parameter.empty())
      keyword.parameters.push_back({parameter, unquoted(part.substr(std::min(name.size() + 1, part.size())))});
    if (stop == rest.size()) return;
    rest = trimmed(rest.substr(stop + 1));
    if (!rest.empty()) continue;
    // A keyword whose line ends with a comma goes on with the next, which is no keyword.
    if (!next_line() || unread_keyword()) return;
    rest = line_;
  }
}

bool AbaqusLines::next_keyword(AbaqusKeyword& keyword) {
  while (next_line_of_all()) {
    if (is_keyword()) {
      started_ = true;
      read_keyword(keyword);
      return true;
    }
    if (!started_)
      fail(line_.substr(0, 40), "text before the first keyword: this is no input deck of Abaqus or CalculiX",
           "a deck starts with a keyword such as *HEADING or *NODE");
  }
  return false;
}

bool AbaqusLines::next_data() { return next_line_of_all() && !unread_keyword(); }

bool AbaqusLines::unread_keyword() {
  if (!is_keyword()) return false;
  files_[reading_.back()].at = line_.data();
  return true;
}

bool AbaqusFields::next(std::string_view& field) {
  if (rest_.empty()) return false;
  const std::size_t stop = comma(rest_);
  field = unquoted(rest_.substr(0, stop));
  rest_ = stop < rest_.size() ? trimmed(rest_.substr(stop + 1)) : std::string_view{};
  return true;
}

Index abaqus_number(const AbaqusLines& lines, std::string_view field, const char* what) {
  const std::string_view digits = field.starts_with('+') ? field.substr(1) : field;
  Index value = 0;
  const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc{} || stop != digits.data() + digits.size() || value < 1)
    lines.fail(field, fmt::format("'{}' where {} was expected", plain_text(field.substr(0, 40)), what),
               "numbers of nodes and elements are 1 to 2147483647, with commas between them");
  return value;
}

double abaqus_real(const AbaqusLines& lines, std::string_view field) {
  if (field.empty()) return 0;
  const std::string_view digits = field.starts_with('+') ? field.substr(1) : field;
  double value = 0;
  auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  bool whole = stop == digits.data() + digits.size();
  if (error != std::errc{} || !whole) {  // perhaps Fortran's 1.5D-3, or less than a double holds, which is 0
    std::string text(digits.substr(0, 60));
    value = 0;
    for (char& c : text)
      if (c == 'D' || c == 'd') c = 'E';
    const auto again = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool tiny = again.ec == std::errc::result_out_of_range &&
                      (text.find("e-") != std::string::npos || text.find("E-") != std::string::npos);
    error = tiny ? std::errc{} : again.ec;
    whole = again.ptr == text.data() + text.size();
  }
  if (error != std::errc{} || !whole || !std::isfinite(value))
    lines.fail(field, fmt::format("'{}' where a coordinate was expected", plain_text(field.substr(0, 40))),
               "a line of *NODE is: number, x, y, z");
  return value;
}

}  // namespace tessera::mesh
