#include <vector>

#include "base/parallel.hpp"
#include "solvers/tridiagonal/pair_elimination.hpp"

namespace tessera::solvers::tridiagonal {
namespace {

/// Rows of a partition; the reduced system has a 32nd of them.
constexpr int partition = 64;

template <class T>
struct PairRows {
  const T* values;  ///< [5, rows]
  Offset rows;
};

template <class T>
void load(TridiagonalChunk<T, partition>& chunk, const Tridiagonal<T>& A, const T* rhs, Offset first) {
  const Offset rows = A.rows();
  Offset row = first % A.n;
  for (int k = 0; k < partition; ++k) {
    const Offset i = first + k;
    const bool real = i < rows;
    chunk.lower[k] = real && row > 0 ? A.lower[i] : T(0);
    chunk.diag[k] = real ? A.diag[i] : T(1);
    chunk.upper[k] = real && row < A.n - 1 ? A.upper[i] : T(0);
    chunk.rhs[k] = real ? rhs[i] : T(0);
    if (++row == A.n) row = 0;
  }
}
template <class T>
void load(PairChunk<T, partition>& chunk, const PairRows<T>& level, const T*, Offset first) {
  for (int k = 0; k < partition; ++k)
    for (int j = 0; j < 5; ++j)
      chunk.values[j][k] = first + k < level.rows ? level.values[j * level.rows + first + k] : T(j == 1 + k % 2);
}

template <class T>
Offset rows_of(const Tridiagonal<T>& A) {
  return A.rows();
}
template <class T>
Offset rows_of(const PairRows<T>& level) {
  return level.rows;
}

template <class T, template <class, int> class Chunk, class Level>
void solve(Threads& exec, Workspace<Host>& workspace, const Level& level, const T* rhs, T* x) {
  const Offset rows = rows_of(level), partitions = (rows + partition - 1) / partition, reduced_rows = 2 * partitions;
  const View<T> reduced = workspace.take<T>(5 * reduced_rows), ends = workspace.take<T>(reduced_rows);
  parallel_for(partitions > 16 ? exec.count() : 1, partitions, [&](Offset p) {
    Chunk<T, partition> chunk;
    load(chunk, level, rhs, p * partition);
    const Pair<T> pair = reduce_partition<T, partition>(chunk);
    for (int j = 0; j < 5; ++j)
      reduced[j * reduced_rows + 2 * p] = pair.row[0][j], reduced[j * reduced_rows + 2 * p + 1] = pair.row[1][j];
    if (partitions == 1) solve_ends(pair, ends[0], ends[1]);
  });
  if (partitions > 1)
    solve<T, PairChunk>(exec, workspace, PairRows<T>{reduced.data(), reduced_rows}, nullptr, ends.data());
  parallel_for(partitions > 16 ? exec.count() : 1, partitions, [&](Offset p) {
    Chunk<T, partition> chunk;
    load(chunk, level, rhs, p * partition);
    T result[partition];
    solve_partition<T, partition>(chunk, p > 0 ? ends[2 * p - 1] : T(0), ends[2 * p], ends[2 * p + 1],
                                  p + 1 < partitions ? ends[2 * p + 2] : T(0), result);
    for (int k = 0; k < partition && p * partition + k < rows; ++k) x[p * partition + k] = result[k];
  });
}

}  // namespace

template <class Exec, class T>
void spike_pivoting(Exec& exec, Workspace<typename Exec::Space>& workspace, const Tridiagonal<T>& A, View<const T> rhs,
                    View<T> x) {
  solve<T, TridiagonalChunk>(exec, workspace, A, rhs.data(), x.data());
}
template void spike_pivoting(Threads&, Workspace<Host>&, const Tridiagonal<double>&, View<const double>, View<double>);
template void spike_pivoting(Threads&, Workspace<Host>&, const Tridiagonal<float>&, View<const float>, View<float>);

}  // namespace tessera::solvers::tridiagonal
