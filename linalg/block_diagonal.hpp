#pragma once
#include "linalg/vector_ops.hpp"

namespace tessera::linalg {

// Matrices of nothing but blocks on the diagonal: blocks [nodes, block, block], row-major.

/// Each block becomes its inverse. *bad = how many do not admit it: are singular, or not positive definite where `sign`
/// is not Sign::any; those are then undefined. Symmetric for Sign::positive and Sign::magnitude, which read the lower
/// triangles. Throws Error(usage) for blocks of more than largest_inverted_block rows.
template <class Exec, class T>
void invert_blocks(Exec& exec, int block, View<T> blocks, double* bad, Sign sign = Sign::positive);

/// The first of them that invert_blocks would count; -1: none. blocks on the host.
template <class T>
Offset find_bad_block(int block, const std::vector<T>& blocks, Sign sign);

/// z_n = D_n r_n for every node n; r and z [nodes, block], distinct. (block + 2) 8 B a row.
template <class Exec, class T>
void multiply_blocks(Exec& exec, int block, In<T> blocks, In<T> r, View<T> z);

}  // namespace tessera::linalg
