#pragma once
#include "assembly/facets/integrals_impl.hpp"
#include "assembly/fields/side_loads.hpp"
#include "assembly/space/host_loop.hpp"

namespace tessera::assembly {

/// int lambda phi_i ds of one facet to flux [nodes, components].
template <int dim, class Form>
void load_facet(const Form& form, int stride, const FacetPlan& plan, const FacetView& facet, const double* coordinates,
                const double* u, double* flux) {
  constexpr int m = forms::components_of<Form>(dim);
  const SideView& side = plan.sides[facet.side];
  const Index* dofs = plan.dofs.data() + facet.first_dof;
  for (int q = 0; q < side.points; ++q) {
    const double ds = facet_measure<dim>(plan, facet, q, coordinates);
    const double* phi = plan.tables.data() + side.basis + Offset{q} * side.nodes;
    const forms::Place at{0, facet.facet, q, stride};
    for (int c = 0; c < m; ++c) {
      double lambda = forms::has(form, forms::load_value) ? facet_load<dim>(form, at, c) : 0.0;
      for (int d = 0; d < m && forms::has(form, forms::value_value); ++d) {
        const double value = facet_tangent<dim>(form, at, c, d);
        for (int i = 0; i < side.nodes; ++i) lambda -= value * phi[i] * u[Offset{dofs[i]} * m + d];
      }
      for (int i = 0; i < side.nodes; ++i) flux[i * m + c] += lambda * ds * phi[i];
    }
  }
}

template <class Form>
SideLoads facet_loads(const mesh::Mesh& mesh, const DofMap& map, const mesh::Group& group, Form form,
                      const typename Form::Data& data, std::span<const double> u, int threads) {
  constexpr Offset facets_per_chunk = 256;
  const int stride = facet_points_per_facet(mesh, map, group);
  const auto values = Form::values(data);
  const auto components = facet_components<Form>(mesh.dim);
  check_facet_values(group.entities.size() * static_cast<std::size_t>(stride), values, components);
  constexpr auto members = Form::members();
  for (std::size_t m = 0; m < members.size(); ++m)
    form.*members[m] = {values[m].empty() ? nullptr : values[m].data(), components[m], true};
  FacetPlan plan = list_facets(mesh, map, group);
  SideLoads loads;
  loads.first.resize(plan.facets.size() + 1);
  loads.components = forms::components_of<Form>(mesh.dim);
  loads.flux.assign(plan.dofs.size() * static_cast<std::size_t>(loads.components), 0.0);
  for (const FacetView& facet : plan.facets) loads.first[facet.facet] = facet.first_dof;
  loads.first.back() = static_cast<Offset>(plan.dofs.size());
  const auto of_facet = mesh.dim == 1 ? load_facet<1, Form> : mesh.dim == 2 ? load_facet<2, Form> : load_facet<3, Form>;
  for_chunks(static_cast<Offset>(plan.facets.size()), facets_per_chunk, threads, [&](Offset, Offset begin, Offset end) {
    for (Offset f = begin; f < end; ++f)
      of_facet(form, stride, plan, plan.facets[f], mesh.points.data(), u.data(),
               loads.flux.data() + plan.facets[f].first_dof * loads.components);
  });
  loads.dofs = std::move(plan.dofs);
  return loads;
}

}  // namespace tessera::assembly
