#pragma once
// Bodies of row_exchange.hpp, written once; instantiated by row_exchange_threads.cpp and row_exchange_cuda.cu.
#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "base/parallel.hpp"
#include "base/team.hpp"
#include "linalg/halo_plan.hpp"
#include "solvers/amg/row_exchange.hpp"

namespace tessera::solvers::amg {
namespace detail {

/// lengths and firsts of the rows of a list.
template <class Exec>
void describe_rows(Exec& exec, View<const Offset> row_ptr, View<const Index> rows, View<Index> lengths,
                   View<Offset> firsts) {
  for_each(exec, rows.size(), [=] TESSERA_HD(Offset k) {
    const Offset first = row_ptr[rows[k]];
    firsts[k] = first;
    lengths[k] = static_cast<Index>(row_ptr[rows[k] + 1] - first);
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

template <class T>
void append(Communicator::Bytes& bytes, std::span<const T> values) {
  const char* const first = reinterpret_cast<const char*>(values.data());
  bytes.insert(bytes.end(), first, first + values.size_bytes());
}

}  // namespace detail

template <class Exec>
RowExchange<Exec>::RowExchange(Exec& exec, Link& link, const Plan& plan, View<const Offset> row_ptr,
                               View<const Index> col_ind, const IndexMap& columns)
    : link_(link) {
  const auto rows = to_space<Space>(plan.rows);
  Array<Index, Space> lengths_of(rows.size());
  Array<Offset, Space> firsts_of(rows.size());
  detail::describe_rows(exec, row_ptr, rows.view(), lengths_of.view(), firsts_of.view());
  const auto lengths = to_vector(lengths_of);
  const auto firsts = to_vector(firsts_of);
  std::vector<Offset> places;
  places.reserve(static_cast<std::size_t>(std::accumulate(lengths.begin(), lengths.end(), Offset{0})));
  for (std::size_t k = 0; k < lengths.size(); ++k)
    for (Index e = 0; e < lengths[k]; ++e) places.push_back(firsts[k] + e);
  sent_ = to_space<Space>(places);
  Array<Index, Space> local(sent_.size());
  detail::take(exec, std::as_const(sent_).view(), 1, col_ind, local.view());
  std::vector<Offset>& numbers = places;  // which they are no more
  const auto taken = to_vector(local);
  for (std::size_t k = 0; k < taken.size(); ++k) numbers[k] = columns.global_of(taken[k]);
  exchange_pattern(plan, lengths, numbers);
}

template <class Exec>
void RowExchange<Exec>::exchange_pattern(const Plan& plan, const std::vector<Index>& lengths,
                                         const std::vector<Offset>& sent) {
  const auto at = [](Offset place) { return static_cast<std::size_t>(place); };
  std::vector<Offset> starts{0};
  for (const Index length : lengths) starts.push_back(starts.back() + length);
  std::vector<Communicator::Bytes> to(at(link_.ranks().size()));
  for (const ExchangePlan::Range& range : plan.places.send) {
    const Offset first = starts[at(range.first)], count = starts[at(range.last)] - first;
    detail::append(to[at(range.rank)], std::span(lengths).subspan(at(range.first), at(range.last - range.first)));
    detail::append(to[at(range.rank)], std::span(sent).subspan(at(first), at(count)));
    if (count > 0) entries_.send.push_back({range.rank, first, first + count});
  }
  const std::vector<Communicator::Bytes> from = link_.ranks().exchange(std::move(to));

  std::vector<Index> of_row(at(plan.received), 0);
  for (const ExchangePlan::Range& range : plan.places.receive)
    std::memcpy(of_row.data() + range.first, from[at(range.rank)].data(), at(range.last - range.first) * sizeof(Index));
  if (plan.own >= 0) std::copy(lengths.begin(), lengths.end(), of_row.begin() + plan.own);
  for (const Index length : of_row) row_ptr_.push_back(row_ptr_.back() + length);
  columns_.resize(at(row_ptr_.back()));
  for (const ExchangePlan::Range& range : plan.places.receive) {
    const Offset first = row_ptr_[at(range.first)], last = row_ptr_[at(range.last)];
    if (last == first) continue;
    std::memcpy(columns_.data() + first, from[at(range.rank)].data() + at(range.last - range.first) * sizeof(Index),
                at(last - first) * sizeof(Offset));
    entries_.receive.push_back({range.rank, first, last});
  }
  if (plan.own < 0) return;
  own_ = row_ptr_[at(plan.own)];
  std::copy(sent.begin(), sent.end(), columns_.begin() + own_);
}

template <class Exec>
std::span<const Offset> RowExchange<Exec>::columns(Offset row) const {
  const auto first = static_cast<std::size_t>(row_ptr_[static_cast<std::size_t>(row)]),
             last = static_cast<std::size_t>(row_ptr_[static_cast<std::size_t>(row) + 1]);
  return std::span(columns_).subspan(first, last - first);
}

template <class Exec>
typename RowExchange<Exec>::Rows RowExchange<Exec>::arrange(const std::function<Index(Offset, Offset)>& local_of) {
  // Rows of ghosts are many on the finest levels: all threads of the rank look their columns up.
  const auto at = [](Offset place) { return static_cast<std::size_t>(place); };
  std::vector<Index> local(columns_.size());
  Rows result;
  result.row_ptr.assign(row_ptr_.size(), 0);
  parallel_for(default_threads(), rows(), [&](Offset row) {
    Offset& length = result.row_ptr[at(row + 1)];
    for (Offset k = row_ptr_[at(row)]; k < row_ptr_[at(row + 1)]; ++k)
      if ((local[at(k)] = local_of(row, columns_[at(k)])) >= 0) ++length;
  });
  std::partial_sum(result.row_ptr.begin(), result.row_ptr.end(), result.row_ptr.begin());
  result.col_ind.resize(at(result.row_ptr.back()));
  std::vector<Offset> places(columns_.size(), -1);
  parallel_ranges(default_threads(), rows(), [&](Offset low, Offset high, int) {
    std::vector<std::pair<Index, Offset>> entries;
    for (Offset row = low; row < high; ++row) {
      entries.clear();
      for (Offset k = row_ptr_[at(row)]; k < row_ptr_[at(row + 1)]; ++k)
        if (local[at(k)] >= 0) entries.emplace_back(local[at(k)], k);
      std::sort(entries.begin(), entries.end());
      Offset next = result.row_ptr[at(row)];
      for (const auto& [column, place] : entries) {
        places[at(place)] = next;
        result.col_ind[at(next++)] = column;
      }
    }
  });
  places_ = to_space<Space>(places);
  return result;
}

template <class Exec>
template <class V>
void RowExchange<Exec>::bring(Exec& exec, View<const V> from, View<V> to, Offset block) {
  Array<V, Space> packed(sent_.size() * block), received(places_.size() * block);
  detail::take(exec, sent_.view(), block, from, packed.view());
  link_.prepare(entries_, sizeof(V) * static_cast<std::size_t>(block));
  link_.start(entries_, packed.data(), received.data(), sizeof(V) * static_cast<std::size_t>(block));
  link_.finish();
  if (own_ >= 0) {
    const View<const V> own = std::as_const(packed).view();
    const View<V> place = received.view().part(own_ * block, own.size());
    for_each(exec, own.size(), [=] TESSERA_HD(Offset k) { place[k] = own[k]; });
  }
  detail::put(exec, places_.view(), block, std::as_const(received).view(), to);
}

template <class Exec>
typename RowExchange<Exec>::Plan rows_of_ghosts(Communicator& ranks, const IndexMap& nodes) {
  linalg::HaloPlan plan = linalg::make_halo_plan(ranks, nodes, 1);
  return {std::move(plan.rows), std::move(plan.exchange), static_cast<Offset>(nodes.ghosts().size()), -1};
}

template <class Exec>
typename RowExchange<Exec>::Plan all_rows(const std::vector<Offset>& firsts, int rank) {
  const auto at = [&](int r) { return firsts[static_cast<std::size_t>(r)]; };
  typename RowExchange<Exec>::Plan plan;
  const Offset count = at(rank + 1) - at(rank);
  plan.rows.resize(static_cast<std::size_t>(count));
  std::iota(plan.rows.begin(), plan.rows.end(), 0);
  plan.received = firsts.back();
  plan.own = at(rank);
  for (int r = 0; r + 1 < static_cast<int>(firsts.size()); ++r) {
    if (r == rank) continue;
    if (count > 0) plan.places.send.push_back({r, 0, count});
    if (at(r + 1) > at(r)) plan.places.receive.push_back({r, at(r), at(r + 1)});
  }
  return plan;
}

#define TESSERA_INSTANTIATE_ROW_EXCHANGE(Exec)                                             \
  template class RowExchange<Exec>;                                                        \
  template void RowExchange<Exec>::bring(Exec&, View<const double>, View<double>, Offset); \
  template void RowExchange<Exec>::bring(Exec&, View<const float>, View<float>, Offset);   \
  template RowExchange<Exec>::Plan rows_of_ghosts<Exec>(Communicator&, const IndexMap&);   \
  template RowExchange<Exec>::Plan all_rows<Exec>(const std::vector<Offset>&, int)

}  // namespace tessera::solvers::amg
