#include "assembly/fields/field_at_points.hpp"

#include <algorithm>

#include "assembly/facets/integrals_impl.hpp"
#include "assembly/space/quadrature.hpp"
#include "assembly/space/quadrature_points.hpp"

namespace tessera::assembly {

namespace {

bool is_simplex(mesh::Shape shape) {
  return shape == mesh::Shape::interval || shape == mesh::Shape::triangle || shape == mesh::Shape::tet;
}

}  // namespace

FieldAtPoints::FieldAtPoints(const mesh::Mesh& mesh, const DofMap& dofs) : mesh_(mesh), dofs_(dofs) {
  for (const mesh::CellBlock& cells : mesh.blocks) {
    const Quadrature& rule = quadrature(cells.shape, quadrature_degree(cells, dofs.order));
    tables_.push_back({{cells, rule.points},
                       {dofs.element(cells.shape), rule.points},
                       rule.size(),
                       is_simplex(cells.shape) && cells.order == 1 && dofs.order == 1});
  }
}

void FieldAtPoints::of_cells(std::size_t block, Index first, Index count, std::span<const double> u, double* values,
                             double* gradients) const {
  const Tables& tables = tables_[block];
  for (Index cell = first; cell < first + count; ++cell) {
    const Index* const nodes = mesh_.blocks[block].cell(cell);
    const Index* const dofs = dofs_.blocks[block].cell(cell);
    for (int q = 0; q < tables.points; ++q, gradients += 3) {
      *values++ = tables.field.value(dofs, u.data(), q);
      if (q > 0 && tables.one_gradient) {
        std::copy_n(gradients - 3, 3, gradients);
        continue;
      }
      double jacobian[9] = {}, inverse[9];
      tables.geometry.jacobian(mesh_, nodes, q, jacobian);
      GeometryMap::invert(jacobian, mesh_.dim, inverse);
      std::fill_n(gradients, 3, 0.0);
      tables.field.gradient(dofs, u.data(), q, inverse, gradients);
    }
  }
}

std::vector<double> facet_values(const mesh::Mesh& mesh, const DofMap& dofs, const mesh::Group& group,
                                 std::span<const double> u) {
  const int stride = facet_points_per_facet(mesh, dofs, group);
  const FacetPlan plan = list_facets(mesh, dofs, group);
  std::vector<double> values(group.entities.size() * static_cast<std::size_t>(stride));
  for (const FacetView& facet : plan.facets) {
    const SideView& side = plan.sides[facet.side];
    const Index* const of_facet = plan.dofs.data() + facet.first_dof;
    for (int q = 0; q < stride; ++q) {  // facets with fewer points repeat their last
      const double* const phi = plan.tables.data() + side.basis + Offset{std::min(q, side.points - 1)} * side.nodes;
      double sum = 0;
      for (int i = 0; i < side.nodes; ++i) sum += phi[i] * u[of_facet[i]];
      values[Offset{facet.facet} * stride + q] = sum;
    }
  }
  return values;
}

}  // namespace tessera::assembly
