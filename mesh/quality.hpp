#pragma once
#include <array>

#include "mesh/mesh.hpp"

namespace tessera::mesh {

/// Quality of the cells by their mean-ratio shape: 1 for the ideal cell (regular simplex, cube, regular prism), 0 for a
/// degenerate one, taken as the worst over the corners of a cell. Free of scale.
///   eta = dim det(A)^(2/dim) / |A|_F^2, A = Jacobian of the map from the ideal corner.
/// Source: P. Knupp, Algebraic mesh quality metrics, SIAM J. Sci. Comput. 23 (2001), 193-218, eq. (3.7) and section 5.
struct QualityReport {
  double min = 0, mean = 0, max = 0;
  Index worst_cell = -1;
  Index inverted = 0;                   ///< cells with a negative Jacobian at a corner or a geometric node
  Index degenerate = 0;                 ///< cells with a Jacobian that is zero to round-off, and none negative
  double min_angle = 0, max_angle = 0;  ///< between edges at a corner of a face, degrees
  std::array<Index, 10> histogram{};    ///< cells with eta in [k/10, (k+1)/10); inverted and degenerate ones in [0]
};

QualityReport quality(const Mesh& mesh);

/// Least and mean quality of the cells. Of a box (Mesh::box_cells) only the cells that are no copies of others are
/// looked at.
struct QualitySummary {
  double min = 0, mean = 0;
};
QualitySummary summarise_quality(const Mesh& mesh);

/// Shape quality of one cell in (0,1]; 0: degenerate; negative: inverted.
double cell_quality(const Mesh& mesh, Index cell);

/// Throws Error(mesh) where a cell is inverted or degenerate, naming the first one, its shape, its centre and how many.
void check_cells(const Mesh& mesh);

/// The same of a mesh that make_box has just made, of which it need not look at every cell.
void check_box(const Mesh& mesh);

}  // namespace tessera::mesh
