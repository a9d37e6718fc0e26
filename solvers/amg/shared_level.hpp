#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "base/index_map.hpp"
#include "linalg/crs.hpp"
#include "linalg/halo.hpp"
#include "solvers/amg/row_exchange.hpp"

namespace tessera::solvers::amg {

/// What a level whose rows ranks share has beside its matrix [owned rows, owned rows and ghosts].
template <class Exec>
struct SharedLevel {
  using Space = typename Exec::Space;
  using Rows = typename RowExchange<Exec>::Rows;

  /// Its nodes are those of this rank from firsts[rank] on, and `ghosts`, ascending numbers among those of all ranks.
  void number(std::vector<Offset> firsts, int rank, const std::vector<Offset>& ghosts);
  Numbering numbering() const { return {nodes.owned(), nodes.first_owned(), ghosts.view(), below}; }
  /// The rows of ghosts, which do not change any more.
  const typename RowExchange<Exec>::Plan& rows_of_ghosts(Link& link) {
    if (!ghost_rows) ghost_rows.emplace(amg::rows_of_ghosts<Exec>(link, nodes));
    return *ghost_rows;
  }

  IndexMap nodes;                                           ///< of its own and ghosts among those of all ranks
  std::vector<Offset> firsts;                               ///< the first node of each rank, and behind the last
  Array<Offset, Space> ghosts;                              ///< of `nodes`
  Offset below = 0;                                         ///< how many of them belong to ranks below this one
  int unknowns = 1;                                         ///< of a node
  linalg::Halo<Exec>*halo = nullptr, *node_halo = nullptr;  ///< of its vectors, and of those of a number a node
  std::unique_ptr<linalg::Halo<Exec>> own_halo, own_node_halo;
  Offset first_row = 0;          ///< of this rank among those of all
  Offset rows = 0, entries = 0;  ///< of all ranks

  // To the next level, where ranks share that, too: the rows of ghosts of P, of A P, and of A if it is not symmetric.
  std::optional<typename RowExchange<Exec>::Plan> ghost_rows;
  std::optional<RowExchange<Exec>> of_P, of_AP, of_A;
  Rows rows_of_P, rows_of_AP, rows_of_A;
  Offset entries_of_P = 0;  ///< in its pattern without the rows of ghosts

  // Where each rank goes on alone: the next level is this one with the rows of all ranks.
  std::optional<RowExchange<Exec>> of_all;
  ExchangePlan gathering;       ///< of a vector, in nodes
  Array<Index, Space> numbers;  ///< [rows and ghosts] among those of all ranks
  bool is_gathered() const { return of_all.has_value(); }
};

/// Which rank has which nodes: rank r those from firsts[r] on. [ranks + 1]
std::vector<Offset> first_nodes(Communicator& ranks, Offset owned);
/// How a rank numbers nodes with those ghosts, ascending numbers among the nodes of all ranks.
IndexMap map_with_ghosts(const std::vector<Offset>& firsts, int rank, const std::vector<Offset>& ghosts);

// Passes over what is there once a set-up, on each backend.

/// A matrix in two parts: that within a rank, and the columns of ghosts of some rows.
struct TwoParts {
  linalg::CrsView<const double> own, ghost;
  View<const Index> boundary;  ///< the rows of `ghost`, ascending
};
/// Its pattern [rows, columns and ghosts].
template <class Exec>
linalg::Crs<typename Exec::Space> join_ghosts(Exec& exec, const TwoParts& A);
/// Its values, `numbers` an entry.
template <class Exec>
void join_values(Exec& exec, const TwoParts& A, Offset numbers, View<const Offset> row_ptr, View<double> to);
/// Adds rows to the pattern; room for values of all is made where there are values.
template <class Exec, class T>
void append_rows(Exec& exec, const typename RowExchange<Exec>::Rows& rows, linalg::Crs<typename Exec::Space, T>& to);
/// x_i = first + i.
template <class Exec>
void number_rows(Exec& exec, Offset first, View<double> x);
/// x_i = first + aggregate_i, or -1 where there is none.
template <class Exec>
void number_aggregates(Exec& exec, Offset first, View<const Index> aggregate, View<double> x);
/// An aggregate of its own, numbered from `first` on, for each row that has none but an entry in the graph. Returns how
/// many.
template <class Exec>
Index add_single_aggregates(Exec& exec, View<const Offset> graph, Index first, View<Index> aggregate);
/// Columns from `owned` on become to[column - owned].
template <class Exec>
void rename_ghosts(Exec& exec, Index owned, View<const Index> to, View<Index> columns);
/// The distinct ones of numbers as number_aggregates makes them, ascending, on the host.
template <class Exec>
std::vector<Offset> distinct_aggregates(Exec& exec, View<const double> numbers);
/// to_i = the local number of such a number; -1 where there is none.
template <class Exec>
void name_aggregates(Exec& exec, const Numbering& of, View<const double> numbers, View<Index> to);
/// used_k = 1 where row k of P, from the row `first` on, has a column below `owned`. used [rows - first]; columns
/// ascend.
template <class Exec>
void find_used(Exec& exec, View<const Offset> row_ptr, View<const Index> col_ind, Index first, Index owned,
               View<Index> used);
/// to_i = the number among those of all ranks of row i, `unknowns` of them a node.
template <class Exec>
void number_unknowns(Exec& exec, const Numbering& nodes, int unknowns, View<Index> to);

}  // namespace tessera::solvers::amg
