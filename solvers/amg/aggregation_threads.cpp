#include "solvers/amg/aggregation_impl.hpp"

namespace tessera::solvers::amg {
namespace detail {

/// Whether a candidate with this weight goes before the best one so far; ties by number.
static bool goes_before(Word weight, Index candidate, Word most, Index best) {
  return best < 0 || weight > most || (weight == most && candidate < best);
}

/// Of rows beside more aggregates than strongest_aggregate has room for.
template <class Counts, class Part>
static Index strongest_of_many(const linalg::CrsView<const double>& A, const View<const Index>& aggregate, Offset row,
                               Counts counts, Part part) {
  Index best = -1;
  Word most = 0;
  for (Offset k = A.row_ptr[row]; k < A.row_ptr[row + 1]; ++k) {
    if (!counts(k)) continue;
    const Index candidate = aggregate[A.col_ind[k]];
    if (candidate == best) continue;
    double sum = 0;
    for (Offset other = A.row_ptr[row]; other < A.row_ptr[row + 1]; ++other)
      if (counts(other) && aggregate[A.col_ind[other]] == candidate) sum += part(other);
    const Word weight = binned(sum);
    if (!goes_before(weight, candidate, most, best)) continue;
    best = candidate;
    most = weight;
  }
  return best;
}

/// The aggregate to which entries of the row add up to most: over strong ones, or over all.
static Index strongest_aggregate(const linalg::CrsView<const double>& A, const Strength& strength,
                                 const View<const Index>& aggregate, Offset row) {
  const auto counts = [&](Offset k) {
    const Index col = A.col_ind[k];
    return aggregate[col] >= 0 && strength.is_strong(A.values[k], row, col);
  };
  const auto part = [&](Offset k) { return -A.values[k] / strength.largest[row]; };
  constexpr int room = 32;
  Index candidates[room];
  double sums[room];
  int count = 0;
  for (Offset k = A.row_ptr[row]; k < A.row_ptr[row + 1]; ++k) {
    if (!counts(k)) continue;
    const Index candidate = aggregate[A.col_ind[k]];
    int place = 0;
    while (place < count && candidates[place] != candidate) ++place;
    if (place == room) return strongest_of_many(A, aggregate, row, counts, part);
    if (place == count) {
      candidates[count] = candidate;
      sums[count++] = 0;
    }
    sums[place] += part(k);
  }
  Index best = -1;
  Word most = 0;
  for (int place = 0; place < count; ++place) {
    const Word weight = binned(sums[place]);
    if (!goes_before(weight, candidates[place], most, best)) continue;
    best = candidates[place];
    most = weight;
  }
  return best;
}

template <>
void join_the_rest(Threads& exec, const linalg::CrsView<const double>& A, const Graph& graph,
                   View<const double> diagonal, const Strength& strength, View<const Index> before, View<Index> after) {
  for_each(exec, A.rows, [=](Offset row) {
    const Joins kind = joins(A, graph, diagonal, before, row);
    const Strength held{strength.largest, kind == Joins::any_entries ? 0 : strength.theta_square};
    after[row] = kind == Joins::nothing ? before[row] : strongest_aggregate(A, held, before, row);
  });
}

}  // namespace detail

TESSERA_INSTANTIATE_AGGREGATION(Threads);

}  // namespace tessera::solvers::amg
