// SPIKE on the host: the lanes of a vector unit each sweep through a partition of their own, so that divisions and
// loads of eight partitions overlap; groups of partitions go to the threads. Sizes do not depend on the number of
// threads, and neither does a bit of the result.
#include <vector>

#include "base/parallel.hpp"
#include "solvers/tridiagonal/elimination.hpp"
#include "solvers/tridiagonal/sizes.hpp"

namespace tessera::solvers::tridiagonal {
namespace {

/// Partitions swept together, and rows of each: a group of double rows takes 16 KiB.
constexpr int lanes = 8;
constexpr int partition = 64;
constexpr int group = lanes * partition;

/// Rows [partition][lanes] of one group, so that a step of all lanes is one vector operation.
template <class T>
struct Group {
  alignas(64) T lower[partition][lanes], diag[partition][lanes], upper[partition][lanes], rhs[partition][lanes];

  void load(const Tridiagonal<T>& A, const T* d, Offset base) {
    const Offset rows = A.rows();
    const Offset left = rows - base;
    const int whole = left >= group ? lanes : static_cast<int>(left / partition);
    for (int lane = 0; lane < lanes; ++lane) {
      const Offset first = base + lane * static_cast<Offset>(partition);
      if (lane < whole) {
        for (int k = 0; k < partition; ++k) {
          lower[k][lane] = A.lower[first + k];
          diag[k][lane] = A.diag[first + k];
          upper[k][lane] = A.upper[first + k];
          rhs[k][lane] = d[first + k];
        }
      } else {
        for (int k = 0; k < partition; ++k) {
          const bool real = first + k < rows;
          lower[k][lane] = real ? A.lower[first + k] : T(0);
          diag[k][lane] = real ? A.diag[first + k] : T(1);
          upper[k][lane] = real ? A.upper[first + k] : T(0);
          rhs[k][lane] = real ? d[first + k] : T(0);
        }
      }
    }
    cut(A.n, base, left < group ? left : group);
  }

  /// Systems of a batch are not coupled to each other.
  void cut(Index n, Offset base, Offset count) {
    const Offset end = base + count;
    for (Offset first = (base + n - 1) / n * n; first < end; first += n)
      lower[(first - base) % partition][(first - base) / partition] = 0;
    for (Offset last = base / n * n + n - 1; last < end; last += n)
      upper[(last - base) % partition][(last - base) / partition] = 0;
  }

  void store(T* x, Offset base, Offset rows) const {
    for (int lane = 0; lane < lanes; ++lane) {
      const Offset first = base + lane * static_cast<Offset>(partition);
      const int count = static_cast<int>(std::min<Offset>(partition, std::max<Offset>(rows - first, 0)));
      for (int k = 0; k < count; ++k) x[first + k] = rhs[k][lane];
    }
  }

  Row<T> row(int k, int lane) const { return {lower[k][lane], diag[k][lane], upper[k][lane], rhs[k][lane]}; }
  Row<T> mirrored_row(int k, int lane) const { return {upper[k][lane], diag[k][lane], lower[k][lane], rhs[k][lane]}; }

  /// Rows 0 .. partition-2 become x_k = rhs - lower x_L - upper x_{k+1}; `first` relates x_0 to the ends.
  void eliminate_without_pivoting(Relation<T> (&first)[lanes]) {
    for (int k = 0; k + 1 < partition; ++k) {
#pragma omp simd
      for (int lane = 0; lane < lanes; ++lane) {
        sweep(lower[k][lane], diag[k][lane], upper[k][lane], rhs[k][lane], lower[k + 1][lane], diag[k + 1][lane],
              rhs[k + 1][lane]);
        follow(first[lane], lower[k][lane], upper[k][lane], rhs[k][lane]);
      }
    }
  }
};

/// Reduced system, one allocation: rows [4, rows] and its solution.
template <class T>
struct Reduced {
  View<T> lower, diag, upper, rhs, x;
  Reduced(Workspace<Host>& workspace, Offset rows)
      : lower(workspace.take<T>(rows)),
        diag(workspace.take<T>(rows)),
        upper(workspace.take<T>(rows)),
        rhs(workspace.take<T>(rows)),
        x(workspace.take<T>(rows)) {}
  Tridiagonal<T> system() const { return {lower, diag, upper, static_cast<Index>(lower.size())}; }
};

Offset groups_of(Offset rows) { return (rows + group - 1) / group; }

/// The last unknowns of the partitions form the reduced system: one row a partition.
template <class T>
void solve_without_pivoting(Threads& exec, Workspace<Host>& workspace, const Tridiagonal<T>& A, const T* rhs, T* x) {
  const Offset groups = groups_of(A.rows()), partitions = groups * lanes;
  Reduced<T> reduced(workspace, partitions);
  const View<Relation<T>> relations = workspace.take<Relation<T>>(partitions + 1);
  relations[partitions] = {0, 0, 0};
  parallel_for(exec.count(), groups, [&](Offset g) {
    Group<T> rows;
    rows.load(A, rhs, g * group);
    Relation<T> first[lanes];
    rows.eliminate_without_pivoting(first);
    for (int lane = 0; lane < lanes; ++lane) {
      const Offset p = g * lanes + lane;
      const Row<T> last = rows.row(partition - 1, lane);
      reduced.lower[p] = last.lower, reduced.diag[p] = last.diag, reduced.upper[p] = last.upper,
      reduced.rhs[p] = last.rhs;
      relations[p] = first[lane];
    }
  });
  // x_0 of the next partition = alpha + beta x_p + gamma x_{p+1}
  for_each(exec, partitions, [&](Offset p) {
    const Relation<T> next = relations[p + 1];
    const T c = reduced.upper[p];
    reduced.diag[p] += c * next.beta;
    reduced.rhs[p] -= c * next.alpha;
    reduced.upper[p] = c * next.gamma;
  });
  spike_cr(exec, workspace, reduced.system(), View<const T>(reduced.rhs), reduced.x);
  parallel_for(exec.count(), groups, [&](Offset g) {
    Group<T> rows;
    rows.load(A, rhs, g * group);
    Relation<T> first[lanes];
    rows.eliminate_without_pivoting(first);
    T left[lanes];
    for (int lane = 0; lane < lanes; ++lane) {
      const Offset p = g * lanes + lane;
      left[lane] = p > 0 ? reduced.x[p - 1] : T(0);
      rows.rhs[partition - 1][lane] = reduced.x[p];
    }
    for (int k = partition - 2; k >= 0; --k) {
#pragma omp simd
      for (int lane = 0; lane < lanes; ++lane)
        rows.rhs[k][lane] -= rows.lower[k][lane] * left[lane] + rows.upper[k][lane] * rows.rhs[k + 1][lane];
    }
    rows.store(x, g * group, A.rows());
  });
}

/// Both ends of a partition stay: two rows of the reduced system, one from a sweep down, one from a sweep up.
template <class T>
void solve_with_diagonal_pivoting(Threads& exec, Workspace<Host>& workspace, const Tridiagonal<T>& A, const T* rhs,
                                  T* x) {
  const Offset groups = groups_of(A.rows()), partitions = groups * lanes;
  Reduced<T> reduced(workspace, 2 * partitions);
  parallel_for(exec.count(), groups, [&](Offset g) {
    Group<T> rows;
    rows.load(A, rhs, g * group);
    Running<T> down[lanes], up[lanes];
    for (int lane = 0; lane < lanes; ++lane) {
      down[lane] = start(rows.lower[1][lane], rows.row(1, lane));
      up[lane] = start(rows.upper[partition - 2][lane], rows.mirrored_row(partition - 2, lane));
    }
    for (int k = 2; k < partition; ++k) {
#pragma omp simd
      for (int lane = 0; lane < lanes; ++lane) {
        eliminate<PivotRule::diagonal>(down[lane], rows.row(k, lane));
        eliminate<PivotRule::diagonal>(up[lane], rows.mirrored_row(partition - 1 - k, lane));
      }
    }
    for (int lane = 0; lane < lanes; ++lane) {
      const Offset top = 2 * (g * lanes + lane), bottom = top + 1;
      reduced.lower[top] = up[lane].next, reduced.diag[top] = up[lane].pivot;
      reduced.upper[top] = up[lane].spike, reduced.rhs[top] = up[lane].rhs;
      reduced.lower[bottom] = down[lane].spike, reduced.diag[bottom] = down[lane].pivot;
      reduced.upper[bottom] = down[lane].next, reduced.rhs[bottom] = down[lane].rhs;
    }
  });
  spike_diagonal_pivoting(exec, workspace, reduced.system(), View<const T>(reduced.rhs), reduced.x);
  parallel_for(exec.count(), groups, [&](Offset g) {
    Group<T> rows;
    rows.load(A, rhs, g * group);
    Running<T> down[lanes];
    T after[lanes];
    for (int lane = 0; lane < lanes; ++lane) {
      const Offset p = g * lanes + lane;
      const T top = reduced.x[2 * p];
      rows.rhs[1][lane] -= rows.lower[1][lane] * top;
      down[lane] = start(T(0), rows.row(1, lane));
      rows.rhs[0][lane] = top;
      after[lane] = p + 1 < partitions ? reduced.x[2 * p + 2] : T(0);
    }
    for (int k = 1; k + 1 < partition; ++k) {
#pragma omp simd
      for (int lane = 0; lane < lanes; ++lane) {
        const Factor<T> factor = eliminate<PivotRule::diagonal>(down[lane], rows.row(k + 1, lane));
        rows.lower[k][lane] = factor.inverse, rows.diag[k][lane] = factor.u1;
        rows.upper[k][lane] = factor.u2, rows.rhs[k][lane] = factor.rhs;
      }
    }
    for (int lane = 0; lane < lanes; ++lane) rows.rhs[partition - 1][lane] = reduced.x[2 * (g * lanes + lane) + 1];
    for (int k = partition - 2; k > 0; --k) {
      const T* second = k + 2 < partition ? rows.rhs[k + 2] : after;
#pragma omp simd
      for (int lane = 0; lane < lanes; ++lane)
        rows.rhs[k][lane] =
            (rows.rhs[k][lane] - rows.diag[k][lane] * rows.rhs[k + 1][lane] - rows.upper[k][lane] * second[lane]) *
            rows.lower[k][lane];
    }
    rows.store(x, g * group, A.rows());
  });
}

}  // namespace

template <class Exec, class T>
void spike_cr(Exec& exec, Workspace<typename Exec::Space>& workspace, const Tridiagonal<T>& A, View<const T> rhs,
              View<T> x) {
  if (A.rows() <= host_sequential_rows)
    thomas(exec, workspace, A, rhs, x);
  else
    solve_without_pivoting(exec, workspace, A, rhs.data(), x.data());
}
template void spike_cr(Threads&, Workspace<Host>&, const Tridiagonal<double>&, View<const double>, View<double>);
template void spike_cr(Threads&, Workspace<Host>&, const Tridiagonal<float>&, View<const float>, View<float>);

template <class Exec, class T>
void spike_diagonal_pivoting(Exec& exec, Workspace<typename Exec::Space>& workspace, const Tridiagonal<T>& A,
                             View<const T> rhs, View<T> x) {
  if (A.rows() <= host_sequential_rows)
    lu_pivoting(exec, workspace, A, rhs, x);
  else
    solve_with_diagonal_pivoting(exec, workspace, A, rhs.data(), x.data());
}
template void spike_diagonal_pivoting(Threads&, Workspace<Host>&, const Tridiagonal<double>&, View<const double>,
                                      View<double>);
template void spike_diagonal_pivoting(Threads&, Workspace<Host>&, const Tridiagonal<float>&, View<const float>,
                                      View<float>);

}  // namespace tessera::solvers::tridiagonal
