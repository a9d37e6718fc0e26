#pragma once
#include <vector>

#include "base/array.hpp"
#include "base/backend.hpp"
#include "base/index_map.hpp"
#include "base/link.hpp"
#include "base/lower_bound.hpp"

namespace tessera::solvers::amg {

/// An IndexMap where kernels see it.
struct Numbering {
  Index owned = 0;
  Offset first = 0;           ///< global number of the first that is owned
  View<const Offset> ghosts;  ///< global numbers, ascending
  Offset below = 0;           ///< how many of them lie below `first`

  TESSERA_HD Offset global_of(Index local) const { return local < owned ? first + local : ghosts[local - owned]; }
  /// -1 where this rank does not see that number.
  TESSERA_HD Index local_of(Offset global) const {
    if (global >= first && global < first + owned) return static_cast<Index>(global - first);
    const Offset place = lower_bound(ghosts.data(), 0, ghosts.size(), global);
    return place < ghosts.size() && ghosts[place] == global ? owned + static_cast<Index>(place) : -1;
  }
};

/// Rows of a sparse matrix that ranks send each other: their pattern once and their values as often as asked, both
/// where they live, so that of the host only sizes are asked. 16 B an entry that is sent or received.
///
/// Entries of a row travel with ascending numbers among those of all ranks. There and here each row of ascending local
/// columns is that with its parts turned round, and nobody sorts.
template <class Exec>
class RowExchange {
  using Space = typename Exec::Space;

 public:
  struct Plan {
    Array<Index, Space> rows;  ///< that are sent, rank after rank
    ExchangePlan places;       ///< in `rows`, and among the rows that are received; prepared for 8 B
    Offset received = 0;       ///< rows
    Offset own = -1;           ///< the first of this rank's `rows` among those that it receives; -1: they are not
  };

  /// Collective. The rows of a matrix are given by their starts [rows + 1] and columns, which ascend.
  RowExchange(Exec& exec, Link& link, const Plan& plan, View<const Offset> row_ptr, View<const Index> col_ind,
              const Numbering& columns);

  Offset rows() const { return row_ptr_.size() - 1; }
  /// The columns of rows that are received and that `columns` does not see, each once and ascending, on the host;
  /// `used` [rows]: of those rows alone where it is not 0. Before `arrange`.
  std::vector<Offset> unseen(Exec& exec, const Numbering& columns, View<const Index> used = {}) const;

  /// What is received as rows with ascending columns of this rank, without entries that it does not see; rows that are
  /// not used are empty.
  struct Rows {
    Array<Offset, Space> row_ptr;
    Array<Index, Space> col_ind;
  };
  Rows arrange(Exec& exec, const Numbering& columns, View<const Index> used = {});
  /// The values of those rows, of `block` numbers an entry, from those of the whole matrix of each rank. Collective.
  template <class V>
  void bring(Exec& exec, View<const V> from, View<V> to, Offset block = 1);

 private:
  void exchange_lengths(Exec& exec, const Plan& plan, const Array<Index, Space>& lengths,
                        const Array<Offset, Space>& starts);
  void exchange_columns(Exec& exec, const Array<Offset, Space>& numbers);

  Link& link_;
  ExchangePlan entries_;          ///< places of entries in what is sent and received
  std::size_t prepared_ = 0;      ///< bytes of an entry that the link is prepared for
  Array<Offset, Space> sent_;     ///< places in the values of the matrix
  Array<Offset, Space> places_;   ///< of what is received in Rows; -1: nowhere
  Offset own_ = -1;               ///< where the sent entries stand among those that are received
  Array<Offset, Space> row_ptr_;  ///< of what is received
  Array<Offset, Space> columns_;  ///< global; until they are arranged
};

/// The rows of ghosts. Collective.
template <class Exec>
typename RowExchange<Exec>::Plan rows_of_ghosts(Link& link, const IndexMap& nodes);
/// All rows of all ranks, rank r those from firsts[r] on, of vectors with `bytes` a row. firsts [ranks + 1].
/// Collective.
template <class Exec>
typename RowExchange<Exec>::Plan all_rows(Link& link, const std::vector<Offset>& firsts, std::size_t bytes);

/// Numbers that are not negative, each once and ascending, on the host. Its own on each backend.
template <class Exec>
std::vector<Offset> distinct(Exec& exec, View<const Offset> numbers);

}  // namespace tessera::solvers::amg
