#include "assembly/facets/facet_terms.hpp"

#include "assembly/facets/integrals_impl.hpp"

namespace tessera::assembly {

void visit_facets(const mesh::Mesh& mesh, const DofMap& map, const mesh::Group& group,
                  const std::function<void(const FacetPoints&)>& visit) {
  const FacetPlan plan = list_facets(mesh, map, group);
  const int stride = facet_points_per_facet(mesh, map, group);
  const auto measure = mesh.dim == 1 ? facet_measure<1> : mesh.dim == 2 ? facet_measure<2> : facet_measure<3>;
  std::vector<double> ds;
  for (const FacetView& facet : plan.facets) {
    const SideView& side = plan.sides[facet.side];
    ds.clear();
    for (int q = 0; q < side.points; ++q) ds.push_back(measure(plan, facet, q, mesh.points.data()));
    visit({facet.facet,
           stride,
           {plan.dofs.data() + facet.first_dof, static_cast<std::size_t>(side.nodes)},
           ds,
           {plan.tables.data() + side.basis, static_cast<std::size_t>(side.points) * side.nodes}});
  }
}

}  // namespace tessera::assembly
