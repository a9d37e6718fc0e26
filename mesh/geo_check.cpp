#include "mesh/geo_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/error.hpp"
#include "mesh/mapped_file.hpp"
#include "mesh/text_place.hpp"

namespace tessera::mesh {

namespace {

constexpr const char* trust_help = "remove the command, or set mesh.trust = true where you trust the script";

enum class Kind { name, string, sign, end };

struct Token {
  Kind kind = Kind::end;
  std::string_view text;  // of a string: what stands between its quotes
  std::size_t at = 0;
};

/// Cuts a script into words as Gmsh's scanner does: no escapes in strings, no nested comments.
class GeoScanner {
 public:
  GeoScanner(std::string file, std::string_view text) : file_(std::move(file)), text_(text) {}

  Token next() {
    skip_blanks();
    if (at_ == text_.size()) return {Kind::end, {}, at_};
    const std::size_t start = at_;
    const char c = text_[at_];
    if (is_letter(c)) {
      while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]))) ++at_;
      return {Kind::name, text_.substr(start, at_ - start), start};
    }
    if (c == '"' || c == '\'') return string(c);
    ++at_;
    if (c == '>' && at_ < text_.size() && (text_[at_] == '>' || text_[at_] == '=')) ++at_;
    return {Kind::sign, text_.substr(start, at_ - start), start};
  }

  [[noreturn]] void fail(const Token& token, const std::string& what, const std::string& help) const {
    throw Error(ExitCode::mesh, fmt::format("{}: {}", file_, what), help,
                place_in_text(file_, text_, token.at, token.text.size()));
  }

 private:
  static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
  static bool is_digit(char c) { return c >= '0' && c <= '9'; }

  void skip_blanks() {
    for (;;) {
      while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
      const std::string_view rest = text_.substr(at_);
      if (rest.rfind("//", 0) == 0)
        at_ = std::min(text_.find('\n', at_), text_.size());
      else if (rest.rfind("/*", 0) == 0)
        at_ = text_.find("*/", at_ + 2) == std::string_view::npos ? text_.size() : text_.find("*/", at_ + 2) + 2;
      else
        return;
    }
  }

  Token string(char quote) {
    const std::size_t start = at_++;
    const std::size_t stop = std::min(text_.find(quote, at_), text_.size());
    const Token token{Kind::string, text_.substr(at_, stop - at_), start};
    // Gmsh takes what follows the first 1023 characters for commands.
    if (token.text.size() > 1000) fail({Kind::sign, "\"", start}, "a string of more than 1000 characters", trust_help);
    at_ = std::min(stop + 1, text_.size());
    return token;
  }

  std::string file_;
  std::string_view text_;
  std::size_t at_ = 0;
};

template <std::size_t n>
bool is_one_of(std::string_view word, const std::array<std::string_view, n>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

constexpr std::array<std::string_view, 6> starters{"SystemCall", "NonBlockingSystemCall", "System",
                                                   "OnelabRun",  "OnelabAction",          "ExternalProcess"};
constexpr std::array<std::string_view, 3> writers{"Save", "Print", "CreateDir"};
constexpr std::array<std::string_view, 3> printers{"Printf", "Error", "Warning"};
constexpr std::array<std::string_view, 3> includers{"Include", "Merge", "MergeWithBoundingBox"};
// Files that Gmsh takes for what their extension says, in lower or upper case, and never for scripts.
constexpr std::array<std::string_view, 14> data_extensions{".stl", ".step", ".stp", ".brep", ".iges", ".igs",  ".unv",
                                                           ".vtk", ".mesh", ".bdf", ".nas",  ".med",  ".cgns", ".off"};

std::string lower_case(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}
bool one_case(const std::string& text) {
  return std::none_of(text.begin(), text.end(), [](char c) { return c >= 'A' && c <= 'Z'; }) ||
         std::none_of(text.begin(), text.end(), [](char c) { return c >= 'a' && c <= 'z'; });
}

bool is_data(const std::filesystem::path& file, std::string_view text) {
  const std::string extension = file.extension().string();
  return text.rfind('$', 0) == 0 || (one_case(extension) && is_one_of(lower_case(extension), data_extensions));
}

class GeoCheck {
 public:
  void check(const std::filesystem::path& file) {
    std::error_code none;
    const std::filesystem::path place = std::filesystem::weakly_canonical(file, none);
    if (!std::filesystem::is_regular_file(file, none) || std::filesystem::file_size(file, none) == 0) return;
    if (!seen_.insert(place.string()).second) return;
    const MappedFile mapped(file);
    GeoScanner scanner(file.string(), mapped.text());
    if (const void* zero = std::memchr(mapped.text().data(), 0, mapped.text().size()))
      scanner.fail({Kind::sign, " ", static_cast<std::size_t>(static_cast<const char*>(zero) - mapped.text().data())},
                   "a zero byte in a script", "write the script as text");
    Token token = scanner.next();
    while (token.kind != Kind::end) token = statement(file, scanner, token);
  }

 private:
  /// Looks at a word and returns the next that is not yet looked at.
  Token statement(const std::filesystem::path& file, GeoScanner& scanner, const Token& word) {
    const Token next = scanner.next();
    if (word.kind != Kind::name) return next;
    // "Save = 1", "Print.Width = 10" and the like are variables and options.
    const bool command = next.kind == Kind::string || next.kind == Kind::name;
    if (is_one_of(word.text, starters) &&
        (command || word.text.rfind("Onelab", 0) == 0 || word.text == "ExternalProcess"))
      scanner.fail(word, fmt::format("the script starts a program: {}", word.text), trust_help);
    if (is_one_of(word.text, writers) && command)
      scanner.fail(word, fmt::format("the script writes files: {}", word.text), trust_help);
    if (is_one_of(word.text, printers) && next.text == "(" && next.kind == Kind::sign) return printer(scanner, word);
    if (is_one_of(word.text, includers) && command) return include(file, scanner, next);
    return next;
  }

  Token printer(GeoScanner& scanner, const Token& word) {
    Token token;
    for (int depth = 1; depth > 0;) {
      token = scanner.next();
      if (token.kind == Kind::end) return token;
      if (token.kind == Kind::sign)
        depth += token.text == "(" ? 1 : token.text == ")" ? -1 : 0;
      else if (token.kind == Kind::name && is_one_of(token.text, starters))
        return token;
    }
    token = scanner.next();
    if (token.kind == Kind::sign && (token.text == ">" || token.text == ">>"))
      scanner.fail(word, fmt::format("the script writes files: {} {}", word.text, token.text), trust_help);
    return token;
  }

  Token include(const std::filesystem::path& file, GeoScanner& scanner, const Token& name) {
    const Token after = scanner.next();
    if (name.kind != Kind::string || after.kind == Kind::name || after.text == "," || after.text == "+")
      scanner.fail(name, "the script includes a file of a computed name, which cannot be looked through",
                   "name the file plainly, or set mesh.trust = true where you trust the script");
    const std::filesystem::path other = file.parent_path() / std::filesystem::path(std::string(name.text));
    std::error_code none;
    if (std::filesystem::is_other(other, none))
      scanner.fail(name, "the script includes a pipe or a device, which may never end",
                   "name a file, or set mesh.trust = true where you trust the script");
    if (std::filesystem::is_regular_file(other, none) && std::filesystem::file_size(other, none) > 0) {
      const bool data = is_data(other, MappedFile(other).text());
      data ? check_no_script(other) : check(other);
    }
    return after;
  }

  std::set<std::string> seen_;
};

}  // namespace

void check_no_script(const std::filesystem::path& file) {
  std::filesystem::path options = file;
  options += ".opt";
  std::error_code none;
  if (std::filesystem::exists(options, none))
    throw Error(ExitCode::mesh,
                fmt::format("{} stands beside the mesh, and Gmsh would run it as a script", options.string()),
                "remove it, or set mesh.trust = true where you trust it");
  const std::string extension = file.extension().string();
  if (!one_case(extension))
    throw Error(ExitCode::mesh, fmt::format("{}: Gmsh does not know the extension {}", file.string(), extension),
                fmt::format("rename the file: {}", lower_case(extension)));
}

void check_geo(const std::filesystem::path& file) {
  GeoCheck scripts;
  scripts.check(file);
  std::filesystem::path options = file;
  options += ".opt";
  scripts.check(options);
}

}  // namespace tessera::mesh
