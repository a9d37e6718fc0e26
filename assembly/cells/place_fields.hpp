#pragma once
// Coefficients on the backend: the one place where values on the host become the fields of a form.
#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "assembly/cells/checks.hpp"
#include "assembly/space/dof_map.hpp"
#include "base/array.hpp"

namespace tessera::assembly {

/// Copies a coefficient's values of one block of `points` quadrature points in all; `first` counts the values of the
/// blocks before it.
template <class Space>
forms::Field place_field(const forms::NamedCoefficient& coefficient, Offset points, Offset& first,
                         Array<double, Space>& there) {
  if (coefficient.values->values.empty()) return {};
  const View<const double> values = block_values(coefficient, points, first);
  if (there.size() != values.size()) there = Array<double, Space>(values.size());
  copy_bytes(Host{}, values.data(), Space{}, there.data(), there.bytes());
  return {there.data(), coefficient.values->components, coefficient.values->per_point};
}

/// How far the blocks before the one at hand reach in the values of each coefficient of a form.
template <class Form>
using FieldCursor = std::array<Offset, Form::members().size()>;

/// The coefficients of the data of a form.
template <class Form>
using Coefficients = std::array<forms::NamedCoefficient, Form::members().size()>;

/// Sets the fields of a form for one block. Those in `evaluated` get room for values at its points, which are
/// evaluated there; of their data only the components are looked at.
template <class Form, class Space>
void place_form(const Coefficients<Form>& coefficients, Offset points, FieldCursor<Form>& first,
                std::vector<Array<double, Space>>& there, Form& form, std::span<const std::size_t> evaluated = {}) {
  constexpr auto members = Form::members();
  there.resize(members.size());
  for (std::size_t m = 0; m < members.size(); ++m) {
    if (std::find(evaluated.begin(), evaluated.end(), m) == evaluated.end()) {
      form.*members[m] = place_field(coefficients[m], points, first[m], there[m]);
      continue;
    }
    const int components = coefficients[m].values->components;
    if (there[m].size() != points * components) there[m] = Array<double, Space>(points * components);
    form.*members[m] = {there[m].data(), components, true};
  }
}

/// The form with the fields of one block on the host, borrowed.
template <class Form>
void borrow_form(const Coefficients<Form>& coefficients, Offset points, FieldCursor<Form>& first, Form& form) {
  constexpr auto members = Form::members();
  for (std::size_t m = 0; m < members.size(); ++m) {
    const forms::Coefficient& of = *coefficients[m].values;
    form.*members[m] = {};
    if (of.values.empty()) continue;
    form.*members[m] = {block_values(coefficients[m], points, first[m]).data(), of.components, of.per_point};
  }
}

/// Checks the data of a form against the cells.
template <class Form>
void check_form_data(const typename Form::Data& data, Offset cells, int dim) {
  check_data(Form::coefficients(data), Form::region(data), cells, dim);
}

}  // namespace tessera::assembly
