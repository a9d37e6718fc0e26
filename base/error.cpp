#include "base/error.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tessera {

Error::Error(ExitCode code, std::string message, std::string help, std::optional<Position> where)
    : std::runtime_error(std::move(message)), code_(code), help_(std::move(help)), where_(std::move(where)) {}

namespace {

/// Text of others must not move the cursor of a terminal; our own messages may have several lines.
std::string without_control(const std::string& text) {
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    result += (byte < 32 && c != '\n' && c != '\t') || byte == 127 ? fmt::format("\\x{:02x}", byte) : std::string(1, c);
  }
  return result;
}

/// The line of a place, with a caret below; of a long line only what stands around the place.
std::string excerpt(const Position& at) {
  constexpr std::size_t before = 60, width = 100;
  const std::string gutter = fmt::format("{:>5} | ", at.line);
  std::size_t column = std::min(static_cast<std::size_t>(at.column - 1), at.text.size());
  std::string line = at.text;
  if (line.size() > width + 20) {
    const std::size_t from = column > before ? column - before : 0;
    line = (from > 0 ? "..." : "") + line.substr(from, width) + (from + width < line.size() ? "..." : "");
    column = column - from + (from > 0 ? 3 : 0);
  }
  // One character for each byte, so that the caret stays where it belongs.
  for (char& c : line)
    if ((static_cast<unsigned char>(c) < 32 && c != '\t') || c == 127) c = '?';
  const std::size_t room = line.size() > column ? line.size() - column : 1;
  return fmt::format("{}{}\n{}| {}{}\n", gutter, line, std::string(gutter.size() - 2, ' '), std::string(column, ' '),
                     std::string(std::min(static_cast<std::size_t>(std::max(at.length, 1)), room), '^'));
}

}  // namespace

std::string Error::report() const {
  std::string text = fmt::format("error: {}\n", without_control(what()));
  if (where_) {
    const Position& at = *where_;
    text +=
        at.line > 0 ? fmt::format("  --> {}:{}:{}\n", at.file, at.line, at.column) : fmt::format("  --> {}\n", at.file);
    if (!at.text.empty() && at.column > 0) text += excerpt(at);
  }
  if (!help_.empty()) text += fmt::format("  help: {}\n", without_control(help_));
  return text;
}

namespace {

/// Optimal string alignment distance: insertions, deletions, substitutions and swaps of neighbours, ignoring case.
int distance(std::string_view a, std::string_view b) {
  auto lower = [](char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); };
  const int rows = static_cast<int>(a.size()) + 1, cols = static_cast<int>(b.size()) + 1;
  std::vector<int> cost(static_cast<std::size_t>(rows) * cols);
  auto at = [&](int i, int j) -> int& { return cost[static_cast<std::size_t>(i) * cols + j]; };
  for (int i = 0; i < rows; ++i) at(i, 0) = i;
  for (int j = 0; j < cols; ++j) at(0, j) = j;
  for (int i = 1; i < rows; ++i)
    for (int j = 1; j < cols; ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      at(i, j) = std::min({at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + (same ? 0 : 1)});
      if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]))
        at(i, j) = std::min(at(i, j), at(i - 2, j - 2) + 1);
    }
  return at(rows - 1, cols - 1);
}

}  // namespace

std::vector<std::string> nearest_names(std::string_view wrong, const std::vector<std::string>& names) {
  std::vector<std::pair<int, std::string>> near;
  for (const std::string& name : names) {
    const int limit = std::max<int>(1, static_cast<int>(std::max(wrong.size(), name.size())) / 3);
    const int d = distance(wrong, name);
    const bool prefix = wrong.size() >= 3 && (name.starts_with(wrong) || wrong.starts_with(name));
    if (d <= limit || prefix) near.emplace_back(d, name);
  }
  std::stable_sort(near.begin(), near.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> result;
  for (const auto& [d, name] : near)
    if (result.size() < 3) result.push_back(name);
  return result;
}

std::string suggest(std::string_view wrong, const std::vector<std::string>& names) {
  if (names.empty()) return "there are none";
  const std::vector<std::string> near = nearest_names(wrong, names);
  if (near.empty()) return fmt::format("valid names: {}", fmt::join(names, ", "));
  return fmt::format("did you mean '{}'?", fmt::join(near, "' or '"));
}

}  // namespace tessera
