#include <fmt/format.h>

#include <limits>
#include <vector>

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "solvers/tridiagonal/toeplitz.hpp"
#include "solvers/tridiagonal/toeplitz_levels.hpp"

namespace tessera::solvers {

namespace tridiagonal {

void check_toeplitz(const ToeplitzBatch& batch, Offset g, Offset v) {
  if (batch.n < 1 || batch.systems < 1 || batch.repeat < 1 || batch.delta.empty())
    throw Error(
        ExitCode::usage,
        fmt::format("{} Toeplitz systems of {} rows with {} shifts", batch.systems, batch.n, batch.delta.size()),
        "systems, rows, shifts and repeat are at least 1");
  if (g != batch.rows() || v != batch.rows())
    throw Error(ExitCode::usage,
                fmt::format("{} Toeplitz systems of {} rows: the right-hand side has {} entries, the solution {}",
                            batch.systems, batch.n, g, v),
                "both have n entries a system");
}

namespace {

/// The levels of one system: level r has n >> r rows, kept one after the other so that every loop runs through memory.
template <class T>
class HostToeplitz {
 public:
  HostToeplitz(Index n, double delta) : n_(n) {
    ToeplitzState state{delta, 1 + delta, n};
    for (; state.rows > 1; state = state.next()) levels_.push_back(state.template level<T>());
    scale_ = static_cast<T>(1 / (2 + delta));
  }

  /// `y` has room for 2 n values.
  void solve(const T* g, T* v, T* y) const {
    for (Index i = 0; i < n_; ++i) y[i] = g[i] * scale_;
    T* from = y;
    Index rows = n_;
    for (const ToeplitzLevel<T>& level : levels_) {
      T* to = from + rows;
      const Index kept = rows / 2;
#pragma omp simd
      for (Index i = 0; i < kept - 1; ++i)
        to[i] = level.kept * from[2 * i + 1] + level.side * (from[2 * i] + from[2 * i + 2]);
      const T right = rows % 2 == 1 ? from[rows - 1] : T(0);
      to[kept - 1] = level.last_kept * from[2 * kept - 1] + level.last_side * (from[2 * kept - 2] + right);
      from = to;
      rows = kept;
    }
    for (std::size_t r = levels_.size(); r-- > 0;) {
      const ToeplitzLevel<T>& level = levels_[r];
      const Index above = n_ >> r;
      T* to = from - above;
      spread(level, from, to, above);
      from = to;
    }
    for (Index i = 0; i < n_; ++i) v[i] = y[i];
  }

 private:
  /// `solved` rows are every second of the `rows` of the level above: v = y + back (left + right).
  static void spread(const ToeplitzLevel<T>& level, const T* solved, T* y, Index rows) {
    const Index kept = rows / 2;
    y[0] += level.back * solved[0];
#pragma omp simd
    for (Index i = 1; i < kept; ++i) y[2 * i] += level.back * (solved[i - 1] + solved[i]);
    if (rows % 2 == 1) y[rows - 1] += level.last_back * solved[kept - 1];
    for (Index i = 0; i < kept; ++i) y[2 * i + 1] = solved[i];
  }

  Index n_;
  T scale_;
  std::vector<ToeplitzLevel<T>> levels_;
};

}  // namespace
}  // namespace tridiagonal

template <class Exec, class T>
void ToeplitzSolver<Exec, T>::solve(Exec& exec, const ToeplitzBatch& batch, View<const T> g, View<T> v) {
  tridiagonal::check_toeplitz(batch, g.size(), v.size());
  workspace_.restart();
  const View<T> memory = workspace_.template take<T>(2 * static_cast<Offset>(batch.n) * exec.count());
  parallel_for(batch.systems > 1 ? exec.count() : 1, batch.systems, [&](Index s, int part) {
    const tridiagonal::HostToeplitz<T> system(batch.n, batch.delta[s / batch.repeat % batch.delta.size()]);
    const Offset first = static_cast<Offset>(s) * batch.n;
    system.solve(g.data() + first, v.data() + first, memory.data() + 2 * static_cast<Offset>(batch.n) * part);
  });
}

template class ToeplitzSolver<Threads, double>;
template class ToeplitzSolver<Threads, float>;

}  // namespace tessera::solvers
