#pragma once
#include <array>
#include <optional>
#include <vector>

#include "mesh/mesh.hpp"

namespace tessera::mesh {

/// Most nodes of a cell (hex 27).
inline constexpr int max_nodes = 27;

/// Geometric shape functions at a reference point (see reference_nodes): phi [nodes], dphi [nodes, dim]; dphi may be
/// null.
void shape_functions(Shape shape, int order, const double* xi, double* phi, double* dphi);

/// Jacobian dx/dxi of a cell at a reference point from tabulated dphi: [3, 3] row-major, [0..dim) used, rest of the
/// identity. Returns its determinant.
double jacobian(const Mesh& mesh, const CellBlock& block, Index local, const double* dphi, double* J);

/// Length, area or volume of a cell; exact for affine and tensor cells, by a Gauss rule exact for the polynomial
/// Jacobian in general. Cells of a surface mesh embedded in 3-D are not a case: their third coordinate is ignored.
double cell_measure(const Mesh& mesh, Index cell);
double measure(const Mesh& mesh);
/// Length or area of a facet (1 for the points of a 1-D mesh).
double facet_measure(const Mesh& mesh, Index facet);
/// Sum over a group of dimension dim or dim-1.
double measure(const Mesh& mesh, const Group& group);

/// Mean of the vertices.
std::array<double, 3> centroid(const Mesh& mesh, Index cell);

struct BoundingBox {
  std::array<double, 3> min{}, max{};
};
BoundingBox bounding_box(const Mesh& mesh);

/// The box of a cell; a curved cell may bulge beyond its nodes, so its box is wider than they are.
BoundingBox cell_box(const Mesh& mesh, const CellBlock& block, Index local);

/// Newton for x(xi) = point, which may lie outside of the cell; false where it does not converge.
bool reference_coordinates(const Mesh& mesh, const CellBlock& block, Index local, const std::array<double, 3>& point,
                           std::array<double, 3>& xi);

struct Location {
  Index cell = -1;
  std::array<double, 3> xi{};  ///< reference coordinates, clamped to nothing: within `tolerance` of the reference cell
};

/// Finds cells that hold points. Keeps a uniform grid of cell boxes (about one cell a bin); borrows the mesh.
class PointLocator {
 public:
  explicit PointLocator(const Mesh& mesh);
  /// The lowest-numbered cell that holds `point` to `tolerance` (in reference coordinates); empty when there is none.
  std::optional<Location> find(const std::array<double, 3>& point, double tolerance = 1e-10) const;

 private:
  const Mesh& mesh_;
  BoundingBox box_;
  std::array<Index, 3> bins_{1, 1, 1};
  std::vector<Offset> ptr_;
  std::vector<Index> cells_;
};

/// One query; for many build a PointLocator.
std::optional<Location> find_cell(const Mesh& mesh, const std::array<double, 3>& point, double tolerance = 1e-10);

}  // namespace tessera::mesh
