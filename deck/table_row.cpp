#include "deck/table_row.hpp"

#include <algorithm>
#include <charconv>

namespace tessera::deck {

namespace {

void skip_blanks(std::string_view& row) { row.remove_prefix(std::min(row.find_first_not_of(" \t"), row.size())); }

}  // namespace

bool take_number(std::string_view& row, double& number) {
  skip_blanks(row);
  const auto [end, failure] = std::from_chars(row.data(), row.data() + row.size(), number);
  if (failure != std::errc()) return false;
  row.remove_prefix(static_cast<std::size_t>(end - row.data()));
  return true;
}

bool take_separator(std::string_view& row) {
  const std::size_t before = row.size();
  skip_blanks(row);
  if (!row.empty() && (row.front() == ',' || row.front() == ';')) row.remove_prefix(1);
  skip_blanks(row);
  return row.size() < before;
}

std::string_view table_line(std::string_view line, bool first) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (first && line.starts_with("\xef\xbb\xbf")) line.remove_prefix(3);
  const std::size_t start = line.find_first_not_of(" \t");
  return start == std::string_view::npos || line[start] == '#' ? std::string_view() : line;
}

}  // namespace tessera::deck
