#pragma once
#include <array>
#include <span>
#include <vector>

#include "assembly/fields/tensor_field.hpp"
#include "assembly/space/dof_map.hpp"
#include "assembly/space/field_view.hpp"
#include "mesh/geometry.hpp"
#include "mesh/sides.hpp"

namespace tessera::assembly {

/// Integrals of a nodal field of one component over the whole mesh or a group; on a mesh with an axis (mesh::Measure)
/// over the body of revolution.
struct Moments {
  double measure = 0;   ///< length, area or volume; for the facets of a 1-D mesh their count
  double integral = 0;  ///< int u
  double square = 0;    ///< int u^2
  void add(const Moments& other) {
    measure += other.measure;
    integral += other.integral;
    square += other.square;
  }
};

/// `group` null: the whole mesh; otherwise a group of cells or facets. Does not depend on the number of threads.
/// Throws Error(usage) for a group of lower dimension.
Moments moments(const mesh::Mesh& mesh, const DofMap& dofs, const FieldView& u, const mesh::Group* group = nullptr,
                int threads = 0);

/// The same and extremes.
struct FieldStatistics {
  double measure = 0;       ///< length, area or volume; for the facets of a 1-D mesh their count
  double integral = 0;      ///< int u
  double l2 = 0;            ///< sqrt(int u^2)
  double min = 0, max = 0;  ///< over the dofs of the group
  double average() const { return integral / measure; }
};

/// Throws Error(usage) for a group of lower dimension or an empty one.
FieldStatistics field_statistics(const mesh::Mesh& mesh, const DofMap& dofs, const FieldView& u,
                                 const mesh::Group* group = nullptr, int threads = 0);

/// Smallest and largest nodal value on a group of any dimension, or on the whole mesh; NaN where one is. Where there
/// are no values: infinity, -infinity.
std::array<double, 2> min_max(const mesh::Mesh& mesh, const DofMap& dofs, const FieldView& u,
                              const mesh::Group* group = nullptr);

/// int -K grad u . n over sides of cells, out of which n points: from the gradient and K of these cells.
double gradient_flux(const mesh::Mesh& mesh, const DofMap& dofs, std::span<const double> u, const HostTensorField& k,
                     std::span<const mesh::CellSide> sides, int threads = 0);

/// A point of the mesh as weights on dofs: value = sum weights u.
struct Probe {
  Index cell = -1;
  std::vector<Index> dofs;
  std::vector<double> weights;
  double value(const FieldView& u, int component = 0) const {
    double sum = 0;
    for (std::size_t i = 0; i < dofs.size(); ++i) sum += weights[i] * u(dofs[i], component);
    return sum;
  }
};

/// Throws Error(usage) naming the mesh's bounding box when no cell holds the point.
Probe make_probe(const mesh::Mesh& mesh, const DofMap& dofs, const std::array<double, 3>& point);
/// For many points: `locator` is of the same mesh.
Probe make_probe(const mesh::Mesh& mesh, const DofMap& dofs, const mesh::PointLocator& locator,
                 const std::array<double, 3>& point);
double value_at(const mesh::Mesh& mesh, const DofMap& dofs, const FieldView& u, const std::array<double, 3>& point);

}  // namespace tessera::assembly
