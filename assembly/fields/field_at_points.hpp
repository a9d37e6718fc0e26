#pragma once
#include <span>
#include <vector>

#include "assembly/space/dof_map.hpp"
#include "assembly/space/geometry_map.hpp"

namespace tessera::assembly {

/// A nodal field of one component and its gradient at the points of QuadraturePoints, for a range of cells at a time.
/// Borrows mesh and dofs.
class FieldAtPoints {
 public:
  FieldAtPoints(const mesh::Mesh& mesh, const DofMap& dofs);

  /// Points of each cell of block `block`.
  int per_cell(std::size_t block) const { return static_cast<int>(tables_[block].points); }
  /// values [count, per_cell] and gradients [count, per_cell, 3], of which axes that the mesh does not have are 0, in
  /// cells first .. first + count (numbers within the block); u [dofs]. Safe to call from threads.
  void of_cells(std::size_t block, Index first, Index count, std::span<const double> u, double* values,
                double* gradients) const;

 private:
  struct Tables {
    GeometryMap geometry;
    FieldMap field;
    int points;
    bool one_gradient;  ///< linear functions on straight simplices
  };
  const mesh::Mesh& mesh_;
  const DofMap& dofs_;
  std::vector<Tables> tables_;
};

/// Values of a nodal field at the points of facet_quadrature_points: [facets, points].
std::vector<double> facet_values(const mesh::Mesh& mesh, const DofMap& dofs, const mesh::Group& group,
                                 std::span<const double> u);

}  // namespace tessera::assembly
