#pragma once
// Bodies of aggregation.hpp, written once; instantiated by aggregation_threads.cpp and aggregation_cuda.cu.
#include <bit>
#include <cmath>
#include <cstdint>
#include <utility>

#include "base/parallel.hpp"
#include "linalg/convert.hpp"
#include "solvers/amg/aggregation.hpp"

namespace tessera::solvers::amg {
namespace detail {

using Word = std::uint32_t;
// A row in the set has the least word, one that cannot be in it the greatest; priorities lie between.
inline constexpr Word chosen = 0, excluded = 0xffffffffu;
/// The least word around a row that takes no part: greater than every priority, and nobody is excluded by it.
inline constexpr Word bystander = 0xfffffffeu;

/// A one-to-one map of the 31 bits of row numbers, another one each round: so no two priorities are the same.
TESSERA_HD inline Word priority(Index row, Word round) {
  constexpr Word mask = 0x7fffffffu;
  Word bits = (static_cast<Word>(row) ^ (round * 0x9e3779b9u)) & mask;
  bits ^= bits >> 15;
  bits = (bits * 0x2c1b3c6du) & mask;
  bits ^= bits >> 12;
  bits = (bits * 0x297a2d39u) & mask;
  bits ^= bits >> 15;
  return bits + 1;
}

/// The strong graph as kernels take it.
struct Graph {
  View<const Offset> row_ptr;
  View<const Index> col_ind;
  TESSERA_HD bool has_neighbours(Offset row) const { return row_ptr[row + 1] > row_ptr[row]; }
};

/// word: chosen or excluded for every row that takes part, that is whose aggregate is -1 and that has neighbours.
template <class Exec>
void find_roots(Exec& exec, const Graph& graph, View<const Index> aggregate, View<Word> word, View<Word> least,
                double* left) {
  const Offset rows = word.size();
  for_each(exec, rows, [=] TESSERA_HD(Offset row) {
    const bool in = aggregate[row] < 0 && graph.has_neighbours(row);
    word[row] = in ? priority(static_cast<Index>(row), 0) : excluded;
    least[row] = in ? chosen : bystander;
  });
  double undecided = 1;
  for (Word round = 1; undecided > 0; ++round) {
    // The least word within one step; next to a chosen row it is `excluded`.
    for_each(exec, rows, [=] TESSERA_HD(Offset row) {
      if (least[row] >= bystander) return;
      Word found = word[row];
      for (Offset k = graph.row_ptr[row]; k < graph.row_ptr[row + 1]; ++k) {
        const Word other = word[graph.col_ind[k]];
        found = other < found ? other : found;
      }
      least[row] = found == chosen ? excluded : found;
    });
    // Who finds its own priority to be the least within two steps is chosen; who is near a chosen one is not.
    reduce(
        exec, rows,
        [=] TESSERA_HD(Offset row) {
          const Word mine = word[row];
          if (mine == chosen || mine == excluded) return 0.0;
          bool out = least[row] == excluded, first = least[row] >= mine;
          for (Offset k = graph.row_ptr[row]; !out && k < graph.row_ptr[row + 1]; ++k) {
            const Word other = least[graph.col_ind[k]];
            out = other == excluded;
            first = first && other >= mine;
          }
          word[row] = out ? excluded : first ? chosen : priority(static_cast<Index>(row), round);
          return out || first ? 0.0 : 1.0;
        },
        left);
    // Four rounds decide all but a few rows of any mesh: before that nobody needs to know.
    if (round >= 4) copy_bytes(typename Exec::Space{}, left, Host{}, &undecided, sizeof undecided);
  }
}

/// number [rows + 1]: how many rows before a row found an aggregate; returns how many in all. A root founds one where
/// `least_free` of its neighbours have none yet.
template <class Exec>
Index number_roots(Exec& exec, const Graph& graph, View<const Index> aggregate, View<const Word> word, Index least_free,
                   View<Offset> number) {
  for_each(exec, word.size(), [=] TESSERA_HD(Offset row) {
    bool founds = word[row] == chosen;
    if (founds && least_free > 0) {
      Index free = 0;
      for (Offset k = graph.row_ptr[row]; k < graph.row_ptr[row + 1]; ++k) free += aggregate[graph.col_ind[k]] < 0;
      founds = free >= least_free;
    }
    number[row] = founds;
  });
  return static_cast<Index>(linalg::counts_to_offsets(exec, number));
}

/// Founders and their free neighbours take the founder's number, counted from `first`.
template <class Exec>
void take_neighbours(Exec& exec, const Graph& graph, View<const Offset> number, Index first, View<Index> aggregate) {
  const auto founds = [=] TESSERA_HD(Offset row) { return number[row + 1] > number[row]; };
  for_each(exec, aggregate.size(), [=] TESSERA_HD(Offset row) {
    if (aggregate[row] >= 0) return;
    Offset root = founds(row) ? row : -1;
    for (Offset k = graph.row_ptr[row]; root < 0 && k < graph.row_ptr[row + 1]; ++k)
      if (founds(graph.col_ind[k])) root = graph.col_ind[k];
    if (root >= 0) aggregate[row] = first + static_cast<Index>(number[root]);
  });
}

/// A positive number in bins of about a thousandth: sums that are equal but for rounding are in the same one. The
/// factor moves the edges of the bins away from the round numbers that regular grids make.
TESSERA_HD inline Word binned(double value) { return std::bit_cast<Word>(static_cast<float>(value * 1.1938473)) >> 13; }

/// Whether the entries beside the diagonal weigh at least half of it: such a row needs a coarse grid.
TESSERA_HD inline bool leans_on_others(const linalg::CrsView<const double>& A, const View<const double>& diagonal,
                                       Offset row) {
  double sum = 0;
  for (Offset k = A.row_ptr[row]; k < A.row_ptr[row + 1]; ++k) sum += A.col_ind[k] == row ? 0 : fabs(A.values[k]);
  return sum > 0.4999 * diagonal[row];
}

/// What the rows that are left join, if anything; its own on each backend, with the same result.
enum class Joins { nothing, strong_entries, any_entries };
TESSERA_HD inline Joins joins(const linalg::CrsView<const double>& A, const Graph& graph,
                              const View<const double>& diagonal, const View<const Index>& before, Offset row) {
  if (before[row] >= 0) return Joins::nothing;
  if (graph.has_neighbours(row)) return Joins::strong_entries;
  return leans_on_others(A, diagonal, row) ? Joins::any_entries : Joins::nothing;
}
/// after = before, and for rows that join others the aggregate to which those entries add up to most.
template <class Exec>
void join_the_rest(Exec& exec, const linalg::CrsView<const double>& A, const Graph& graph, View<const double> diagonal,
                   const Strength& strength, View<const Index> before, View<Index> after);

}  // namespace detail

template <class Exec>
Aggregates<typename Exec::Space> aggregate(Exec& exec, const linalg::CrsView<const double>& A,
                                           View<const double> diagonal, const Strength& strength,
                                           const StrongGraph<typename Exec::Space>& graph) {
  using Space = typename Exec::Space;
  const Offset rows = A.rows;
  const detail::Graph adjacent{graph.row_ptr.view(), graph.col_ind.view()};
  Aggregates<Space> result;
  result.of_row = Array<Index, Space>(A.cols);
  Array<Index, Space> of_row(A.cols);
  Array<detail::Word, Space> word(rows), least(rows);
  Array<Offset, Space> number(rows + 1);
  Array<double, Space> left(1);
  const View<Index> none = of_row, own = none.part(0, rows);
  for_each(exec, none.size(), [=] TESSERA_HD(Offset row) { none[row] = -1; });
  for (const Index least_free : {0, 2}) {
    detail::find_roots(exec, adjacent, of_row.view(), word.view(), least.view(), left.data());
    const Index more = detail::number_roots(exec, adjacent, std::as_const(of_row).view(), std::as_const(word).view(),
                                            least_free, number.view());
    detail::take_neighbours(exec, adjacent, std::as_const(number).view(), result.count, own);
    result.count += more;
  }
  detail::join_the_rest(exec, A, adjacent, diagonal, strength, std::as_const(of_row).view(), result.of_row.view());
  return result;
}

#define TESSERA_INSTANTIATE_AGGREGATION(Exec)                                                                 \
  template Aggregates<Exec::Space> aggregate(Exec&, const linalg::CrsView<const double>&, View<const double>, \
                                             const Strength&, const StrongGraph<Exec::Space>&)

}  // namespace tessera::solvers::amg
