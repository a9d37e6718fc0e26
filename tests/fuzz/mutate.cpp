#include "fuzz/mutate.hpp"

#include <algorithm>
#include <array>

namespace fuzz {
namespace {

/// A random range [first, first + length) of the text, mostly short.
struct Range {
  std::size_t first, length;
  Range(const std::string& text, Random& random) : first(random.below(text.size() + 1)) {
    const std::size_t longest = random.below(8) == 0 ? text.size() : 16;
    length = std::min(random.below(longest + 1), text.size() - first);
  }
};

void change_a_byte(std::string& text, Random& random) {
  if (text.empty()) return;
  char& byte = text[random.below(text.size())];
  if (random.below(2) == 0)
    byte = static_cast<char>(byte ^ (1 << random.below(8)));
  else
    byte = static_cast<char>(random());
}

void replace_a_number(std::string& text, Random& random) {
  static constexpr std::array<std::string_view, 22> numbers{
      "0",    "-1",   "1",     "2",      "3",           "255",        "65536",
      "-0.0", "1e-9", "1e400", "-1e400", "1e-400",      "2147483647", "2147483648",
      "nan",  "inf",  "0x10",  "4.5",    "99999999999", "1_000",      "18446744073709551616",
      "1e5"};
  const std::size_t start = random.below(text.size());
  const std::size_t first = text.find_first_of("0123456789", start);
  if (first == std::string::npos) return;
  const std::size_t end = std::min(text.find_first_not_of("0123456789.eE+-", first), text.size());
  text.replace(first, end - first, numbers[random.below(numbers.size())]);
}

void change_a_binary_number(std::string& text, Random& random) {
  static constexpr std::array<std::uint64_t, 8> numbers{
      0, 1, ~std::uint64_t{0}, 0x7fffffff, 0x80000000, 0x7ff0000000000000, 0x7fffffffffffffff, 1u << 20};
  const std::size_t size = random.below(2) == 0 ? 4 : 8;
  if (text.size() < size) return;
  const std::uint64_t number = numbers[random.below(numbers.size())];
  const std::size_t at = random.below(text.size() - size + 1);
  for (std::size_t i = 0; i < size; ++i) text[at + i] = static_cast<char>(number >> 8 * i);
}

/// Begin and length, with its newline, of a random line.
std::pair<std::size_t, std::size_t> a_line(const std::string& text, Random& random) {
  const std::size_t inside = random.below(text.size());
  const std::size_t before = text.rfind('\n', inside);
  const std::size_t first = before == std::string::npos ? 0 : std::min(before + 1, text.size());
  return {first, std::min(text.find('\n', first), text.size() - 1) + 1 - first};
}

void change_lines(std::string& text, Random& random) {
  if (text.empty()) return;
  const auto [first, length] = a_line(text, random);
  const std::string line = text.substr(first, length);
  switch (random.below(3)) {
    case 0: text.erase(first, length); break;
    case 1: text.insert(first, line); break;
    default: {
      text.erase(first, length);
      text.insert(text.empty() ? 0 : a_line(text, random).first, line);
    }
  }
}

void change_a_range(std::string& text, const std::string& other, Random& random) {
  const Range range(text, random);
  switch (random.below(5)) {
    case 0: text.erase(range.first, range.length); break;
    case 1: text.insert(range.first, text.substr(range.first, range.length)); break;
    case 2: text.insert(random.below(text.size() + 1), text.substr(range.first, range.length)); break;
    case 3: text.resize(range.first); break;
    default: {
      const Range from(other, random);
      text.replace(range.first, range.length, other, from.first, from.length);
    }
  }
}

void insert_a_word(std::string& text, const std::vector<std::string_view>& dictionary, Random& random) {
  if (dictionary.empty()) return;
  const Range range(text, random);
  const std::string_view word = dictionary[random.below(dictionary.size())];
  text.replace(range.first, random.below(2) == 0 ? 0 : range.length, word);
}

}  // namespace

std::string mutate(std::string text, const std::string& other, const std::vector<std::string_view>& dictionary,
                   Random& random) {
  constexpr std::size_t largest = std::size_t{1} << 20;
  std::size_t changes = 1;
  while (changes < 8 && random.below(2) == 0) ++changes;
  for (std::size_t i = 0; i < changes && text.size() < largest; ++i) {
    switch (random.below(7)) {
      case 0: change_a_byte(text, random); break;
      case 1: replace_a_number(text, random); break;
      case 2: change_a_binary_number(text, random); break;
      case 3: change_lines(text, random); break;
      case 4: insert_a_word(text, dictionary, random); break;
      case 5: replace_a_number(text, random); break;
      default: change_a_range(text, other, random);
    }
  }
  return text;
}

}  // namespace fuzz
