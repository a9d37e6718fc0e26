#include "mesh/text_place.hpp"

#include <algorithm>

namespace tessera::mesh {

std::string plain_text(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c == '\t')
      c = ' ';
    else if (c < ' ' || c > '~')
      c = '?';
  return result;
}

Position place_in_text(const std::string& file, std::string_view text, std::size_t at, std::size_t length) {
  constexpr std::size_t widest = 100;  // of a line that is shown
  if (at >= text.size()) at = text.empty() ? 0 : text.size() - 1;
  const std::size_t begin = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;  // 0 where there is none before
  std::size_t end = std::min(text.find('\n', at), text.size());
  if (end > begin && text[end - 1] == '\r') --end;
  const std::size_t column = at - begin;
  Position where;
  where.file = file;
  where.line = 1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(begin), '\n'));
  where.column = column < widest ? static_cast<int>(column) + 1 : 1;
  where.text = plain_text(text.substr(begin, std::min(end - begin, widest)));
  if (column < widest) where.length = static_cast<int>(std::clamp<std::size_t>(length, 1, widest - column));
  return where;
}

}  // namespace tessera::mesh
