#include "linalg/block_diagonal_impl.hpp"

namespace tessera::linalg {

template <class T>
Offset find_bad_block(int block, const std::vector<T>& blocks, Sign sign) {
  detail::require_invertible_size(block);
  std::vector<T> copy = blocks;
  const Offset numbers = Offset{block} * block, nodes = static_cast<Offset>(copy.size()) / numbers;
  Offset found = -1;
  with_block_size(block, [&](auto size) {
    for (Offset node = 0; node < nodes && found < 0; ++node)
      if (!detail::invert<size>(copy.data() + node * numbers, block, sign != Sign::any)) found = node;
  });
  return found;
}

template Offset find_bad_block(int, const std::vector<double>&, Sign);
template Offset find_bad_block(int, const std::vector<float>&, Sign);
TESSERA_INSTANTIATE_BLOCK_DIAGONAL(Threads, double);
TESSERA_INSTANTIATE_BLOCK_DIAGONAL(Threads, float);

}  // namespace tessera::linalg
