#pragma once
// Launches of the CUDA sweeps.
#include "solvers/grid/lmsor_grid.hpp"

namespace tessera::solvers::grid::lmsor {

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
