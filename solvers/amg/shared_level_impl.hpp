#pragma once
// Bodies of shared_level.hpp, written once; instantiated by shared_level_threads.cpp and shared_level_cuda.cu.
#include <utility>

#include "base/lower_bound.hpp"
#include "base/parallel.hpp"
#include "linalg/convert.hpp"
#include "linalg/row_walk.hpp"
#include "solvers/amg/shared_level.hpp"

namespace tessera::solvers::amg {
namespace detail {

/// The first of `from` where they are, and room behind them.
template <class T, class Space>
Array<T, Space> enlarged(const Array<T, Space>& from, Offset count, Offset size) {
  Array<T, Space> result(size);
  copy_bytes(Space{}, from.data(), Space{}, result.data(), static_cast<std::size_t>(count) * sizeof(T));
  return result;
}

/// In each row what is within the rank and, behind it, what is beside, shifted; `numbers` an entry.
template <class Exec, class T>
void join(Exec& exec, const TwoParts& A, Offset numbers, View<const Offset> starts, View<const T> within,
          View<const T> beside, Index shift, View<T> to) {
  const linalg::CrsView<const double> own = A.own, ghost = A.ghost;
  const View<const Index> boundary = A.boundary;
  for_each_entry(exec, own, [=] TESSERA_HD(Offset row, Offset k) {
    const Offset place = k + starts[row] - own.row_ptr[row];
    for (Offset e = 0; e < numbers; ++e) to[place * numbers + e] = within[k * numbers + e];
  });
  for_each(exec, ghost.rows, [=] TESSERA_HD(Offset row) {
    const Offset first = ghost.row_ptr[row], last = ghost.row_ptr[row + 1];
    Offset place = (starts[boundary[row] + 1] - (last - first)) * numbers;
    for (Offset k = first * numbers; k < last * numbers; ++k) to[place++] = static_cast<T>(shift + beside[k]);
  });
}

}  // namespace detail

template <class Exec>
void join_values(Exec& exec, const TwoParts& A, Offset numbers, View<const Offset> row_ptr, View<double> to) {
  detail::join(exec, A, numbers, row_ptr, A.own.values, A.ghost.values, 0, to);
}

template <class Exec>
linalg::Crs<typename Exec::Space> join_ghosts(Exec& exec, const TwoParts& A) {
  using Space = typename Exec::Space;
  const linalg::CrsView<const double> own = A.own, ghost = A.ghost;
  const View<const Index> boundary = A.boundary;
  linalg::Crs<Space> result;
  result.rows = own.rows;
  result.cols = own.rows + ghost.cols;
  result.row_ptr = Array<Offset, Space>(Offset{own.rows} + 1);
  result.col_ind = Array<Index, Space>(own.col_ind.size() + ghost.col_ind.size());
  const View<Offset> starts = result.row_ptr;
  for_each(exec, starts.size(), [=] TESSERA_HD(Offset row) {
    starts[row] = own.row_ptr[row] + ghost.row_ptr[lower_bound(boundary.data(), 0, boundary.size(), row)];
  });
  detail::join(exec, A, 1, View<const Offset>(starts), own.col_ind, ghost.col_ind, own.rows, result.col_ind.view());
  return result;
}

template <class Exec>
void SharedLevel<Exec>::number(std::vector<Offset> of_ranks, int rank, const std::vector<Offset>& seen) {
  firsts = std::move(of_ranks);
  nodes = map_with_ghosts(firsts, rank, seen);
  ghosts = to_space<Space>(seen);
  below = lower_bound(seen.data(), 0, static_cast<Offset>(seen.size()), nodes.first_owned());
}

template <class Exec, class T>
void append_rows(Exec& exec, const typename RowExchange<Exec>::Rows& rows, linalg::Crs<typename Exec::Space, T>& to) {
  const Index before = to.rows, more = static_cast<Index>(rows.row_ptr.size()) - 1;
  const Offset entries = to.col_ind.size(), all = entries + rows.col_ind.size();
  to.row_ptr = detail::enlarged(to.row_ptr, Offset{before} + 1, Offset{before} + more + 1);
  to.col_ind = detail::enlarged(to.col_ind, entries, all);
  if (!to.values.empty() || entries == 0) to.values = detail::enlarged(to.values, to.values.size(), all);
  to.rows = before + more;
  const View<const Offset> starts = rows.row_ptr.view();
  const View<const Index> columns = rows.col_ind.view();
  const View<Offset> row_ptr = to.row_ptr;
  const View<Index> col_ind = to.col_ind;
  for_each(exec, more, [=] TESSERA_HD(Offset row) { row_ptr[before + row + 1] = entries + starts[row + 1]; });
  for_each(exec, columns.size(), [=] TESSERA_HD(Offset k) { col_ind[entries + k] = columns[k]; });
}

template <class Exec>
void number_rows(Exec& exec, Offset first, View<double> x) {
  for_each(exec, x.size(), [=] TESSERA_HD(Offset row) { x[row] = static_cast<double>(first + row); });
}
template <class Exec>
void number_aggregates(Exec& exec, Offset first, View<const Index> aggregate, View<double> x) {
  for_each(exec, x.size(), [=] TESSERA_HD(Offset row) {
    x[row] = aggregate[row] < 0 ? -1.0 : static_cast<double>(first + aggregate[row]);
  });
}

template <class Exec>
Index add_single_aggregates(Exec& exec, View<const Offset> graph, Index first, View<Index> aggregate) {
  Array<Offset, typename Exec::Space> numbers(aggregate.size() + 1);
  const View<Offset> number = numbers;
  for_each(exec, aggregate.size(),
           [=] TESSERA_HD(Offset row) { number[row] = aggregate[row] < 0 && graph[row + 1] > graph[row]; });
  const auto count = static_cast<Index>(linalg::counts_to_offsets(exec, number));
  if (count == 0) return 0;
  for_each(exec, aggregate.size(), [=] TESSERA_HD(Offset row) {
    if (number[row + 1] > number[row]) aggregate[row] = first + static_cast<Index>(number[row]);
  });
  return count;
}

template <class Exec>
void rename_ghosts(Exec& exec, Index owned, View<const Index> to, View<Index> columns) {
  for_each(exec, columns.size(), [=] TESSERA_HD(Offset k) {
    if (columns[k] >= owned) columns[k] = to[columns[k] - owned];
  });
}

template <class Exec>
std::vector<Offset> distinct_aggregates(Exec& exec, View<const double> numbers) {
  using Space = typename Exec::Space;
  Array<Offset, Space> places(numbers.size() + 1);
  const View<Offset> place = places;
  for_each(exec, numbers.size(), [=] TESSERA_HD(Offset k) { place[k] = numbers[k] >= 0; });
  Array<Offset, Space> found(linalg::counts_to_offsets(exec, place));
  const View<Offset> to = found;
  for_each(exec, numbers.size(), [=] TESSERA_HD(Offset k) {
    if (numbers[k] >= 0) to[place[k]] = static_cast<Offset>(numbers[k]);
  });
  return distinct(exec, std::as_const(found).view());
}

template <class Exec>
void name_aggregates(Exec& exec, const Numbering& of, View<const double> numbers, View<Index> to) {
  const Numbering by = of;
  for_each(exec, to.size(), [=] TESSERA_HD(Offset k) {
    to[k] = numbers[k] < 0 ? Index{-1} : by.local_of(static_cast<Offset>(numbers[k]));
  });
}

template <class Exec>
void find_used(Exec& exec, View<const Offset> row_ptr, View<const Index> col_ind, Index first, Index owned,
               View<Index> used) {
  for_each(exec, used.size(), [=] TESSERA_HD(Offset k) {
    const Offset begin = row_ptr[first + k];
    used[k] = begin < row_ptr[first + k + 1] && col_ind[begin] < owned;
  });
}

template <class Exec>
void number_unknowns(Exec& exec, const Numbering& nodes, int unknowns, View<Index> to) {
  const Numbering by = nodes;
  for_each(exec, to.size(), [=] TESSERA_HD(Offset k) {
    to[k] = static_cast<Index>(by.global_of(static_cast<Index>(k / unknowns)) * unknowns + k % unknowns);
  });
}

#define TESSERA_INSTANTIATE_SHARED_LEVEL(Exec)                                                         \
  template void SharedLevel<Exec>::number(std::vector<Offset>, int, const std::vector<Offset>&);       \
  template std::vector<Offset> distinct_aggregates(Exec&, View<const double>);                         \
  template void name_aggregates(Exec&, const Numbering&, View<const double>, View<Index>);             \
  template void find_used(Exec&, View<const Offset>, View<const Index>, Index, Index, View<Index>);    \
  template void number_unknowns(Exec&, const Numbering&, int, View<Index>);                            \
  template linalg::Crs<Exec::Space> join_ghosts(Exec&, const TwoParts&);                               \
  template void join_values(Exec&, const TwoParts&, Offset, View<const Offset>, View<double>);         \
  template void append_rows(Exec&, const RowExchange<Exec>::Rows&, linalg::Crs<Exec::Space, double>&); \
  template void append_rows(Exec&, const RowExchange<Exec>::Rows&, linalg::Crs<Exec::Space, float>&);  \
  template void number_rows(Exec&, Offset, View<double>);                                              \
  template void number_aggregates(Exec&, Offset, View<const Index>, View<double>);                     \
  template Index add_single_aggregates(Exec&, View<const Offset>, Index, View<Index>);                 \
  template void rename_ghosts(Exec&, Index, View<const Index>, View<Index>)

}  // namespace tessera::solvers::amg
