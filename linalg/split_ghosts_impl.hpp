#pragma once
// split_ghosts, written once. Instantiated by split_ghosts_threads.cpp and split_ghosts_cuda.cu.
#include <vector>

#include "base/parallel.hpp"
#include "linalg/split_ghosts.hpp"

namespace tessera::linalg {

namespace detail {

template <class T, class Space>
std::vector<T> fetch(const Array<T, Space>& from, Offset first, Offset last) {
  std::vector<T> result(static_cast<std::size_t>(last - first));
  copy_bytes(Space{}, from.data() + first, Host{}, result.data(), result.size() * sizeof(T));
  return result;
}

/// An array that begins as `from` does and ends with `tail`.
template <class T, class Space>
Array<T, Space> joined(const Array<T, Space>& from, Offset count, const std::vector<T>& tail) {
  Array<T, Space> result(count + static_cast<Offset>(tail.size()));
  copy_bytes(Space{}, from.data(), Space{}, result.data(), static_cast<std::size_t>(count) * sizeof(T));
  copy_bytes(Host{}, tail.data(), Space{}, result.data() + count, tail.size() * sizeof(T));
  return result;
}

template <class T, class Space>
void assign(const std::vector<T>& from, Array<T, Space>& to) {
  to = to_space<Space>(from);
}

template <class Matrix>
constexpr bool has_blocks = requires(Matrix a) {
  a.block;
};

}  // namespace detail

/// Interior rows are copied where they are; those with ghosts, a surface of the part, are sorted out on the host.
template <class Matrix>
SplitMatrix<Matrix> split_ghosts(const Matrix& local, Index interior, Index owned) {
  Index block = 1;
  if constexpr (detail::has_blocks<Matrix>) block = local.block;
  const Offset size = Offset{block} * block;
  const auto ptr = detail::fetch(local.row_ptr, interior, Offset{owned} + 1);
  const Offset first = ptr.front();
  const auto col_ind = detail::fetch(local.col_ind, first, ptr.back());
  const auto values = detail::fetch(local.values, first * size, ptr.back() * size);
  std::vector<Offset> own_ptr, ghost_ptr{0}, own_from, ghost_from;
  std::vector<Index> own_columns, ghost_columns;
  std::vector<double> own_values, ghost_values;
  for (std::size_t row = 0; row + 1 < ptr.size(); ++row) {
    for (Offset k = ptr[row] - first; k < ptr[row + 1] - first; ++k) {
      const Index column = col_ind[static_cast<std::size_t>(k)];
      const bool is_own = column < owned;
      (is_own ? own_columns : ghost_columns).push_back(is_own ? column : column - owned);
      std::vector<double>& to = is_own ? own_values : ghost_values;
      (is_own ? own_from : ghost_from).push_back(first + k);
      to.insert(to.end(), values.begin() + k * size, values.begin() + (k + 1) * size);
    }
    own_ptr.push_back(first + static_cast<Offset>(own_columns.size()));
    ghost_ptr.push_back(static_cast<Offset>(ghost_columns.size()));
  }
  SplitMatrix<Matrix> result;
  result.own.rows = result.own.cols = owned * block;
  result.own.row_ptr = detail::joined(local.row_ptr, Offset{interior} + 1, own_ptr);
  result.own.col_ind = detail::joined(local.col_ind, first, own_columns);
  result.own.values = detail::joined(local.values, first * size, own_values);
  result.ghost.rows = (owned - interior) * block;
  result.ghost.cols = local.cols - owned * block;
  detail::assign(ghost_ptr, result.ghost.row_ptr);
  detail::assign(ghost_columns, result.ghost.col_ind);
  detail::assign(ghost_values, result.ghost.values);
  detail::assign(own_from, result.own_from);
  detail::assign(ghost_from, result.ghost_from);
  if constexpr (detail::has_blocks<Matrix>) result.own.block = result.ghost.block = local.block;
  return result;
}

namespace detail {

/// to[k] = from[at[k]], in blocks of `size` numbers.
template <class Exec, class T>
void gather_values(Exec& exec, View<const T> from, View<const Offset> at, Offset size, View<T> to) {
  for_each(exec, to.size(), [=] TESSERA_HD(Offset k) { to[k] = from[at[k / size] * size + k % size]; });
}

}  // namespace detail

template <class Exec, template <class, class> class Matrix, class T>
void refill_split(Exec& exec, const Matrix<typename Exec::Space, T>& local,
                  SplitMatrix<Matrix<typename Exec::Space, T>>& to) {
  Offset size = 1;
  if constexpr (detail::has_blocks<Matrix<typename Exec::Space, T>>) size = Offset{local.block} * local.block;
  const View<const T> from = local.values.view();
  const Offset first = to.own.values.size() - to.own_from.size() * size;
  const View<T> interior = to.own.values.view().part(0, first);
  for_each(exec, first, [=] TESSERA_HD(Offset k) { interior[k] = from[k]; });
  detail::gather_values(exec, from, to.own_from.view(), size,
                        to.own.values.view().part(first, to.own_from.size() * size));
  detail::gather_values(exec, from, to.ghost_from.view(), size, to.ghost.values.view());
}

#define TESSERA_INSTANTIATE_SPLIT_GHOSTS(Exec)                                                          \
  template SplitMatrix<Crs<Exec::Space>> split_ghosts(const Crs<Exec::Space>&, Index, Index);           \
  template SplitMatrix<BlockCrs<Exec::Space>> split_ghosts(const BlockCrs<Exec::Space>&, Index, Index); \
  template void refill_split(Exec&, const Crs<Exec::Space>&, SplitMatrix<Crs<Exec::Space>>&);           \
  template void refill_split(Exec&, const BlockCrs<Exec::Space>&, SplitMatrix<BlockCrs<Exec::Space>>&)

}  // namespace tessera::linalg
