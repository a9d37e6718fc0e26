#pragma once
// Launches of the CUDA sweeps.
#include "solvers/grid/lmsor_grid.hpp"

namespace tessera::solvers::grid::lmsor {

/// Blocks of a rectangle in one line, `columns` beside each other: gridDim.y ends at 65535. The row of a block costs
/// one product, where a division of integers would cost a tenth of a short kernel.
struct BlockLine {
  unsigned columns;
  double inverse;  ///< a little more than 1/columns: products with less than 2^31 round down to the quotient

  explicit BlockLine(Offset count)
      : columns(static_cast<unsigned>(count)), inverse((1 + 0x1p-50) / static_cast<double>(count)) {}
  TESSERA_HD unsigned row(unsigned block) const { return static_cast<unsigned>(block * inverse); }
};

/// One half iteration in place; with_norms: its blocks' sums go to partial[colour * blocks ...].
template <class T>
void half_iteration(Cuda& exec, Relaxation<Cuda, T>& relaxation, int colour, bool with_norms);
/// Blocks of one half iteration.
Offset half_iteration_blocks(const Layout& layout, const Choices& choices);

/// `iterations` from `from` to `to`, two arrays like Fields::u with the same rim; with_norms: as above, partial[block].
template <class T>
void blocked_pass(Cuda& exec, Relaxation<Cuda, T>& relaxation, const T* from, T* to, int iterations, bool with_norms);
/// A texture object over an array, which must outlive it. Throws Error(usage) where the GPU has none of that size.
template <class T>
std::shared_ptr<unsigned long long> make_texture(const T* array, Offset size);
/// Blocks of one pass.
Offset blocked_pass_blocks(const Layout& layout, int iterations);

}  // namespace tessera::solvers::grid::lmsor
