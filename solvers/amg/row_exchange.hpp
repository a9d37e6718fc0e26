#pragma once
#include <functional>
#include <vector>

#include "base/array.hpp"
#include "base/backend.hpp"
#include "base/index_map.hpp"
#include "base/link.hpp"

namespace tessera::solvers::amg {

/// Rows of a sparse matrix that ranks send each other: their pattern once, through the host, and their values as often
/// as asked, where they live. 16 B an entry that is sent or received.
template <class Exec>
class RowExchange {
  using Space = typename Exec::Space;

 public:
  struct Plan {
    std::vector<Index> rows;  ///< that are sent, rank after rank
    ExchangePlan places;      ///< in `rows`, and among the rows that are received
    Offset received = 0;      ///< rows
    Offset own = -1;          ///< the first of this rank's `rows` among those that it receives; -1: they are not
  };

  /// Collective. The rows of a matrix are given by their starts [rows + 1] and columns, which `columns` numbers among
  /// those of all ranks.
  RowExchange(Exec& exec, Link& link, const Plan& plan, View<const Offset> row_ptr, View<const Index> col_ind,
              const IndexMap& columns);

  Offset rows() const { return static_cast<Offset>(row_ptr_.size()) - 1; }
  /// The columns of a row that is received, as numbers among those of all ranks; in no order.
  std::span<const Offset> columns(Offset row) const;
  const std::vector<Offset>& columns() const { return columns_; }

  /// What is received as rows with ascending columns of this rank. `local_of(row, column)`: -1 leaves an entry out.
  struct Rows {
    std::vector<Offset> row_ptr{0};
    std::vector<Index> col_ind = {};
  };
  Rows arrange(const std::function<Index(Offset, Offset)>& local_of);
  /// The values of those rows, of `block` numbers an entry, from those of the whole matrix of each rank. Collective.
  template <class V>
  void bring(Exec& exec, View<const V> from, View<V> to, Offset block = 1);

 private:
  void exchange_pattern(const Plan& plan, const std::vector<Index>& lengths, const std::vector<Offset>& sent);

  Link& link_;
  ExchangePlan entries_;            ///< places of entries in what is sent and received
  Array<Offset, Space> sent_;       ///< places in the values of the matrix
  Array<Offset, Space> places_;     ///< of what is received in Rows; -1: nowhere
  Offset own_ = -1;                 ///< where the sent entries stand among those that are received
  std::vector<Offset> row_ptr_{0};  ///< of what is received
  std::vector<Offset> columns_;
};

/// The rows of ghosts. Collective.
template <class Exec>
typename RowExchange<Exec>::Plan rows_of_ghosts(Communicator& ranks, const IndexMap& nodes);
/// All rows of all ranks, rank r those from firsts[r] on. firsts [ranks + 1].
template <class Exec>
typename RowExchange<Exec>::Plan all_rows(const std::vector<Offset>& firsts, int rank);

}  // namespace tessera::solvers::amg
