#pragma once
#include "solvers/amg/strength.hpp"

namespace tessera::solvers::amg {

/// Which aggregate each row belongs to.
template <class Space>
struct Aggregates {
  Array<Index, Space> of_row;  ///< [columns of the matrix], -1: none; of those behind its rows undefined
  Index count = 0;
};

/// Aggregates of the strong graph (Kelley & Rajamanickam, Parallel, portable algorithms for distance-2 maximal
/// independent set and graph coarsening, IPDPS 2022): roots are a maximal set of rows no two of which are within two
/// steps of each other, found in rounds in which a row with the least of fresh hashed priorities within two steps
/// enters; a root takes its neighbours. Rows that are left make more aggregates by the same among themselves, where at
/// least two of them meet at a root. The rest joins the aggregate to which its strong entries add up to most, ties go
/// to the lower number. Rows without strong entries, as those of Dirichlet conditions, stay out; but those that are not
/// dominated by their diagonal join the aggregate of their largest entry. Integers and rounded sums decide, so that
/// every backend takes the same aggregates, whatever the number of threads. About 28 B a row for a moment.
/// Columns of A behind its rows, of ghosts, take no part: the graph has none of them.
template <class Exec>
Aggregates<typename Exec::Space> aggregate(Exec& exec, const linalg::CrsView<const double>& A,
                                           View<const double> diagonal, const Strength& strength,
                                           const StrongGraph<typename Exec::Space>& graph);

}  // namespace tessera::solvers::amg
