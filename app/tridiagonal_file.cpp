#include "app/tridiagonal_file.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <filesystem>

#include "linalg/matrix_market.hpp"
#include "output/files.hpp"

namespace tessera::app {

namespace {

TridiagonalRows of_matrix(const std::string& path) {
  const linalg::Crs<Host> A = linalg::read_matrix_market(path);
  if (A.rows != A.cols || A.rows == 0)
    throw Error(ExitCode::usage, fmt::format("{}: a matrix of {} x {} is no system", path, A.rows, A.cols),
                "give a square matrix with at least one row");
  TridiagonalRows rows;
  for (std::vector<double>* diagonal : {&rows.lower, &rows.diag, &rows.upper})
    diagonal->assign(static_cast<std::size_t>(A.rows), 0.0);
  for (Index row = 0; row < A.rows; ++row)
    for (Offset k = A.row_ptr[row]; k < A.row_ptr[row + 1]; ++k) {
      const Index col = A.col_ind[k];
      if (std::abs(row - col) > 1)
        throw Error(ExitCode::usage,
                    fmt::format("{}: entry ({}, {}) lies beside the three diagonals", path, row + 1, col + 1),
                    "a tridiagonal matrix has entries at (i, i-1), (i, i) and (i, i+1) only");
      (col < row ? rows.lower : col == row ? rows.diag : rows.upper)[static_cast<std::size_t>(row)] = A.values[k];
    }
  return rows;
}

/// Lines of a text, word by word.
class Table {
 public:
  explicit Table(const std::string& path) : path_(path), text_(output::read_text(path)) {}

  TridiagonalRows read() {
    TridiagonalRows rows;
    std::size_t columns = 0;
    for (std::size_t begin = 0; begin < text_.size(); ++number_) {
      const std::size_t end = std::min(text_.find('\n', begin), text_.size());
      line_ = text_.substr(begin, end - begin);
      begin = end + 1;
      const std::vector<double> values = numbers(rows.diag.empty() && columns == 0);
      if (values.empty()) continue;
      if (columns == 0) columns = values.size();
      if (values.size() != columns || columns < 3 || columns > 4)
        fail(fmt::format("{} numbers in a row", values.size()), 1);
      rows.lower.push_back(values[0]);
      rows.diag.push_back(values[1]);
      rows.upper.push_back(values[2]);
      if (columns == 4) rows.rhs.push_back(values[3]);
    }
    if (rows.diag.empty())
      throw Error(ExitCode::usage, fmt::format("{} holds no rows", path_),
                  "a line a row: lower, diag, upper and maybe rhs");
    rows.lower.front() = rows.upper.back() = 0;
    return rows;
  }

 private:
  [[noreturn]] void fail(const std::string& what, std::size_t column) const {
    throw Error(
        ExitCode::usage, fmt::format("{} holds no tridiagonal system: {}", path_, what),
        "a line a row: lower, diag, upper and maybe rhs, as numbers between commas or blanks; # starts a comment",
        Position{path_, number_, static_cast<int>(column), line_.substr(0, 200), 1});
  }
  /// Of the line; none where `maybe_names` and its first word is no number.
  std::vector<double> numbers(bool maybe_names) const {
    std::vector<double> values;
    const std::string line = line_.substr(0, line_.find('#'));
    constexpr const char* between = " \t\r,;";
    for (std::size_t begin = line.find_first_not_of(between); begin != std::string::npos;) {
      const std::size_t end = std::min(line.find_first_of(between, begin), line.size());
      double value = 0;
      const char* first = line.data() + begin + (line[begin] == '+');
      const auto [stop, status] = std::from_chars(first, line.data() + end, value);
      if (status != std::errc() || stop != line.data() + end || !std::isfinite(value)) {
        if (maybe_names && values.empty()) return {};
        fail(fmt::format("'{}' is no finite number", line.substr(begin, std::min<std::size_t>(end - begin, 40))),
             begin + 1);
      }
      values.push_back(value);
      begin = line.find_first_not_of(between, end);
    }
    return values;
  }

  std::string path_, text_, line_;
  int number_ = 1;
};

}  // namespace

TridiagonalRows read_tridiagonal(const std::string& path) {
  return std::filesystem::path(path).extension() == ".mtx" ? of_matrix(path) : Table(path).read();
}

std::vector<double> made_right_hand_side(const TridiagonalRows& rows) {
  const auto x = [](std::size_t i) { return 1 + 0.5L * std::sin(static_cast<long double>(i)); };
  std::vector<double> rhs(rows.size());
  for (std::size_t i = 0; i < rhs.size(); ++i) {
    long double sum = rows.diag[i] * x(i);
    if (i > 0) sum += rows.lower[i] * x(i - 1);
    if (i + 1 < rhs.size()) sum += rows.upper[i] * x(i + 1);
    rhs[i] = static_cast<double>(sum);
  }
  return rhs;
}

std::vector<double> reference_solution(const TridiagonalRows& rows) {
  using Real = long double;
  const std::size_t n = rows.size();
  // Row k of U is (pivot, next, second), with right-hand side d.
  std::vector<Real> pivot(n), next(n), second(n), d(n);
  Real p = rows.diag[0], q = n > 1 ? rows.upper[0] : 0, r = rows.rhs[0];
  for (std::size_t k = 0; k + 1 < n; ++k) {
    const Real a = rows.lower[k + 1], b = rows.diag[k + 1], c = k + 2 < n ? rows.upper[k + 1] : 0, f = rows.rhs[k + 1];
    if (std::abs(p) >= std::abs(a)) {
      pivot[k] = p, next[k] = q, second[k] = 0, d[k] = r;
      const Real factor = a / p;
      p = b - factor * q, q = c, r = f - factor * r;
    } else {
      pivot[k] = a, next[k] = b, second[k] = c, d[k] = f;
      const Real factor = p / a;
      p = q - factor * b, q = -factor * c, r -= factor * f;
    }
  }
  pivot[n - 1] = p, d[n - 1] = r;
  std::vector<double> x(n);
  Real x1 = 0, x2 = 0;
  for (std::size_t k = n; k-- > 0;) {
    const Real value = (d[k] - next[k] * x1 - second[k] * x2) / pivot[k];
    x[k] = static_cast<double>(value);
    x2 = x1, x1 = value;
  }
  return x;
}

}  // namespace tessera::app
