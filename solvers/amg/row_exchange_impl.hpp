#pragma once
// Bodies of row_exchange.hpp, written once; instantiated by row_exchange_threads.cpp and row_exchange_cuda.cu, which
// have `distinct`.
#include <algorithm>
#include <numeric>
#include <utility>

#include "base/parallel.hpp"
#include "linalg/convert.hpp"
#include "linalg/halo_plan.hpp"
#include "solvers/amg/row_exchange.hpp"

namespace tessera::solvers::amg {
namespace detail {

/// Lengths of the rows of a list, and the same as counts.
template <class Exec>
void measure_rows(Exec& exec, View<const Offset> row_ptr, View<const Index> rows, View<Index> lengths,
                  View<Offset> counts) {
  for_each(exec, rows.size(), [=] TESSERA_HD(Offset k) {
    const Offset length = row_ptr[rows[k] + 1] - row_ptr[rows[k]];
    counts[k] = length;
    lengths[k] = static_cast<Index>(length);
  });
}

/// places: where the entries of a list of rows stand in the matrix, in the order of their global columns, `numbers`.
/// Local columns ascend: owned ones, ghosts below these, ghosts above.
template <class Exec>
void list_entries(Exec& exec, View<const Offset> row_ptr, View<const Index> col_ind, View<const Index> rows,
                  View<const Offset> starts, Numbering columns, View<Offset> places, View<Offset> numbers) {
  for_each(exec, rows.size(), [=] TESSERA_HD(Offset k) {
    const Offset first = row_ptr[rows[k]], last = row_ptr[rows[k] + 1];
    const Offset ghosts = lower_bound(col_ind.data(), first, last, columns.owned);
    const Offset above = lower_bound(col_ind.data(), ghosts, last, columns.owned + columns.below);
    const Offset low = above - ghosts, own = ghosts - first;
    for (Offset e = first; e < last; ++e) {
      const Offset turned = e < ghosts ? e + low : e < above ? e - own : e;
      const Offset to = starts[k] + (turned - first);
      places[to] = e;
      numbers[to] = columns.global_of(col_ind[e]);
    }
  });
}

/// to_k = from at places[k], of entries of `block` numbers.
template <class Exec, class T>
void take(Exec& exec, View<const Offset> places, Offset block, View<const T> from, View<T> to) {
  for_each(exec, to.size(), [=] TESSERA_HD(Offset k) { to[k] = from[places[k / block] * block + k % block]; });
}
/// to at places[k] = from_k, but where the place is -1.
template <class Exec, class T>
void put(Exec& exec, View<const Offset> places, Offset block, View<const T> from, View<T> to) {
  for_each(exec, from.size(), [=] TESSERA_HD(Offset k) {
    const Offset place = places[k / block];
    if (place >= 0) to[place * block + k % block] = from[k];
  });
}
template <class Exec, class T, class U>
void assign(Exec& exec, View<const T> from, View<U> to) {
  for_each(exec, from.size(), [=] TESSERA_HD(Offset k) { to[k] = from[k]; });
}

/// Those at the ends of ranges, on the host.
template <class Exec>
std::vector<Offset> at_ends(Exec& exec, View<const Offset> from, const std::vector<ExchangePlan::Range>& ranges) {
  using Space = typename Exec::Space;
  std::vector<Offset> ends;
  for (const ExchangePlan::Range& range : ranges) ends.insert(ends.end(), {range.first, range.last});
  const auto places = to_space<Space>(ends);
  Array<Offset, Space> found(places.size());
  take(exec, places.view(), 1, from, found.view());
  return to_vector(found);
}
/// Ranges of rows as ranges of their entries; empty ones are left out.
template <class Exec>
std::vector<ExchangePlan::Range> entries_of(Exec& exec, View<const Offset> row_ptr,
                                            const std::vector<ExchangePlan::Range>& rows) {
  const std::vector<Offset> ends = at_ends(exec, row_ptr, rows);
  std::vector<ExchangePlan::Range> result;
  for (std::size_t r = 0; r < rows.size(); ++r)
    if (ends[2 * r + 1] > ends[2 * r]) result.push_back({rows[r].rank, ends[2 * r], ends[2 * r + 1]});
  return result;
}

/// counts[k]: 1 where entry k lies in a row that is used and this rank sees its column, or does not.
template <class Exec>
void count_entries(Exec& exec, View<const Offset> row_ptr, View<const Offset> columns, Numbering numbers,
                   View<const Index> used, bool sees, View<Offset> counts) {
  for_each(exec, row_ptr.size() - 1, [=] TESSERA_HD(Offset row) {
    const bool is_used = used.empty() || used[row] != 0;
    for (Offset k = row_ptr[row]; k < row_ptr[row + 1]; ++k)
      counts[k] = is_used && (numbers.local_of(columns[k]) >= 0) == sees;
  });
}

/// to = those whose count is 1, which places [size + 1] has the sums of.
template <class Exec>
void keep_counted(Exec& exec, View<const Offset> places, View<const Offset> from, View<Offset> to) {
  for_each(exec, from.size(), [=] TESSERA_HD(Offset k) {
    if (places[k + 1] > places[k]) to[places[k]] = from[k];
  });
}

/// The pattern of received rows with local columns, and where each entry goes. before [entries + 1]: how many are kept
/// before an entry.
template <class Exec>
void place_entries(Exec& exec, View<const Offset> row_ptr, View<const Offset> columns, Numbering numbers,
                   View<const Offset> before, View<Offset> starts, View<Index> col_ind, View<Offset> places) {
  for_each(exec, row_ptr.size(), [=] TESSERA_HD(Offset row) {
    starts[row] = before[row_ptr[row]];
    if (row + 1 == row_ptr.size()) return;
    const Offset first = row_ptr[row], last = row_ptr[row + 1];
    const Offset own = lower_bound(columns.data(), first, last, numbers.first);
    const Offset above = lower_bound(columns.data(), own, last, numbers.first + numbers.owned);
    const Offset low = before[own] - before[first], owned = before[above] - before[own];
    for (Offset k = first; k < last; ++k) {
      const bool is_kept = before[k + 1] > before[k];
      const Offset place = before[k] + (k < own ? owned : k < above ? -low : 0);
      places[k] = is_kept ? place : -1;
      if (is_kept) col_ind[place] = numbers.local_of(columns[k]);
    }
  });
}

}  // namespace detail

template <class Exec>
RowExchange<Exec>::RowExchange(Exec& exec, Link& link, const Plan& plan, View<const Offset> row_ptr,
                               View<const Index> col_ind, const Numbering& columns)
    : link_(link) {
  Array<Index, Space> lengths(plan.rows.size());
  Array<Offset, Space> starts(plan.rows.size() + 1);
  detail::measure_rows(exec, row_ptr, plan.rows.view(), lengths.view(), starts.view());
  sent_ = Array<Offset, Space>(linalg::counts_to_offsets(exec, starts.view()));
  Array<Offset, Space> numbers(sent_.size());
  detail::list_entries(exec, row_ptr, col_ind, plan.rows.view(), std::as_const(starts).view(), columns, sent_.view(),
                       numbers.view());
  exchange_lengths(exec, plan, lengths, starts);
  exchange_columns(exec, numbers);
}

template <class Exec>
void RowExchange<Exec>::exchange_lengths(Exec& exec, const Plan& plan, const Array<Index, Space>& lengths,
                                         const Array<Offset, Space>& starts) {
  Array<Index, Space> arriving(plan.received);
  link_.start(plan.places, lengths.data(), arriving.data(), sizeof(Index));
  link_.finish();
  if (plan.own >= 0) detail::assign(exec, lengths.view(), arriving.view().part(plan.own, lengths.size()));
  row_ptr_ = Array<Offset, Space>(plan.received + 1);
  detail::assign(exec, std::as_const(arriving).view(), row_ptr_.view());
  columns_ = Array<Offset, Space>(linalg::counts_to_offsets(exec, row_ptr_.view()));
  entries_.send = detail::entries_of(exec, starts.view(), plan.places.send);
  entries_.receive = detail::entries_of(exec, std::as_const(row_ptr_).view(), plan.places.receive);
  if (plan.own >= 0) own_ = detail::at_ends(exec, std::as_const(row_ptr_).view(), {{0, plan.own, plan.own}}).front();
}

template <class Exec>
void RowExchange<Exec>::exchange_columns(Exec& exec, const Array<Offset, Space>& numbers) {
  prepared_ = sizeof(Offset);
  link_.prepare(entries_, prepared_);
  link_.start(entries_, numbers.data(), columns_.data(), sizeof(Offset));
  link_.finish();
  if (own_ >= 0) detail::assign(exec, numbers.view(), columns_.view().part(own_, numbers.size()));
}

template <class Exec>
std::vector<Offset> RowExchange<Exec>::unseen(Exec& exec, const Numbering& columns, View<const Index> used) const {
  Array<Offset, Space> places(columns_.size() + 1);
  detail::count_entries(exec, row_ptr_.view(), columns_.view(), columns, used, false, places.view());
  Array<Offset, Space> found(linalg::counts_to_offsets(exec, places.view()));
  detail::keep_counted(exec, std::as_const(places).view(), columns_.view(), found.view());
  return distinct(exec, std::as_const(found).view());
}

template <class Exec>
typename RowExchange<Exec>::Rows RowExchange<Exec>::arrange(Exec& exec, const Numbering& columns,
                                                            View<const Index> used) {
  Array<Offset, Space> before(columns_.size() + 1);
  detail::count_entries(exec, row_ptr_.view(), columns_.view(), columns, used, true, before.view());
  Rows result{Array<Offset, Space>(row_ptr_.size()),
              Array<Index, Space>(linalg::counts_to_offsets(exec, before.view()))};
  places_ = Array<Offset, Space>(columns_.size());
  detail::place_entries(exec, std::as_const(row_ptr_).view(), std::as_const(columns_).view(), columns,
                        std::as_const(before).view(), result.row_ptr.view(), result.col_ind.view(), places_.view());
  columns_ = {};
  return result;
}

template <class Exec>
template <class V>
void RowExchange<Exec>::bring(Exec& exec, View<const V> from, View<V> to, Offset block) {
  Array<V, Space> packed(sent_.size() * block), received(places_.size() * block);
  const std::size_t bytes = sizeof(V) * static_cast<std::size_t>(block);
  detail::take(exec, sent_.view(), block, from, packed.view());
  if (bytes > prepared_) link_.prepare(entries_, bytes);
  prepared_ = std::max(prepared_, bytes);
  link_.start(entries_, packed.data(), received.data(), bytes);
  link_.finish();
  if (own_ >= 0) detail::assign(exec, std::as_const(packed).view(), received.view().part(own_ * block, packed.size()));
  detail::put(exec, places_.view(), block, std::as_const(received).view(), to);
}

template <class Exec>
typename RowExchange<Exec>::Plan rows_of_ghosts(Link& link, const IndexMap& nodes) {
  linalg::HaloPlan plan = linalg::make_halo_plan(link.ranks(), nodes, 1);
  link.prepare(plan.exchange, sizeof(Offset));
  return {to_space<typename Exec::Space>(plan.rows), std::move(plan.exchange),
          static_cast<Offset>(nodes.ghosts().size()), -1};
}

template <class Exec>
typename RowExchange<Exec>::Plan all_rows(Link& link, const std::vector<Offset>& firsts, std::size_t bytes) {
  const int rank = link.ranks().rank();
  const auto at = [&](int r) { return firsts[static_cast<std::size_t>(r)]; };
  typename RowExchange<Exec>::Plan plan;
  const Offset count = at(rank + 1) - at(rank);
  std::vector<Index> rows(static_cast<std::size_t>(count));
  std::iota(rows.begin(), rows.end(), 0);
  plan.rows = to_space<typename Exec::Space>(rows);
  plan.received = firsts.back();
  plan.own = at(rank);
  for (int r = 0; r + 1 < static_cast<int>(firsts.size()); ++r) {
    if (r == rank) continue;
    if (count > 0) plan.places.send.push_back({r, 0, count});
    if (at(r + 1) > at(r)) plan.places.receive.push_back({r, at(r), at(r + 1)});
  }
  link.prepare(plan.places, bytes);
  return plan;
}

#define TESSERA_INSTANTIATE_ROW_EXCHANGE(Exec)                                             \
  template class RowExchange<Exec>;                                                        \
  template void RowExchange<Exec>::bring(Exec&, View<const double>, View<double>, Offset); \
  template void RowExchange<Exec>::bring(Exec&, View<const float>, View<float>, Offset);   \
  template RowExchange<Exec>::Plan rows_of_ghosts<Exec>(Link&, const IndexMap&);           \
  template RowExchange<Exec>::Plan all_rows<Exec>(Link&, const std::vector<Offset>&, std::size_t)

}  // namespace tessera::solvers::amg
