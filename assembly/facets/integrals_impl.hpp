#pragma once
#include <cmath>
#include <span>

#include "assembly/cells/data.hpp"
#include "assembly/cells/form.hpp"
#include "assembly/facets/integrals.hpp"
#include "assembly/space/sparsity.hpp"
#include "base/parallel.hpp"

namespace tessera::assembly {

/// Tables of the side of a shape, packed in one array: see boundary.hpp.
struct SideView {
  int dim = 0;
  int points = 0;
  int nodes = 0;           ///< dofs on the side
  int geometry_nodes = 0;  ///< of the whole cell
  double normal[3] = {};   ///< of the reference side, its length the ratio of the measures
  Offset basis = 0;        ///< [points, nodes] from here in the tables
  Offset map = 0;          ///< [points, geometry_nodes, dim]
  Offset weights = 0;      ///< [points]
};

/// A facet as kernels see it.
struct FacetView {
  Index facet = 0;        ///< row of alpha and g
  std::int32_t side = 0;  ///< its SideView
  Offset first_dof = 0;   ///< its dofs and the geometry nodes of its cell
  Offset first_geometry = 0;
};

/// ds at a point of a side: |det J| |J^-T n| w  (Nanson).
template <int dim>
TESSERA_HD inline double surface_measure(const SideView& side, const double* map, double weight, const Index* geometry,
                                         const double* coordinates) {
  double J[dim][dim] = {}, inverse[dim][dim];
  for (int n = 0; n < side.geometry_nodes; ++n)
    for (int d = 0; d < dim; ++d)
      for (int a = 0; a < dim; ++a) J[d][a] += coordinates[Offset{3} * geometry[n] + d] * map[n * dim + a];
  const double det = invert<dim, double>(J, inverse);
  double square = 0;
  for (int d = 0; d < dim; ++d) {
    double component = 0;
    for (int a = 0; a < dim; ++a) component += inverse[a][d] * side.normal[a];
    square += component * component;
  }
  return absolute(det) * std::sqrt(square) * weight;
}

/// Adds the integrals of one facet. Facets of one colour share no dof.
struct AddFacet {
  const FacetView* facets;
  const SideView* sides;
  const double* tables;
  const Index* dofs;
  const Index* geometry;
  const double* coordinates;
  const double* alpha;  ///< null: 0
  const double* g;
  int stride;  ///< points per facet in alpha and g
  Target target;

  TESSERA_HD void operator()(Offset index) const {
    const FacetView facet = facets[index];
    const SideView& side = sides[facet.side];
    const Index* dof = dofs + facet.first_dof;
    for (int q = 0; q < side.points; ++q) {
      const double* map = tables + side.map + Offset{q} * side.geometry_nodes * side.dim;
      const double w = tables[side.weights + q];
      const Index* nodes = geometry + facet.first_geometry;
      const double ds = side.dim == 1   ? surface_measure<1>(side, map, w, nodes, coordinates)
                        : side.dim == 2 ? surface_measure<2>(side, map, w, nodes, coordinates)
                                        : surface_measure<3>(side, map, w, nodes, coordinates);
      const double* phi = tables + side.basis + Offset{q} * side.nodes;
      const Offset value = Offset{facet.facet} * stride + q;
      if (g)
        for (int i = 0; i < side.nodes; ++i) target.b[dof[i]] += g[value] * ds * phi[i];
      if (!alpha || alpha[value] == 0) continue;
      for (int i = 0; i < side.nodes; ++i) {
        const linalg::CrsView<const double>& pattern = target.pattern;
        const Offset first = pattern.row_ptr[dof[i]];
        const Index count = static_cast<Index>(pattern.row_ptr[dof[i] + 1] - first);
        double* row = target.values + target.layout.first(dof[i]);
        for (int j = 0; j < side.nodes; ++j)
          row[find_in_row(pattern.col_ind.data() + first, count, dof[j]) * target.layout.step()] +=
              alpha[value] * ds * phi[i] * phi[j];
      }
    }
  }
};

/// Everything about the facets of a group that does not depend on alpha and g.
struct FacetPlan {
  std::vector<SideView> sides;
  std::vector<double> tables;
  std::vector<FacetView> facets;  ///< colour by colour
  std::vector<Offset> colour_ptr;
  std::vector<Index> dofs, geometry;
};
/// Throws Error(internal) where alpha or g is neither empty nor of the expected length.
void check_facet_values(std::size_t expected, std::size_t alpha, std::size_t g);
FacetPlan plan_facets(const mesh::Mesh& mesh, const DofMap& map, const mesh::Group& group);

template <class Exec>
void assemble_facets(Exec& exec, const mesh::Mesh& mesh, const DofMap& map, const mesh::Group& group,
                     std::span<const double> alpha, std::span<const double> g,
                     const Array<double, typename Exec::Space>& coordinates, const Target& target) {
  using Space = typename Exec::Space;
  const int stride = facet_points_per_facet(mesh, map, group);
  check_facet_values(group.entities.size() * static_cast<std::size_t>(stride), alpha.size(), g.size());
  if (group.entities.empty() || (alpha.empty() && g.empty())) return;
  const FacetPlan plan = plan_facets(mesh, map, group);
  const auto facets = to_space<Space>(plan.facets);
  const auto sides = to_space<Space>(plan.sides);
  const auto tables = to_space<Space>(plan.tables);
  const auto dofs = to_space<Space>(plan.dofs);
  const auto geometry = to_space<Space>(plan.geometry);
  const auto alpha_there = to_space<Space>(alpha);
  const auto g_there = to_space<Space>(g);
  AddFacet add{
      nullptr,        sides.data(), tables.data(), dofs.data(), geometry.data(), coordinates.data(), alpha_there.data(),
      g_there.data(), stride,       target};
  for (std::size_t colour = 0; colour + 1 < plan.colour_ptr.size(); ++colour) {
    add.facets = facets.data() + plan.colour_ptr[colour];
    for_each(exec, plan.colour_ptr[colour + 1] - plan.colour_ptr[colour], add);
  }
  exec.synchronize();  // the plan is released here
}

}  // namespace tessera::assembly
