#pragma once
#include <span>
#include <string>
#include <vector>

#include "mesh/mesh.hpp"

namespace tessera::mesh {

/// Cells of colour c: cells[ptr[c] .. ptr[c+1]), ascending.
struct Colouring {
  std::vector<Offset> ptr;
  std::vector<Index> cells;

  int colours() const { return static_cast<int>(ptr.size()) - 1; }
  Index size(int colour) const { return static_cast<Index>(ptr[colour + 1] - ptr[colour]); }
  std::span<const Index> colour(int c) const { return {cells.data() + ptr[c], static_cast<std::size_t>(size(c))}; }
};

/// Colours cells such that cells of one colour share no key (dof, node, neighbour); colours are balanced in size.
/// cell_keys: [cells, keys_per_cell], row-major, keys in [0, n_keys); a negative key counts for nothing.
/// Deterministic and serial: first fit finds the number of colours, a second pass levels their sizes.
Colouring colour_cells(std::span<const Index> cell_keys, int keys_per_cell, Index n_keys);

/// The same for cells of several lengths: keys of cell i are cell_keys[cell_ptr[i] .. cell_ptr[i+1]).
Colouring colour_cells(Index n_cells, Index n_keys, const Offset* cell_ptr, const Index* cell_keys);

/// "8 colours of 1024 to 1100 cells".
std::string describe(const Colouring& colouring);

}  // namespace tessera::mesh
