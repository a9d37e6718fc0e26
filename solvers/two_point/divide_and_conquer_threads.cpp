#include <algorithm>
#include <cassert>
#include <vector>

#include "base/team.hpp"
#include "solvers/two_point/divide_and_conquer.hpp"

namespace tessera::solvers::two_point {

namespace {

/// Columns that a core works on side by side: each is one chain of additions, and 8 hide their latency.
constexpr int group = 8;

template <class T, class R>
class DivideAndConquer final : public TwoPointSolver<Threads, T> {
 public:
  explicit DivideAndConquer(const Columns& columns) : columns_(columns), edge_(static_cast<std::size_t>(columns.r)) {}

  void solve(Threads& exec, double h, View<const T> f, View<T> u) override {
    assert(f.size() == columns_.n && u.size() == columns_.n);
    const T h2 = static_cast<T>(h * h);
    // d_1 = h^2 f_1 / 2 ; d_i = h^2 f_i
    parallel_for(exec.count(), columns_.n, [=](Offset i) { u[i] = h2 * f[i]; });
    u[0] *= T(0.5);

    step_1a(exec, u);
    step_b(
        u, [this](Offset j) { return columns_.begin(j) + columns_.rows(j) - 1; }, recurrence_forward<R, T>);
    step_1c_2a(exec, u);
    step_b(
        u, [this](Offset j) { return columns_.begin(j); }, recurrence_backward<R, T>);
    step_2c(exec, u);
  }

  // d to u, and three sweeps over u; a core writes what it reads.
  double bytes() const override { return 8.0 * sizeof(T) * static_cast<double>(columns_.n); }
  double workspace_bytes() const override { return static_cast<double>(sizeof(T) * edge_.size()); }
  std::string type() const override { return "divide_and_conquer"; }
  Offset rows() const override { return columns_.s; }
  Offset columns() const override { return columns_.r; }

 private:
  /// Calls sweep(first column's start, rows, index of the first column, count) for groups of whole columns, and for the
  /// first column, which may be short, alone.
  template <class Sweep>
  void each_group(Threads& exec, View<T> u, Sweep sweep) {
    const Offset groups = 1 + (columns_.r - 1 + group - 1) / group;
    parallel_for(exec.count(), groups, [&](Offset g) {
      const Offset first = g == 0 ? 0 : 1 + (g - 1) * group;
      const int count = g == 0 ? 1 : static_cast<int>(std::min<Offset>(group, columns_.r - first));
      T* begin = u.data() + columns_.begin(first);
      if (count == group)  // the usual case, with its number of columns known to the compiler
        sweep(begin, columns_.rows(first), first, std::integral_constant<int, group>{});
      else
        sweep(begin, columns_.rows(first), first, count);
    });
  }

  void step_1a(Threads& exec, View<T> u) {
    each_group(exec, u, [s = columns_.s](T* column, Offset rows, Offset, auto count) {
      T sum[group] = {};
      for (Offset k = 0; k < rows; ++k)
        for (int c = 0; c < count; ++c) column[c * s + k] = sum[c] += column[c * s + k];
    });
  }

  /// `index(j)`: the bottom or top entry of column j.
  template <class IndexOf, class Recurrence>
  void step_b(View<T> u, IndexOf index, Recurrence recurrence) {
    for (Offset j = 0; j < columns_.r; ++j) edge_[j] = u[index(j)];
    recurrence(View<T>(edge_.data(), columns_.r));
    for (Offset j = 0; j < columns_.r; ++j) u[index(j)] = edge_[j];
  }

  /// 1C reads bottom entries only, which 2A does not write: columns stay independent.
  void step_1c_2a(Threads& exec, View<T> u) {
    each_group(exec, u, [this, s = columns_.s, u](T* column, Offset rows, Offset first, auto count) {
      T a[group] = {}, sum[group];
      for (int c = 0; c < count; ++c) {
        if (first + c > 0) a[c] = u[columns_.begin(first + c) - 1];
        sum[c] = column[c * s + rows - 1];
      }
      for (Offset k = rows - 2; k >= 0; --k)
        for (int c = 0; c < count; ++c) column[c * s + k] = sum[c] += column[c * s + k] + a[c];
    });
  }

  void step_2c(Threads& exec, View<T> u) {
    each_group(exec, u, [this, u](T* column, Offset rows, Offset first, auto count) {
      for (int c = 0; c < count; ++c, column += rows) {
        if (first + c + 1 >= columns_.r) continue;
        const T a = u[columns_.begin(first + c + 1)];
        for (Offset k = 1; k < rows; ++k) column[k] += a;
      }
    });
  }

  Columns columns_;
  std::vector<T> edge_;  ///< bottom or top row of U
};

}  // namespace

template <class Exec, class T, class R>
std::unique_ptr<TwoPointSolver<Exec, T>> make_divide_and_conquer(Exec&, const Columns& columns) {
  return std::make_unique<DivideAndConquer<T, R>>(columns);
}

template std::unique_ptr<TwoPointSolver<Threads, double>> make_divide_and_conquer<Threads, double, double>(
    Threads&, const Columns&);
template std::unique_ptr<TwoPointSolver<Threads, float>> make_divide_and_conquer<Threads, float, float>(Threads&,
                                                                                                        const Columns&);
template std::unique_ptr<TwoPointSolver<Threads, float>> make_divide_and_conquer<Threads, float, double>(
    Threads&, const Columns&);

}  // namespace tessera::solvers::two_point
