#pragma once
#include <type_traits>

namespace tessera::linalg {

/// of(size) with the size of blocks as a constant where loops over a block are unrolled for it; a constant of 0: it is
/// read at run time.
template <class F>
void with_block_size(int block, F of) {
  switch (block) {
    case 1: return of(std::integral_constant<int, 1>{});
    case 2: return of(std::integral_constant<int, 2>{});
    case 3: return of(std::integral_constant<int, 3>{});
    default: return of(std::integral_constant<int, 0>{});
  }
}

}  // namespace tessera::linalg
