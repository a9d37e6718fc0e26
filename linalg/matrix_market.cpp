#include "linalg/matrix_market.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <numeric>
#include <vector>

#include "base/input_file.hpp"

namespace tessera::linalg {
namespace {

struct Entry {
  Index row, col;
  double value;
};

/// A text file, read in pieces, line by line, word by word.
class Lines {
 public:
  explicit Lines(const std::string& path) : path_(path) {
    require_regular_file(path, "matrix file", "give a file in Matrix Market format");
    file_.open(path, std::ios::binary);
    if (!file_)
      throw Error(ExitCode::file_system, fmt::format("cannot read {}: {}", path, std::strerror(errno)),
                  "is the path right, and may you read it?");
  }

  /// Goes to the next line; false at the end of the file.
  bool next() {
    if (!std::getline(file_, line_)) {
      if (file_.bad())
        throw Error(ExitCode::file_system, fmt::format("cannot read {}: {}", path_, std::strerror(errno)));
      return false;
    }
    if (!line_.empty() && line_.back() == '\r') line_.pop_back();
    ++number_;
    at_ = line_.data();
    return true;
  }
  /// Goes to the next line that is neither empty nor a comment.
  bool next_with_content() {
    while (next()) {
      skip_blanks();
      if (at_ != end() && *at_ != '%') return true;
    }
    return false;
  }
  bool at_end() {
    skip_blanks();
    return at_ == end();
  }
  std::string word() {
    skip_blanks();
    const char* begin = at_;
    while (at_ != end() && !blank(*at_)) ++at_;
    return {begin, at_};
  }
  template <class Number>
  Number number(const char* what) {
    skip_blanks();
    word_ = at_;
    if (at_ != end() && *at_ == '+') ++at_;
    Number value{};
    const auto [stop, status] = std::from_chars(at_, end(), value);
    if (status != std::errc() || (stop != end() && !blank(*stop))) fail(fmt::format("expected {}", what));
    at_ = stop;
    return value;
  }
  /// Throws at the number or word that was read last.
  [[noreturn]] void fail(const std::string& message, const std::string& help = {}) const {
    constexpr std::size_t most = 200;  // of a line that may be a whole file
    const int column = static_cast<int>((word_ ? word_ : line_.data()) - line_.data()) + 1;
    throw Error(ExitCode::usage, fmt::format("{} is not a Matrix Market file that can be read: {}", path_, message),
                help, Position{.file = path_, .line = number_, .column = column, .text = line_.substr(0, most)});
  }
  void mark() {
    skip_blanks();
    word_ = at_;
  }

 private:
  static bool blank(char c) { return c == ' ' || c == '\t'; }
  const char* end() const { return line_.data() + line_.size(); }
  void skip_blanks() {
    while (at_ != end() && blank(*at_)) ++at_;
  }

  std::string path_;
  std::ifstream file_;
  std::string line_;
  const char* at_ = nullptr;
  const char* word_ = nullptr;
  int number_ = 0;
};

constexpr const char* example = "a file begins like: %%MatrixMarket matrix coordinate real general";

struct Header {
  MarketField field = MarketField::real;
  MarketSymmetry symmetry = MarketSymmetry::general;
  Offset rows = 0, cols = 0, entries = 0;
};

std::string lower_word(Lines& lines) {
  lines.mark();
  std::string word = lines.word();
  std::transform(word.begin(), word.end(), word.begin(), [](unsigned char c) { return std::tolower(c); });
  return word;
}

Header read_header(Lines& lines) {
  if (!lines.next()) lines.fail("it is empty", example);
  if (lower_word(lines) != "%%matrixmarket") lines.fail("the first line is no header", example);
  if (const std::string object = lower_word(lines); object != "matrix")
    lines.fail(fmt::format("it holds a '{}', not a matrix", object), example);
  if (const std::string format = lower_word(lines); format != "coordinate")
    lines.fail(format == "array" ? "it holds a dense matrix (array)" : fmt::format("unknown format '{}'", format),
               "sparse matrices are in the format 'coordinate'");
  Header header;
  const std::string field = lower_word(lines);
  if (field == "real" || field == "double")
    header.field = MarketField::real;
  else if (field == "integer")
    header.field = MarketField::integer;
  else if (field == "pattern")
    header.field = MarketField::pattern;
  else
    lines.fail(fmt::format("values of kind '{}'", field), "read are: real, integer, pattern");
  const std::string symmetry = lower_word(lines);
  if (symmetry == "general")
    header.symmetry = MarketSymmetry::general;
  else if (symmetry == "symmetric")
    header.symmetry = MarketSymmetry::symmetric;
  else if (symmetry == "skew-symmetric")
    header.symmetry = MarketSymmetry::skew_symmetric;
  else
    lines.fail(fmt::format("symmetry '{}'", symmetry), "read are: general, symmetric, skew-symmetric");

  if (!lines.next_with_content()) lines.fail("the line with the sizes is missing", "it reads: rows columns entries");
  header.rows = lines.number<Offset>("the number of rows");
  if (header.rows < 0 || header.rows > std::numeric_limits<Index>::max())
    lines.fail(fmt::format("{} rows", header.rows), "a matrix has at most 2147483647 rows and columns");
  header.cols = lines.number<Offset>("the number of columns");
  if (header.cols < 0 || header.cols > std::numeric_limits<Index>::max())
    lines.fail(fmt::format("{} columns", header.cols), "a matrix has at most 2147483647 rows and columns");
  header.entries = lines.number<Offset>("the number of entries");
  if (header.entries < 0) lines.fail(fmt::format("{} entries", header.entries));
  if (!lines.at_end()) {
    lines.mark();
    lines.fail("more than three sizes", "the line reads: rows columns entries");
  }
  if (header.symmetry != MarketSymmetry::general && header.rows != header.cols)
    lines.fail(fmt::format("a symmetric matrix of {} rows and {} columns", header.rows, header.cols));
  return header;
}

Entry read_entry(Lines& lines, const Header& header) {
  const Offset row = lines.number<Offset>("a row");
  if (row < 1 || row > header.rows) lines.fail(fmt::format("row {} of 1 to {}", row, header.rows));
  const Offset col = lines.number<Offset>("a column");
  if (col < 1 || col > header.cols) lines.fail(fmt::format("column {} of 1 to {}", col, header.cols));
  if (header.symmetry == MarketSymmetry::symmetric && col > row)
    lines.fail("an entry above the diagonal of a symmetric matrix", "such a file holds the lower triangle only");
  if (header.symmetry == MarketSymmetry::skew_symmetric && col >= row)
    lines.fail("an entry on or above the diagonal of a skew-symmetric matrix",
               "such a file holds what is strictly below the diagonal");
  double value = 1;
  if (header.field == MarketField::integer)
    value = static_cast<double>(lines.number<Offset>("an integer"));
  else if (header.field == MarketField::real)
    value = lines.number<double>("a number");
  if (!lines.at_end()) {
    lines.mark();
    lines.fail("more numbers than an entry has");
  }
  return {static_cast<Index>(row - 1), static_cast<Index>(col - 1), value};
}

/// Sorts the entries of every row by column and adds up those of one place.
Crs<Host> from_entries(Index rows, Index cols, const std::vector<Entry>& entries) {
  Crs<Host> A;
  A.rows = rows;
  A.cols = cols;
  std::vector<Offset> start(static_cast<std::size_t>(rows) + 1);
  for (const Entry& entry : entries) ++start[static_cast<std::size_t>(entry.row)];
  std::exclusive_scan(start.begin(), start.end(), start.begin(), Offset{0});
  std::vector<std::pair<Index, double>> sorted(entries.size());
  std::vector<Offset> next = start;
  for (const Entry& entry : entries)
    sorted[static_cast<std::size_t>(next[static_cast<std::size_t>(entry.row)]++)] = {entry.col, entry.value};
  A.row_ptr = Array<Offset>(Offset{rows} + 1);
  A.row_ptr[0] = 0;
  Offset kept = 0;
  for (Index row = 0; row < rows; ++row) {
    const auto first = sorted.begin() + start[static_cast<std::size_t>(row)];
    const auto last = sorted.begin() + start[static_cast<std::size_t>(row) + 1];
    const auto by_column = [](const auto& a, const auto& b) { return a.first < b.first; };
    std::stable_sort(first, last, by_column);
    const Offset begin = kept;
    for (auto entry = first; entry != last; ++entry) {
      if (kept > begin && sorted[static_cast<std::size_t>(kept) - 1].first == entry->first)
        sorted[static_cast<std::size_t>(kept) - 1].second += entry->second;
      else
        sorted[static_cast<std::size_t>(kept++)] = *entry;
    }
    A.row_ptr[row + 1] = kept;
  }
  A.col_ind = Array<Index>(kept);
  A.values = Array<double>(kept);
  for (Offset k = 0; k < kept; ++k) {
    A.col_ind[k] = sorted[static_cast<std::size_t>(k)].first;
    A.values[k] = sorted[static_cast<std::size_t>(k)].second;
  }
  return A;
}

}  // namespace

Crs<Host> read_matrix_market(const std::string& path) {
  Lines lines(path);
  const Header header = read_header(lines);
  std::vector<Entry> entries;
  Offset read = 0;
  for (; lines.next_with_content(); ++read) {
    if (read == header.entries) {
      lines.mark();
      lines.fail(fmt::format("more entries than the {} that its header counts", header.entries));
    }
    const Entry entry = read_entry(lines, header);
    entries.push_back(entry);
    if (header.symmetry != MarketSymmetry::general && entry.row != entry.col)
      entries.push_back(
          {entry.col, entry.row, header.symmetry == MarketSymmetry::symmetric ? entry.value : -entry.value});
  }
  if (read < header.entries)
    lines.fail(fmt::format("it ends after {} of the {} entries that its header counts", read, header.entries),
               "the file is cut off, or its header is wrong");
  return from_entries(static_cast<Index>(header.rows), static_cast<Index>(header.cols), entries);
}

namespace {

/// A(col, row), or 0.
double transposed(const Crs<Host>& A, Index row, Index col) {
  const Index* first = A.col_ind.data() + A.row_ptr[col];
  const Index* last = A.col_ind.data() + A.row_ptr[col + 1];
  const Index* found = std::lower_bound(first, last, row);
  return found != last && *found == row ? A.values[found - A.col_ind.data()] : 0.0;
}

void require_symmetry(const Crs<Host>& A, MarketSymmetry symmetry) {
  if (symmetry == MarketSymmetry::general) return;
  const double sign = symmetry == MarketSymmetry::symmetric ? 1 : -1;
  if (A.rows != A.cols) throw Error(ExitCode::usage, fmt::format("a matrix [{}, {}] is not symmetric", A.rows, A.cols));
  for (Index row = 0; row < A.rows; ++row)
    for (Offset k = A.row_ptr[row]; k < A.row_ptr[row + 1]; ++k)
      if (A.values[k] != sign * transposed(A, row, A.col_ind[k]))
        throw Error(ExitCode::usage,
                    fmt::format("the matrix is not {}symmetric: entries ({}, {}) and ({}, {})", sign < 0 ? "skew-" : "",
                                row + 1, A.col_ind[k] + 1, A.col_ind[k] + 1, row + 1),
                    "write it as general");
}

}  // namespace

bool symmetrise(Crs<Host>& A, double tolerance) {
  if (A.rows != A.cols) return false;
  std::vector<double> size(static_cast<std::size_t>(A.rows));
  for (Index row = 0; row < A.rows; ++row) size[static_cast<std::size_t>(row)] = std::abs(transposed(A, row, row));
  for (Index row = 0; row < A.rows; ++row)
    for (Offset k = A.row_ptr[row]; k < A.row_ptr[row + 1]; ++k) {
      const Index col = A.col_ind[k];
      const double scale = std::max(size[static_cast<std::size_t>(row)], size[static_cast<std::size_t>(col)]);
      if (!(std::abs(A.values[k] - transposed(A, row, col)) <= tolerance * scale)) return false;
    }
  for (Index row = 0; row < A.rows; ++row)
    for (Offset k = A.row_ptr[row]; k < A.row_ptr[row + 1]; ++k)
      if (A.col_ind[k] > row) A.values[k] = transposed(A, row, A.col_ind[k]);
  return true;
}

void write_matrix_market(const std::string& path, const Crs<Host>& A, const MarketOptions& options) {
  require_symmetry(A, options.symmetry);
  const Index below = options.symmetry == MarketSymmetry::skew_symmetric ? 1 : 0;
  auto written = [&](Index row, Offset k) {
    return options.symmetry == MarketSymmetry::general || A.col_ind[k] + below <= row;
  };
  Offset entries = 0;
  for (Index row = 0; row < A.rows; ++row)
    for (Offset k = A.row_ptr[row]; k < A.row_ptr[row + 1]; ++k) entries += written(row, k);

  constexpr const char* fields[] = {"real", "integer", "pattern"};
  constexpr const char* symmetries[] = {"general", "symmetric", "skew-symmetric"};
  std::ofstream file(path, std::ios::binary);
  fmt::memory_buffer text;
  auto out = std::back_inserter(text);
  fmt::format_to(out, "%%MatrixMarket matrix coordinate {} {}\n", fields[static_cast<int>(options.field)],
                 symmetries[static_cast<int>(options.symmetry)]);
  for (std::size_t begin = 0; begin < options.comment.size();) {
    const std::size_t end = std::min(options.comment.find('\n', begin), options.comment.size());
    fmt::format_to(out, "% {}\n", options.comment.substr(begin, end - begin));
    begin = end + 1;
  }
  fmt::format_to(out, "{} {} {}\n", A.rows, A.cols, entries);
  for (Index row = 0; row < A.rows; ++row) {
    for (Offset k = A.row_ptr[row]; k < A.row_ptr[row + 1]; ++k) {
      if (!written(row, k)) continue;
      const double value = A.values[k];
      if (options.field == MarketField::pattern)
        fmt::format_to(out, "{} {}\n", row + 1, A.col_ind[k] + 1);
      else if (options.field == MarketField::real)
        fmt::format_to(out, "{} {} {}\n", row + 1, A.col_ind[k] + 1, value);
      else if (value == static_cast<double>(static_cast<Offset>(value)))
        fmt::format_to(out, "{} {} {}\n", row + 1, A.col_ind[k] + 1, static_cast<Offset>(value));
      else
        throw Error(ExitCode::usage, fmt::format("entry ({}, {}) is {}, no integer", row + 1, A.col_ind[k] + 1, value),
                    "write the matrix as real");
    }
    if (text.size() > (1u << 20)) {
      file.write(text.data(), static_cast<std::streamsize>(text.size()));
      text.clear();
    }
  }
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  file.close();
  if (!file)
    throw Error(ExitCode::file_system, fmt::format("cannot write {}: {}", path, std::strerror(errno)),
                "is there room on the disk, and may you write there?");
}

}  // namespace tessera::linalg
