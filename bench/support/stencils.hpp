#pragma once
#include <string>

#include "linalg/crs.hpp"

namespace tessera::bench {

/// The matrix that a mesh of n^d cells on a box gives with linear elements, numbered line by line, with values in (-1,
/// 1) that are the same on every machine: "tet" (Kuhn's six a cell, 15 per row), "hex" (27), "triangle" (7). What
/// assembly would give, without the mesh.
linalg::Crs<Host> stencil_matrix(const std::string& shape, int n);

/// A under a random renumbering of rows and columns within windows of `window` of them; the whole matrix is one window
/// when `window` is 0.
linalg::Crs<Host> shuffled(const linalg::Crs<Host>& A, Offset window);

/// Value k of a random sequence in (-1, 1).
inline double random_value(std::uint64_t k) {
  k += 0x9e3779b97f4a7c15u;  // splitmix64
  k = (k ^ (k >> 30)) * 0xbf58476d1ce4e5b9u;
  k = (k ^ (k >> 27)) * 0x94d049bb133111ebu;
  return static_cast<double>((k ^ (k >> 31)) >> 11) * 0x1p-52 - 1.0;
}

}  // namespace tessera::bench
