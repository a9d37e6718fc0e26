#include "solvers/amg/aggregation_impl.hpp"

namespace tessera::solvers::amg {
namespace detail {
namespace {

constexpr int join_block = 128;
constexpr unsigned all_lanes = 0xffffffffu;

/// An entry of a row that counts, in the registers of one lane.
struct Candidate {
  Index aggregate = -1;
  double weight = 0;
  __device__ Candidate(const linalg::CrsView<const double>& A, const Strength& strength,
                       const View<const Index>& aggregates, Offset row, Offset k, Offset end) {
    if (k >= end) return;
    const Index col = A.col_ind[k];
    const double a = A.values[k];
    const Index found = aggregates[col];
    if (found < 0 || !strength.is_strong(a, row, col)) return;
    aggregate = found;
    weight = -a / strength.largest[row];
  }
};

/// The aggregate to which entries of the row add up to most, by a warp: each lane has an entry and adds up those of the
/// same aggregate, which the others have, in their order.
__device__ Index strongest_aggregate(const linalg::CrsView<const double>& A, const Strength& strength,
                                     const View<const Index>& aggregates, Offset row) {
  const int lane = threadIdx.x % 32;
  const Offset begin = A.row_ptr[row], end = A.row_ptr[row + 1];
  Index best = -1;
  Word most = 0;
  const auto take = [&](Index candidate, Word weight) {
    if (candidate < 0 || (best >= 0 && (weight < most || (weight == most && candidate >= best)))) return;
    best = candidate;
    most = weight;
  };
  for (Offset first = begin; first < end; first += 32) {
    const Candidate mine(A, strength, aggregates, row, first + lane, end);
    if (__ballot_sync(all_lanes, mine.aggregate >= 0) == 0) continue;
    double sum = 0;
    for (Offset others = begin; others < end; others += 32) {
      const Candidate other(A, strength, aggregates, row, others + lane, end);
      const int count = static_cast<int>(min(end - others, Offset{32}));
      for (int k = 0; k < count; ++k) {
        const Index aggregate = __shfl_sync(all_lanes, other.aggregate, k);
        const double weight = __shfl_sync(all_lanes, other.weight, k);
        if (aggregate == mine.aggregate) sum += weight;
      }
    }
    take(mine.aggregate, binned(sum));
  }
  for (int step = 16; step > 0; step /= 2) {
    const Index candidate = __shfl_xor_sync(all_lanes, best, step);
    take(candidate, __shfl_xor_sync(all_lanes, most, step));
  }
  return best;
}

/// Rows from which a warp looks at 32 of them: fewer would leave multiprocessors without work.
constexpr Offset many_rows = 1 << 18;

/// A warp looks at 32 rows, or at one, and works together on each of those that join others.
__global__ void __launch_bounds__(join_block)
    join_rows(linalg::CrsView<const double> A, Graph graph, View<const double> diagonal, Strength strength,
              View<const Index> before, View<Index> after) {
  const Offset thread = blockIdx.x * static_cast<Offset>(join_block) + threadIdx.x, lane = threadIdx.x % 32;
  const Offset row = A.rows < many_rows ? thread / 32 + lane * A.rows : thread;
  const Joins kind = row < A.rows ? joins(A, graph, diagonal, before, row) : Joins::nothing;
  Index found = row < A.rows ? before[row] : -1;
  const unsigned any = __ballot_sync(all_lanes, kind == Joins::any_entries);
  for (unsigned left = __ballot_sync(all_lanes, kind != Joins::nothing); left != 0; left &= left - 1) {
    const int which = __ffs(static_cast<int>(left)) - 1;
    const Strength held{strength.largest, (any >> which & 1) != 0 ? 0 : strength.theta_square};
    const Index joined = strongest_aggregate(A, held, before, __shfl_sync(all_lanes, row, which));
    if (lane == which) found = joined;
  }
  if (row < A.rows) after[row] = found;
}

}  // namespace

template <>
void join_the_rest(Cuda& exec, const linalg::CrsView<const double>& A, const Graph& graph, View<const double> diagonal,
                   const Strength& strength, View<const Index> before, View<Index> after) {
  const Offset threads = A.rows < many_rows ? Offset{32} * A.rows : A.rows;
  launch(exec, join_rows, (threads + join_block - 1) / join_block, join_block, A, graph, diagonal, strength, before,
         after);
}

}  // namespace detail

TESSERA_INSTANTIATE_AGGREGATION(Cuda);

}  // namespace tessera::solvers::amg
