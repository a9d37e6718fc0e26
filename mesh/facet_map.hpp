#pragma once
#include <array>

#include "mesh/sides.hpp"

namespace tessera::mesh {

using Vector3 = std::array<double, 3>;

/// The map of a facet from the reference cell of its own shape (see reference_nodes) into space, with the nodes in the
/// order of facet_nodes. A facet of a mesh of intervals is a point, which has no reference coordinates.
struct FacetMap {
  Shape shape = Shape::point;
  int order = 1;
  int nodes = 1;
  std::array<Vector3, 9> x{};

  FacetMap(const Mesh& mesh, const CellSide& side);
  /// The facet that its vertices span, in the same reference coordinates.
  FacetMap straight() const;

  int vertices() const { return vertex_count(shape); }
  Vector3 at(const double* xi) const;
  /// |dx/dxi|: length or area by that of the reference cell; 1 of a point.
  double measure(const double* xi) const;
  /// The reference coordinates of the point of the facet, continued beyond its sides, that is nearest to `point`, by
  /// Gauss and Newton's method from xi. Returns whether it converged.
  bool nearest(const Vector3& point, double* xi) const;
  /// The longest distance of two vertices; of a point 0.
  double diameter() const;
  /// Unit normal of the vertices, out of the cell.
  Vector3 normal{};

 private:
  FacetMap() = default;
};

/// Coordinates in the line or plane of the vertices of a facet.
struct FacetFrame {
  Vector3 origin{}, e1{}, e2{};

  explicit FacetFrame(const FacetMap& facet);
  std::array<double, 2> project(const Vector3& x) const;
  Vector3 lift(const std::array<double, 2>& p) const;
};

double distance(const Vector3& a, const Vector3& b);
double dot(const Vector3& a, const Vector3& b);

}  // namespace tessera::mesh
