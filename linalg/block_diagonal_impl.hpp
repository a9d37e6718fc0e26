#pragma once
// Instantiated by block_diagonal_threads.cpp and block_diagonal_cuda.cu.
#include <limits>

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "linalg/block_diagonal.hpp"
#include "linalg/block_size.hpp"
#include "linalg/dense_block.hpp"

namespace tessera::linalg {
namespace detail {

/// A pivot this much smaller than what its column had is what rounding has left of nothing.
template <class T>
constexpr double lost_pivot = sizeof(T) == 8 ? 16 * std::numeric_limits<double>::epsilon()
                                             : 2 * static_cast<double>(std::numeric_limits<float>::epsilon());

/// Whether the block could be inverted, in place. Small ones are inverted in registers and in double.
template <int size, class T>
TESSERA_HD bool invert(T* block, int given, bool positive) {
  if constexpr (size > 0) {
    double a[size * size];
    for (int e = 0; e < size * size; ++e) a[e] = block[e];
    const bool done =
        positive ? invert_positive<size>(a, size, lost_pivot<T>) : invert_general<size>(a, size, lost_pivot<T>);
    for (int e = 0; e < size * size; ++e) block[e] = static_cast<T>(a[e]);
    return done;
  } else {
    return positive ? invert_positive<0>(block, given, lost_pivot<T>) : invert_general<0>(block, given, lost_pivot<T>);
  }
}

inline void require_invertible_size(int block) {
  if (block > largest_inverted_block)
    throw Error(ExitCode::usage,
                "blocks of " + std::to_string(block) + " unknowns a node are not inverted, of " +
                    std::to_string(largest_inverted_block) + " at most",
                "choose preconditioner = \"jacobi\"");
}

template <int size, class Exec, class T>
void invert_blocks_of(Exec& exec, int block, View<T> blocks, double* bad, bool positive) {
  const Offset numbers = Offset{block} * block;
  reduce(
      exec, blocks.size() / numbers,
      [=] TESSERA_HD(Offset node) { return invert<size>(blocks.data() + node * numbers, block, positive) ? 0.0 : 1.0; },
      bad);
}

template <int size, class Exec, class T>
void multiply_blocks_of(Exec& exec, int block, View<const T> blocks, View<const T> r, View<T> z) {
  for_each(exec, z.size(), [=] TESSERA_HD(Offset row) {
    const int width = size > 0 ? size : block;
    const T* of_row = blocks.data() + row * width;
    const T* of_node = r.data() + row / width * width;
    T sum = 0;
    for (int j = 0; j < width; ++j) sum += of_row[j] * of_node[j];
    z[row] = sum;
  });
}

}  // namespace detail

template <class Exec, class T>
void invert_blocks(Exec& exec, int block, View<T> blocks, double* bad, Sign sign) {
  detail::require_invertible_size(block);
  with_block_size(block, [&](auto size) {
    detail::invert_blocks_of<decltype(size)::value>(exec, block, blocks, bad, sign != Sign::any);
  });
}

template <class Exec, class T>
void multiply_blocks(Exec& exec, int block, In<T> blocks, In<T> r, View<T> z) {
  with_block_size(block,
                  [&](auto size) { detail::multiply_blocks_of<decltype(size)::value>(exec, block, blocks, r, z); });
}

#define TESSERA_INSTANTIATE_BLOCK_DIAGONAL(Exec, T)                \
  template void invert_blocks(Exec&, int, View<T>, double*, Sign); \
  template void multiply_blocks<Exec, T>(Exec&, int, View<const T>, View<const T>, View<T>)

}  // namespace tessera::linalg
