#include "linalg/market_vector.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <vector>

#include "base/error.hpp"

namespace tessera::linalg {

namespace {

constexpr const char* banner = "%%MatrixMarket";

/// Calls use(word, column) for every word of a line.
template <class Use>
void for_words(const std::string& line, Use use) {
  constexpr const char* blanks = " \t\r";
  for (std::size_t begin = line.find_first_not_of(blanks); begin != std::string::npos;) {
    const std::size_t end = std::min(line.find_first_of(blanks, begin), line.size());
    use(line.substr(begin, end - begin), static_cast<int>(begin) + 1);
    begin = line.find_first_not_of(blanks, end);
  }
}

class Reader {
 public:
  explicit Reader(const std::string& path) : path_(path) {}

  std::vector<double> read() {
    std::ifstream file(path_, std::ios::binary);
    std::vector<double> values;
    bool of_market = false;
    while (std::getline(file, line_)) {
      ++number_;
      if (number_ == 1 && line_.starts_with(banner)) {
        check_banner();
        of_market = true;
        continue;
      }
      if (line_.starts_with('%') || line_.starts_with('#')) continue;
      for_words(line_, [&](const std::string& word, int column) { values.push_back(number(word, column)); });
    }
    if (number_ == 0 && !file.eof())
      throw Error(ExitCode::file_system, fmt::format("cannot read {}: {}", path_, std::strerror(errno)),
                  "check the path and its permissions");
    return of_market ? without_sizes(std::move(values)) : values;
  }

 private:
  [[noreturn]] void fail(const std::string& message, int column, const std::string& help) const {
    constexpr std::size_t most = 200;
    throw Error(ExitCode::usage, fmt::format("{} holds no vector that can be read: {}", path_, message), help,
                Position{.file = path_, .line = number_, .column = column, .text = line_.substr(0, most)});
  }
  void check_banner() const {
    std::vector<std::string> words;
    for_words(line_, [&](const std::string& word, int) { words.push_back(word); });
    if (words.size() != 5 || words[1] != "matrix" || words[2] != "array" ||
        (words[3] != "real" && words[3] != "integer") || words[4] != "general")
      fail("its header is of something else", 1,
           "a vector begins with: %%MatrixMarket matrix array real general, then its sizes: N 1");
  }
  double number(const std::string& word, int column) const {
    const char* begin = word.data() + (word[0] == '+');
    double value = 0;
    const auto [stop, status] = std::from_chars(begin, word.data() + word.size(), value);
    if (status != std::errc() || stop != word.data() + word.size())
      fail(fmt::format("'{}' is no number", word.substr(0, 40)), column, "write numbers with a point: 1.5e-3");
    return value;
  }
  std::vector<double> without_sizes(std::vector<double> values) const {
    if (values.size() < 2 || values[1] != 1 || values[0] != static_cast<double>(values.size() - 2))
      fail(values.size() < 2
               ? std::string("it has no sizes")
               : fmt::format("its sizes say {} x {}, and {} numbers follow", values[0], values[1], values.size() - 2),
           1, "a vector of N numbers has the sizes: N 1");
    values.erase(values.begin(), values.begin() + 2);
    return values;
  }

  std::string path_, line_;
  int number_ = 0;
};

}  // namespace

Array<double> read_market_vector(const std::string& path) {
  const std::vector<double> values = Reader(path).read();
  Array<double> result(static_cast<Offset>(values.size()));
  std::copy(values.begin(), values.end(), result.begin());
  return result;
}

void write_market_vector(const std::string& path, View<const double> values, const std::string& comment) {
  std::ofstream file(path, std::ios::binary);
  fmt::memory_buffer text;
  auto out = std::back_inserter(text);
  fmt::format_to(out, "{} matrix array real general\n", banner);
  if (!comment.empty()) fmt::format_to(out, "% {}\n", comment);
  fmt::format_to(out, "{} 1\n", values.size());
  for (Offset i = 0; i < values.size(); ++i) {
    fmt::format_to(out, "{}\n", values[i]);
    if (text.size() < (1u << 20)) continue;
    file.write(text.data(), static_cast<std::streamsize>(text.size()));
    text.clear();
  }
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  file.close();
  if (!file)
    throw Error(ExitCode::file_system, fmt::format("cannot write {}: {}", path, std::strerror(errno)),
                "is there room on the disk, and may you write there?");
}

}  // namespace tessera::linalg
