#pragma once
#include "assembly/facets/facet_terms.hpp"
#include "assembly/facets/integrals_impl.hpp"

namespace tessera::assembly {

/// One facet with what stands between values, value(at, c, d), and loads, load(at, c), at its points. `matrix` is
/// scratch.
template <int m, class Value, class Load>
void add_facet_term(const FacetPoints& of, Value value, Load load, std::vector<double>& matrix, FacetTerms& terms) {
  const int nodes = static_cast<int>(of.dofs.size()), rows = nodes * m;
  matrix.assign(static_cast<std::size_t>(rows) * (rows + 1) / 2, 0.0);
  bool any = false;
  for (std::size_t q = 0; q < of.ds.size(); ++q) {
    const forms::Place at{0, of.facet, static_cast<int>(q), of.stride};
    const double ds = of.ds[q];
    const double* phi = &of.phi[q * of.dofs.size()];
    for (int c = 0; c < m; ++c) {
      const double l = load(at, c);
      for (int i = 0; i < nodes && l != 0; ++i) terms.load[Offset{of.dofs[i]} * m + c] += l * ds * phi[i];
    }
    for (int c = 0; c < m; ++c)
      for (int d = 0; d < m; ++d) {
        const double between = value(at, c, d);
        if (between == 0) continue;
        any = true;
        for (int i = 0; i < nodes; ++i)
          for (int j = i; j < nodes; ++j)
            if (i * m + c <= j * m + d)
              matrix[forms::packed(i * m + c, j * m + d, rows)] += between * ds * phi[i] * phi[j];
      }
  }
  if (!any) return;
  FacetMatrices& to = terms.shapes[rows];
  for (const Index dof : of.dofs)
    for (int c = 0; c < m; ++c) to.rows.push_back(dof * m + c);
  to.matrices.insert(to.matrices.end(), matrix.begin(), matrix.end());
}

namespace detail {

template <int dim, class Form>
void add_facet_terms(const mesh::Mesh& mesh, const DofMap& map, const mesh::Group& group, const Form& form,
                     FacetTerms& terms) {
  const auto value = [&](const forms::Place& at, int c, int d) {
    return forms::has(form, forms::value_value) ? facet_tangent<dim>(form, at, c, d) : 0.0;
  };
  const auto load = [&](const forms::Place& at, int c) {
    return forms::has(form, forms::load_value) ? facet_load<dim>(form, at, c) : 0.0;
  };
  std::vector<double> matrix;
  visit_facets(mesh, map, group, [&](const FacetPoints& of) {
    add_facet_term<forms::components_of<Form>(dim)>(of, value, load, matrix, terms);
  });
}

}  // namespace detail

template <class Form>
void add_facet_terms(const mesh::Mesh& mesh, const DofMap& map, const mesh::Group& group, Form form,
                     const typename Form::Data& data, FacetTerms& terms) {
  const auto values = Form::values(data);
  const auto components = facet_components<Form>(mesh.dim);
  check_facet_values(group.entities.size() * static_cast<std::size_t>(facet_points_per_facet(mesh, map, group)), values,
                     components);
  constexpr auto members = Form::members();
  for (std::size_t m = 0; m < members.size(); ++m)
    form.*members[m] = {values[m].empty() ? nullptr : values[m].data(), components[m], true};
  terms.load.resize(static_cast<std::size_t>(map.dofs) * forms::components_of<Form>(mesh.dim));
  if (mesh.dim == 1) detail::add_facet_terms<1>(mesh, map, group, form, terms);
  if (mesh.dim == 2) detail::add_facet_terms<2>(mesh, map, group, form, terms);
  if (mesh.dim == 3) detail::add_facet_terms<3>(mesh, map, group, form, terms);
}

}  // namespace tessera::assembly
