#pragma once
#include "linalg/vector_ops_basis.hpp"

namespace tessera::linalg {

// Operations with several vectors at once, [count, rows], for methods that iterate on blocks of them. Small matrices
// are row-major and live where the vectors live. They are of one rank. Every function exists for Threads and Cuda.

/// g_ij = (x_i, y_j), i < rows of g, j < columns of g: G [nx, ny]. Tiles of four by four vectors take one pass: 8 (nx +
/// ny) B an entry for each 4 x 4 of them, less where they stay in caches. `symmetric`: of a G that is, the upper
/// triangle is enough.
template <class Exec>
void inner_products(Exec& exec, const Basis<const double>& X, Offset nx, const Basis<const double>& Y, Offset ny,
                    bool symmetric, double* g);
/// y_j = factor y_j + sum_k c_kj x_k, C [nx, ny]: Y does not overlap X. Where factor is 0 Y is not read.
template <class Exec>
void combine_vectors(Exec& exec, const Basis<const double>& X, Offset nx, const double* c, Offset ny, double factor,
                     const Basis<double>& Y);

/// y = (A (x) 1) x: A [nodes, nodes] for each of `block` unknowns a node by itself, x and y [nodes, block]. 12 nnz + 16
/// block nodes B.
template <class Exec>
void multiply_components(Exec& exec, const CrsView<const double>& A, Index block, View<const double> x, View<double> y);
/// values [nnz, block, block] += factor A (x) 1 in the pattern of A.
template <class Exec>
void add_to_diagonals(Exec& exec, double factor, const CrsView<const double>& A, Index block, View<double> values);

}  // namespace tessera::linalg
