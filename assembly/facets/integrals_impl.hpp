#pragma once
#include <array>
#include <cmath>
#include <span>

#include "assembly/cells/block.hpp"
#include "assembly/facets/integrals.hpp"
#include "assembly/space/jacobian.hpp"
#include "assembly/space/sparsity.hpp"
#include "base/parallel.hpp"
#include "forms/components.hpp"

namespace tessera::assembly {

/// Tables of the side of a shape, packed in one array: see integrals.hpp.
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
  Index facet = 0;        ///< row of the values at points
  std::int32_t side = 0;  ///< its SideView
  Offset first_dof = 0;   ///< its dofs and the geometry nodes of its cell
  Offset first_geometry = 0;
};

/// ds at a point of a side: |det J| |J^-T n| w  (Nanson).
template <int dim>
TESSERA_HD inline double surface_measure(const SideView& side, const double* map, double weight, const Index* geometry,
                                         const double* coordinates) {
  double J[dim][dim], inverse[dim][dim];
  sum_jacobian<dim>(
      side.geometry_nodes, [&](int n) { return coordinates + Offset{3} * geometry[n]; },
      [&](int a, int n) { return map[n * dim + a]; }, J);
  const double det = invert<dim, double>(J, inverse);
  double square = 0;
  for (int d = 0; d < dim; ++d) {
    double component = 0;
    for (int a = 0; a < dim; ++a) component += inverse[a][d] * side.normal[a];
    square += component * component;
  }
  return absolute(det) * std::sqrt(square) * weight;
}

/// l of component c, and C between components c and d, at a point of a form over facets with any number of unknowns.
template <int dim, class Form>
TESSERA_HD inline double facet_load(const Form& form, const forms::Place& at, int c) {
  if constexpr (forms::has_components<Form>)
    return form.template load<dim>(at, c);
  else
    return forms::load_at<dim>(form, at);
}
template <int dim, class Form>
TESSERA_HD inline double facet_tangent(const Form& form, const forms::Place& at, int c, int d) {
  if constexpr (forms::has_components<Form>)
    return form.template tangent<dim>(at, c, d);
  else
    return forms::tangent_at<dim>(form, at).vv;
}

/// Adds the integrals of one facet. Facets of one colour share no dof.
template <class Form>
struct AddFacet {
  const FacetView* facets;
  const SideView* sides;
  const double* tables;
  const Index* dofs;
  const Index* geometry;
  const double* coordinates;
  Form form;
  int stride;  ///< points per facet of the form's fields
  Target target;

  TESSERA_HD void operator()(Offset index) const {
    const FacetView facet = facets[index];
    const SideView& side = sides[facet.side];
    if (side.dim == 1) add<1>(facet, side);
    if (side.dim == 2) add<2>(facet, side);
    if (side.dim == 3) add<3>(facet, side);
  }

  template <int dim>
  TESSERA_HD void add(const FacetView& facet, const SideView& side) const {
    const Index* dof = dofs + facet.first_dof;
    for (int q = 0; q < side.points; ++q) {
      const double ds = surface_measure<dim>(side, tables + side.map + Offset{q} * side.geometry_nodes * dim,
                                             tables[side.weights + q], geometry + facet.first_geometry, coordinates);
      const double* phi = tables + side.basis + Offset{q} * side.nodes;
      const forms::Place at{0, facet.facet, q, stride};
      if constexpr (forms::has_components<Form>)
        add_components<dim>(side, dof, phi, ds, at);
      else
        add_single<dim>(side, dof, phi, ds, at);
    }
  }

  /// A point of a form with several unknowns a node: block rows, and loads [dofs, components].
  template <int dim>
  TESSERA_HD void add_components(const SideView& side, const Index* dof, const double* phi, double ds,
                                 const forms::Place& at) const {
    constexpr int m = forms::components_of<Form>(dim);
    for (int c = 0; c < m && forms::has(form, forms::load_value); ++c) {
      const double load = form.template load<dim>(at, c) * ds;
      for (int i = 0; i < side.nodes; ++i) target.b[Offset{dof[i]} * m + c] += load * phi[i];
    }
    for (int c = 0; c < m && forms::has(form, forms::value_value); ++c)
      for (int d = 0; d < m; ++d)
        if (const double value = form.template tangent<dim>(at, c, d); value != 0)
          add_matrix(side, dof, phi, value * ds, m * m, c * m + d);
  }

  template <int dim>
  TESSERA_HD void add_single(const SideView& side, const Index* dof, const double* phi, double ds,
                             const forms::Place& at) const {
    if (forms::has(form, forms::load_value)) {
      const double load = forms::load_at<dim>(form, at);
      for (int i = 0; i < side.nodes; ++i) target.b[dof[i]] += load * ds * phi[i];
    }
    if (!forms::has(form, forms::value_value)) return;
    if (const double value = forms::tangent_at<dim>(form, at).vv; value != 0)
      add_matrix(side, dof, phi, value * ds, 1, 0);
  }

  /// Adds to number `number` of entries of `size` numbers.
  TESSERA_HD void add_matrix(const SideView& side, const Index* dof, const double* phi, double factor, int size,
                             int number) const {
    for (int i = 0; i < side.nodes; ++i) {
      const linalg::CrsView<const double>& pattern = target.pattern;
      const Offset first = pattern.row_ptr[dof[i]];
      const Index count = static_cast<Index>(pattern.row_ptr[dof[i] + 1] - first);
      double* row = target.values + target.layout.first(dof[i]) * size + number;
      for (int j = 0; j < side.nodes; ++j)
        row[find_in_row(pattern.col_ind.data() + first, count, dof[j]) * target.layout.step() * size] +=
            factor * phi[i] * phi[j];
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
/// Throws Error(internal) unless each of the values is empty or has its components at `points` points.
void check_facet_values(std::size_t points, std::span<const std::span<const double>> values,
                        std::span<const int> components);
/// How many components the fields of a form over facets have.
template <class Form>
std::array<int, Form::members().size()> facet_components(int dim) {
  if constexpr (forms::has_components<Form>) {
    return Form::field_components(dim);
  } else {
    std::array<int, Form::members().size()> single;
    single.fill(1);
    return single;
  }
}
FacetPlan plan_facets(const mesh::Mesh& mesh, const DofMap& map, const mesh::Group& group);
/// The same without colours: facets in the order of the group.
FacetPlan list_facets(const mesh::Mesh& mesh, const DofMap& map, const mesh::Group& group);

/// ds at point q of a facet.
template <int dim>
double facet_measure(const FacetPlan& plan, const FacetView& facet, int q, const double* coordinates) {
  const SideView& side = plan.sides[facet.side];
  return surface_measure<dim>(side, plan.tables.data() + side.map + Offset{q} * side.geometry_nodes * dim,
                              plan.tables[side.weights + q], plan.geometry.data() + facet.first_geometry, coordinates);
}

template <class Exec, class Form>
void assemble_facets(Exec& exec, const mesh::Mesh& mesh, const DofMap& map, const mesh::Group& group, Form form,
                     const typename Form::Data& data, const Array<double, typename Exec::Space>& coordinates,
                     const Target& target) {
  using Space = typename Exec::Space;
  const int stride = facet_points_per_facet(mesh, map, group);
  const auto values = Form::values(data);
  constexpr auto members = Form::members();
  const auto components = facet_components<Form>(mesh.dim);
  check_facet_values(group.entities.size() * static_cast<std::size_t>(stride), values, components);
  if (group.entities.empty()) return;
  std::array<Array<double, Space>, members.size()> fields;
  bool any = false;
  for (std::size_t m = 0; m < members.size(); ++m) {
    form.*members[m] = {};
    if (values[m].empty()) continue;
    fields[m] = to_space<Space>(values[m]);
    form.*members[m] = {fields[m].data(), components[m], true};
    any = true;
  }
  if (!any) return;
  const FacetPlan plan = plan_facets(mesh, map, group);
  const auto facets = to_space<Space>(plan.facets);
  const auto sides = to_space<Space>(plan.sides);
  const auto tables = to_space<Space>(plan.tables);
  const auto dofs = to_space<Space>(plan.dofs);
  const auto geometry = to_space<Space>(plan.geometry);
  AddFacet<Form> add{nullptr, sides.data(), tables.data(), dofs.data(), geometry.data(), coordinates.data(),
                     form,    stride,       target};
  for (std::size_t colour = 0; colour + 1 < plan.colour_ptr.size(); ++colour) {
    add.facets = facets.data() + plan.colour_ptr[colour];
    for_each(exec, plan.colour_ptr[colour + 1] - plan.colour_ptr[colour], add);
  }
  exec.synchronize();  // the plan is released here
}

template <class Exec>
template <class Facet>
void CellAssembler<Exec>::add_facets(const Facet& form, const mesh::Group& group, const typename Facet::Data& data,
                                     const linalg::Crs<Space>& pattern, const linalg::RowLayout& layout,
                                     View<double> values, View<double> b) {
  assemble_facets(exec_, *state_->mesh, *state_->map, group, form, data, state_->coordinates,
                  {layout, values.data(), b.data(), pattern.view()});
}

template <class Exec>
template <class Facet>
void CellAssembler<Exec>::add_facets(const Facet& form, const mesh::Group& group, const typename Facet::Data& data,
                                     linalg::Crs<Space>& A, View<double> b) {
  add_facets(form, group, data, A, {A.row_ptr.data(), 1}, A.values.view(), b);
}

template <class Exec>
template <class Facet>
void CellAssembler<Exec>::add_facets(const Facet& form, const mesh::Group& group, const typename Facet::Data& data,
                                     linalg::BlockCrs<Space>& A, View<double> b) {
  check_components(A.block, forms::components_of<Facet>(state_->mesh->dim));
  assemble_facets(exec_, *state_->mesh, *state_->map, group, form, data, state_->coordinates,
                  {{A.row_ptr.data(), 1}, A.values.data(), b.data(), std::as_const(A).pattern()});
}

}  // namespace tessera::assembly

/// Instantiates the integrals of a form over facets on a backend.
#define TESSERA_FACET_FORM(Exec, Form)                                                                       \
  template void tessera::assembly::CellAssembler<Exec>::add_facets(                                          \
      const Form&, const tessera::mesh::Group&, const Form::Data&, tessera::linalg::Crs<Exec::Space>&,       \
      tessera::View<double>);                                                                                \
  template void tessera::assembly::CellAssembler<Exec>::add_facets(                                          \
      const Form&, const tessera::mesh::Group&, const Form::Data&, const tessera::linalg::Crs<Exec::Space>&, \
      const tessera::linalg::RowLayout&, tessera::View<double>, tessera::View<double>)
/// The same of a form with several unknowns a node.
#define TESSERA_FACET_FORM_OF_COMPONENTS(Exec, Form)                                                        \
  template void tessera::assembly::CellAssembler<Exec>::add_facets(                                         \
      const Form&, const tessera::mesh::Group&, const Form::Data&, tessera::linalg::BlockCrs<Exec::Space>&, \
      tessera::View<double>)
