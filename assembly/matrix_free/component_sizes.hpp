#pragma once
// Sizes of the blocks of threads that apply forms with several unknowns a node on CUDA, see tensor_components.cuh.
#include <algorithm>
#include <cstddef>

namespace tessera::assembly::matrix_free {

/// Cells of n^dim points with m unknowns a node, of numbers of so many bytes.
struct ComponentCells {
  int lines, points;  ///< threads and points of a cell
  std::size_t cell_bytes;
  int cells;  ///< that share a block: about 128 threads, and the shared memory that every GPU gives unasked

  constexpr ComponentCells(int n, int dim, int m, std::size_t number_bytes)
      : lines(dim == 2 ? n : n * n),
        points(lines * n),
        cell_bytes(number_bytes * m * (dim + 1) * points),
        cells(std::max(1, std::min(128 / lines, static_cast<int>(48 * 1024 / cell_bytes)))) {}
  constexpr std::size_t block_bytes() const { return cells * cell_bytes; }
};

}  // namespace tessera::assembly::matrix_free
