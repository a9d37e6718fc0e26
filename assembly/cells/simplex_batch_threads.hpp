#pragma once
// Linear simplices on threads: as many at a time as share a vector register, added into the matrix in the order of the
// cells. Vectors wider than the target's registers have no settled calling convention; none leaves these functions.
// Sources that include this are compiled with -Wno-psabi.
#include "assembly/cells/elements_threads.hpp"

namespace tessera::assembly {

using Lanes = double __attribute__((vector_size(lanes * sizeof(double))));

/// The layout of CRS as constants: no division, and a step that folds away.
struct CompactRows {
  const Offset* starts;
  Offset first(Index row) const { return starts[row]; }
  static constexpr Offset step() { return 1; }
};

/// Element matrices of up to `lanes` linear simplices at a time, then their entries one by one in the order of the
/// cells. A tensor at points counts by its mean, for the gradients are constant.
template <int dim, class Form, class Layout>
void add_batches(const BlockView& block, const Form& form, const Target& target, Layout layout, Offset first,
                 Offset last) {
  constexpr int n = dim + 1;
  constexpr int entries = n * (n + 1) / 2;
  alignas(64) double x[n][dim][lanes];
  alignas(64) double coefficient[tensor_size<dim> + 2][lanes] = {};
  alignas(64) double matrix[entries][lanes];
  alignas(64) double load[n][lanes];
  const bool has_tensor = forms::has(form, gradient_gradient), has_value = forms::has(form, value_value),
             has_load = forms::has(form, load_value);
  const bool load_is_constant = form.constant(load_value);
  const bool tensor_varies = has_tensor && !form.constant(gradient_gradient);
  const bool value_varies = has_value && !form.constant(value_value);
  double total = 0;
  for (int q = 0; q < block.points; ++q) total += block.weights[q];
  const int components = form.tensor_components();
  const auto step = layout.step();
  double* b = target.b;
  for (Offset batch = first; batch < last; batch += lanes) {
    const int count = static_cast<int>(std::min<Offset>(lanes, last - batch));
    for (int lane = 0; lane < lanes; ++lane) {
      const Offset cell = batch + std::min(lane, count - 1);
      for (int i = 0; i < n; ++i) {
        const double* point = block.coordinates + Offset{3} * block.geometry[cell * n + i];
        for (int d = 0; d < dim; ++d) x[i][d][lane] = point[d];
      }
      forms::Place at = block.at(cell, 0);
      if (has_tensor) {
        const double* tensor = forms::tangent_at<dim>(form, at).gg.values;
        for (int m = 0; m < components; ++m) coefficient[m][lane] = tensor_varies ? 0 : tensor[m];
      }
      if (tensor_varies)
        for (int q = 0; q < block.points; ++q) {
          at.point = q;
          const double* tensor = forms::tangent_at<dim>(form, at).gg.values;
          for (int m = 0; m < components; ++m) coefficient[m][lane] += block.weights[q] / total * tensor[m];
        }
      at.point = 0;
      if (has_value && !value_varies) coefficient[tensor_size<dim>][lane] = forms::tangent_at<dim>(form, at).vv;
      if (has_load && load_is_constant) coefficient[tensor_size<dim> + 1][lane] = forms::load_at<dim>(form, at);
    }
    Lanes vx[n][dim], grad[n][dim], tensor[tensor_size<dim>], value, packed_matrix[entries];
    for (int i = 0; i < n; ++i)
      for (int d = 0; d < dim; ++d) vx[i][d] = *reinterpret_cast<const Lanes*>(x[i][d]);
    for (int m = 0; m < tensor_size<dim>; ++m) tensor[m] = *reinterpret_cast<const Lanes*>(coefficient[m]);
    value = *reinterpret_cast<const Lanes*>(coefficient[tensor_size<dim>]);
    const Lanes jacobian = simplex_gradients<dim, Lanes>(vx, grad);
    simplex_matrix<dim, Lanes>(grad, jacobian, tensor, components, has_value && !value_varies ? &value : nullptr,
                               packed_matrix);
    for (int e = 0; e < entries; ++e) *reinterpret_cast<Lanes*>(matrix[e]) = packed_matrix[e];
    for (int i = 0; i < n; ++i) *reinterpret_cast<Lanes*>(load[i]) = jacobian * (reference_factor<dim> * block.load[i]);
    for (int lane = 0; lane < count; ++lane) {
      const Offset cell = batch + lane;
      const Index* dofs = block.dofs + cell * n;
      const std::uint16_t* slots = block.slots + cell * n * n;
      const double scale = load[0][lane] / block.load[0];  // |det J| of the reference cell
      forms::Place at = block.at(cell, 0);
      for (int q = 0; value_varies && q < block.points; ++q) {
        at.point = q;
        const double* phi = block.basis + (q * (dim + 1) + dim) * n;
        const double weight = scale * block.weights[q] * forms::tangent_at<dim>(form, at).vv;
        for (int i = 0; i < n; ++i)
          for (int j = i; j < n; ++j) matrix[packed(i, j, n)][lane] += weight * phi[i] * phi[j];
      }
      for (int i = 0; i < n; ++i) {
        double* row = target.values + layout.first(dofs[i]);
        for (int j = 0; j < n; ++j) row[slots[i * n + j] * step] += matrix[packed_symmetric(i, j, n)][lane];
      }
      if (!has_load) continue;
      if (load_is_constant) {
        for (int i = 0; i < n; ++i) b[dofs[i]] += coefficient[tensor_size<dim> + 1][lane] * load[i][lane];
        continue;
      }
      double sum[n] = {};
      for (int q = 0; q < block.points; ++q) {
        at.point = q;
        const double* phi = block.basis + (q * (dim + 1) + dim) * n;
        const double weight = scale * block.weights[q] * forms::load_at<dim>(form, at);
        for (int i = 0; i < n; ++i) sum[i] += weight * phi[i];
      }
      for (int i = 0; i < n; ++i) b[dofs[i]] += sum[i];
    }
  }
}

/// Adds places first .. last.
template <int dim, class Form>
void add_simplices(const BlockView& block, const Form& form, const Target& target, Offset first, Offset last) {
  if (target.layout.slice == 1)
    add_batches<dim>(block, form, target, CompactRows{target.layout.starts}, first, last);
  else
    add_batches<dim>(block, form, target, target.layout, first, last);
}

}  // namespace tessera::assembly
