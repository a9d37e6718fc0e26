#include "solvers/two_point/square_blocked.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <type_traits>
#include <vector>

#include "base/team.hpp"
#include "solvers/two_point/divide_and_conquer.hpp"

namespace tessera::solvers::two_point {

namespace {

/// Columns that a core works on side by side: each is one chain of additions, and 8 hide their latency.
constexpr int group = 8;

template <class T, class R>
class Blocked final : public TwoPointSolver<Threads, T> {
 public:
  Blocked(const Columns& columns, int block)
      : columns_(columns),
        format_{columns.s, columns.r, block},
        U_(format_.size()),
        edge_(static_cast<std::size_t>(columns.r)) {}

  void solve(Threads& exec, double h, View<const T> f, View<T> u) override {
    assert(f.size() == columns_.n && u.size() == columns_.n);
    set(exec, static_cast<T>(h * h), f);
    step_1a(exec);
    step_b(columns_.s - 1, recurrence_forward<R, T>);
    step_1c_2a(exec);
    step_b(0, recurrence_backward<R, T>);
    step_2c(exec, u);
  }

  // f to U, two sweeps over U, U to u with the last step.
  double bytes() const override { return 8.0 * sizeof(T) * static_cast<double>(columns_.n); }
  double workspace_bytes() const override { return static_cast<double>(U_.bytes() + sizeof(T) * edge_.size()); }
  std::string type() const override { return "square_blocked"; }
  Offset rows() const override { return columns_.s; }
  Offset columns() const override { return columns_.r; }

 private:
  using Sums = std::array<T, most_block>;  ///< one running sum a column of a block

  /// Columns of block column J, and rows of block row I, that belong to U.
  int width(Offset J) const { return static_cast<int>(std::min(format_.block, columns_.r - J * format_.block)); }
  int height(Offset I) const { return static_cast<int>(std::min(format_.block, columns_.s - I * format_.block)); }

  /// Calls work(J) for the block columns in parallel; each thread goes through its own from right to left or left to
  /// right.
  template <class Work>
  void each_block_column(Threads& exec, bool leftwards, Work work) {
    const Offset count = format_.block_columns();
    parallel_for(exec.count(), count, [&](Offset k) { work(leftwards ? count - 1 - k : k); });
  }

  /// Calls sweep(first column, count) for groups of the columns of a block: their running sums then stay in registers.
  template <class Sweep>
  static void each_group(int width, Sweep sweep) {
    for (int first = 0; first < width; first += group) {
      if (width - first >= group)  // the usual case, with its number of columns known to the compiler
        sweep(first, std::integral_constant<int, group>{});
      else
        sweep(first, width - first);
    }
  }

  /// Calls run(j, column in U, number of its first unknown, rows) for the columns of block (I, J); zeros before the
  /// grid have negative numbers.
  template <class Run>
  void each_column(Offset I, Offset J, Run run) {
    T* U = U_.data() + format_.begin(I, J);
    const int columns = width(J), rows = height(I);
    for (int c = 0; c < columns; ++c) {
      const Offset j = J * format_.block + c;
      run(j, U + c * format_.block, j * columns_.s + I * format_.block - columns_.missing(), rows);
    }
  }

  /// U(k,j) = d_{j s + k - missing}, counted from 0.
  void set(Threads& exec, T h2, View<const T> f) {
    each_block_column(exec, false, [&](Offset J) {
      for (Offset I = 0; I < format_.block_rows(); ++I)
        each_column(I, J, [&](Offset, T* column, Offset first, int rows) {
          const int zeros = static_cast<int>(std::clamp<Offset>(-first, 0, rows));
          for (int k = 0; k < zeros; ++k) column[k] = 0;
          for (int k = zeros; k < rows; ++k) column[k] = h2 * f[first + k];
        });
    });
    U_[format_.at(columns_.missing(), 0)] *= T(0.5);
  }

  void step_1a(Threads& exec) {
    each_block_column(exec, true, [&](Offset J) {
      Sums sums{};
      for (Offset I = 0; I < format_.block_rows(); ++I)
        each_group(width(J), [&, stride = format_.block, rows = height(I)](int first, auto count) {
          T* U = U_.data() + format_.begin(I, J) + first * stride;
          T sum[group];
          for (int c = 0; c < count; ++c) sum[c] = sums[first + c];
          for (int k = 0; k < rows; ++k)
            for (int c = 0; c < count; ++c) U[c * stride + k] = sum[c] += U[c * stride + k];
          for (int c = 0; c < count; ++c) sums[first + c] = sum[c];
        });
    });
  }

  /// Of the bottom row (row = s - 1) or the top row (0).
  template <class Recurrence>
  void step_b(Offset row, Recurrence recurrence) {
    for (Offset j = 0; j < columns_.r; ++j) edge_[j] = U_[format_.at(row, j)];
    recurrence(View<T>(edge_.data(), columns_.r));
    for (Offset j = 0; j < columns_.r; ++j) U_[format_.at(row, j)] = edge_[j];
  }

  /// Bottom up from the left: the blocks that 1A touched last come first. The bottom row is done.
  void step_1c_2a(Threads& exec) {
    each_block_column(exec, false, [&](Offset J) {
      Sums as{}, sums{};
      for (int c = 0; c < width(J); ++c) {
        const Offset j = J * format_.block + c;
        if (j > 0) as[c] = edge_[j - 1];
        sums[c] = edge_[j];
      }
      const Offset last = format_.block_rows() - 1;
      for (Offset I = last; I >= 0; --I)
        each_group(width(J),
                   [&, stride = format_.block, rows = height(I) - (I == last ? 1 : 0)](int first, auto count) {
                     T* U = U_.data() + format_.begin(I, J) + first * stride;
                     T a[group], sum[group];
                     for (int c = 0; c < count; ++c) {
                       a[c] = as[first + c];
                       sum[c] = sums[first + c];
                     }
                     for (int k = rows - 1; k >= 0; --k)
                       for (int c = 0; c < count; ++c) U[c * stride + k] = sum[c] += U[c * stride + k] + a[c];
                     for (int c = 0; c < count; ++c) sums[first + c] = sum[c];
                   });
    });
  }

  /// 2C on the way from U to u.
  void step_2c(Threads& exec, View<T> u) {
    each_block_column(exec, true, [&](Offset J) {
      for (Offset I = 0; I < format_.block_rows(); ++I)
        each_column(I, J, [&](Offset j, const T* column, Offset first, int rows) {
          const T a = j + 1 < columns_.r ? edge_[j + 1] : T(0);
          const int zeros = static_cast<int>(std::clamp<Offset>(-first, 0, rows));
          for (int k = zeros; k < rows; ++k) u[first + k] = column[k] + a;
          if (I == 0 && first >= 0) u[first] = column[0];  // 2B has done the top row
        });
    });
  }

  Columns columns_;
  SquareBlocked format_;
  Array<T> U_;
  std::vector<T> edge_;  ///< bottom row after 1B, top row after 2B
};

template <class T, class R>
std::unique_ptr<TwoPointSolver<Threads, T>> make(Threads&, Offset n, const SolverParams& params) {
  const SquareBlockedParams& own = params.method.as<SquareBlockedParams>();
  return make_square_blocked<T, R>(make_columns(n, own.rows), own.block);
}
constexpr TwoPointMakers makers{.threads = {make<double, double>, make<float, float>, make<float, double>}};

/// U, and a row of it.
double array_bytes(const SolverParams& params, const ProblemSize& size) {
  const SquareBlockedParams& own = params.method.as<SquareBlockedParams>();
  const Columns columns = make_columns(static_cast<Offset>(size.rows), own.rows);
  const double value = params.precision == "double" ? 8 : 4;
  return value * static_cast<double>(SquareBlocked{columns.s, columns.r, own.block}.size() + columns.r);
}

}  // namespace

template <class T, class R>
std::unique_ptr<TwoPointSolver<Threads, T>> make_square_blocked(const Columns& columns, int block) {
  return std::make_unique<Blocked<T, R>>(columns, block);
}

template std::unique_ptr<TwoPointSolver<Threads, double>> make_square_blocked<double, double>(const Columns&, int);
template std::unique_ptr<TwoPointSolver<Threads, float>> make_square_blocked<float, float>(const Columns&, int);
template std::unique_ptr<TwoPointSolver<Threads, float>> make_square_blocked<float, double>(const Columns&, int);

MethodEntry square_blocked_entry() {
  return {.name = "square_blocked",
          .help = "A2 over an array of square blocks (ND), threads only",
          .kind = MethodKind::two_point,
          .needs = {.two_point = true},
          .bytes = array_bytes,
          .own = Keys<SquareBlockedParams>()
                     .key("rows", &SquareBlockedParams::rows, rows_key())
                     .key("block", &SquareBlockedParams::block,
                          {.help = "Unknowns on a side of a block.", .min = 1, .max = most_block}),
          .cuda = false,
          .two_point = &makers};
}

}  // namespace tessera::solvers::two_point
