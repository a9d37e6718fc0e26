#pragma once
#include <type_traits>

namespace tessera::linalg {

/// of(size) with the size of blocks as a constant, for loops over a block to be unrolled, where it is `most` or less; a
/// constant of 0 says that it is read at run time.
template <int most = 3, class F>
void with_block_size(int block, F of) {
  if (most == 0 || block == most)
    of(std::integral_constant<int, most>{});
  else if constexpr (most > 0)
    with_block_size<most - 1>(block, of);
}

}  // namespace tessera::linalg
