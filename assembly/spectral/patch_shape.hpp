#pragma once
// How a block of threads on CUDA has a patch of cells: constants of its kernels, which forecasts of memory know as
// well.
#include <algorithm>

#include "assembly/spectral/view.hpp"

namespace tessera::assembly::spectral {

/// A component of a cell in shared memory. Its rows have an odd number of entries, so that lines of any axis meet few
/// banks twice, and cells follow each other as their first layers do.
template <int n, int dim, int components>
struct Lattice {
  static constexpr int row = n | 1;
  static constexpr int step = dim == 3 ? n * row : row;  ///< along a column
  static constexpr int size = n * step;
  static constexpr int arrays = components * (dim - 1);
  static constexpr int first_layer = dim == 3 ? step : n;
  static constexpr int pad = ((first_layer - arrays * size) % 32 + 32) % 32;
  static constexpr int pitch = arrays * size + pad;  ///< from cell to cell
};

/// Cells that share a block, a patch: about 200 threads or, where that gives a cube of cells, fewer; and shared memory
/// of which two blocks have enough.
template <int n, int dim, int components, class T>
struct PatchShape {
  using Cell = Lattice<n, dim, components>;
  static constexpr int N = power(n, dim), layer = power(n, dim - 1), word = static_cast<int>(sizeof(Index));
  static constexpr int of_cell = Cell::pitch * static_cast<int>(sizeof(T)) + 2 * N * word;
  static constexpr int most = std::max(1, std::min(216 / layer, 96000 / of_cell));
  static constexpr int cells = dim == 3 && most >= 8 && most < 16 ? 8 : most;
  static constexpr int places = cells * N;
  /// Of the cells, in front of the lists of the patch, and of all.
  static constexpr int of_cells = (cells * Cell::pitch * static_cast<int>(sizeof(T)) + 15) / 16 * 16;
  static constexpr int bytes = of_cells + words_of_patch(places, places, places) * word;
};

}  // namespace tessera::assembly::spectral
