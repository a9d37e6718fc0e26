#pragma once
#include <span>
#include <vector>

#include "assembly/space/dof_map.hpp"
#include "assembly/space/geometry_map.hpp"

namespace tessera::assembly {

/// Quadrature degree of the cell integrals of a block: 2k for straight simplices, and k + 1 Gauss points an axis for
/// quads and hexes.
int quadrature_degree(const mesh::CellBlock& cells, int order);

/// The physical quadrature points of the cell integrals, made for a range of cells at a time: on a large mesh all of
/// them together would be the largest array of the run. Borrows the mesh.
class QuadraturePoints {
 public:
  QuadraturePoints(const mesh::Mesh& mesh, const DofMap& map);

  /// Points of each cell of block `block`.
  int per_cell(std::size_t block) const { return per_cell_[block]; }
  /// Points of the cells of all blocks before `block`; with block = number of blocks: of all.
  Offset before(std::size_t block) const { return before_[block]; }
  /// Points of cells first .. first + count (numbers within the block): [count, per_cell, 3] to `xyz`. Safe to call
  /// from threads.
  void of_cells(std::size_t block, Index first, Index count, double* xyz) const;

 private:
  const mesh::Mesh& mesh_;
  std::vector<GeometryMap> maps_;
  std::vector<int> per_cell_;
  std::vector<Offset> before_{0};
};

/// All of them: [cells of all blocks, points of its block, 3].
std::vector<double> cell_quadrature_points(const mesh::Mesh& mesh, const DofMap& map);

}  // namespace tessera::assembly
