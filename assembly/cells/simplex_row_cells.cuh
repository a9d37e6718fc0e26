#pragma once
// nonzeros on CUDA, linear straight simplices: what a cell adds to the row of a lane, by the form and what of it is
// constant.
#include "assembly/cells/elements_unsymmetric.cuh"
#include "assembly/cells/held_vertices.cuh"
#include "base/reciprocal.hpp"

namespace tessera::assembly::kernels {

/// What a row adds up beside its entries. They and the diagonal sum to `whole`, for gradients of constants are zero.
struct RowTotals {
  double whole = 0;  ///< integral of C_vv phi
  double load = 0;   ///< integral of l phi
};

/// A symmetric form with one scalar between gradients, one region, nothing given at points.
template <int dim, class Form>
struct PlainCells {
  /// Blocks that a multiprocessor is to hold, which leaves 80 registers in 3-D and 48 in 2-D. H200, CUDA 13,
  /// 2026-11-21: 6 M tets 0.166 ms, with 96 registers 0.173, with 124 0.193, with 72 (which spill) 0.190; 2.9 M
  /// triangles 0.077, with 64 0.085, with 40 0.086.
  static constexpr int blocks = dim == 3 ? 12 : 20;
  double gradient, value, load, volume = 0;

  __device__ PlainCells(const BlockView& block, const Form& form, const SimplexRowsView&, const Index*)
      : gradient(forms::has(form, gradient_gradient)
                     ? -unit_measure<dim> * forms::tangent_at<dim>(form, forms::Place{}).gg.values[0]
                     : 0.0),
        value(forms::has(form, value_value)
                  ? forms::tangent_at<dim>(form, forms::Place{}).vv * (unit_measure<dim> / ((dim + 1) * (dim + 2)))
                  : 0.0),
        load(forms::has(form, load_value)
                 ? forms::load_at<dim>(form, forms::Place{}) * reference_factor<dim> * block.load[0]
                 : 0.0) {}

  /// Without a branch, so that one cell's arithmetic mixes with the next one's loads: what is no cell has coefficients
  /// of 0.
  __device__ void add(HeldVertices<dim>& held, bool is_cell, double jacobian, Offset) {
    double inward[dim];
    held.inward_normal(inward);
    const double measure = is_cell ? jacobian : 0.0, scale = gradient * reciprocal(jacobian);
    held.add(inward, is_cell ? scale : 0.0, value * measure);
    volume += measure;
  }
  __device__ RowTotals totals() const { return {(dim + 2) * value * volume, load * volume}; }
};

/// Any symmetric form: regions, tensors, values at points.
template <int dim, class Form>
struct AnyCells {
  static constexpr int blocks = dim == 3 ? 8 : 16;
  const BlockView& block;
  const Form& form;
  const Index* cells;
  const Index* cols;  ///< of the row
  RowTotals sum;

  __device__ AnyCells(const BlockView& b, const Form& f, const SimplexRowsView& rows, const Index* c)
      : block(b), form(f), cells(rows.cells), cols(c) {}

  __device__ void add(HeldVertices<dim>& held, bool is_cell, double jacobian, Offset at) {
    if (!is_cell) return;
    const Offset place = cells[at] / (dim + 1);
    const int i = cells[at] % (dim + 1);
    const forms::Place x = block.at(place, 0);
    double inward[dim], tensor[tensor_size<dim>] = {}, flux[dim], mass = 0;
    held.inward_normal(inward);
    const int components = mean_tensor<dim>(block, form, x, tensor);
    forms::multiply_symmetric<dim>(tensor, components, inward, flux);
    if (forms::has(form, value_value)) {
      if (!form.constant(value_value)) {
        add_values_at_points(held, place, i, reference_factor<dim> * jacobian);
      } else {
        mass = forms::tangent_at<dim>(form, x).vv * jacobian * (unit_measure<dim> / ((dim + 1) * (dim + 2)));
        sum.whole += (dim + 2) * mass;
      }
    }
    held.add(flux, -unit_measure<dim> / jacobian, mass);
    if (forms::has(form, load_value))
      sum.load += reference_factor<dim> * jacobian *
                  (form.constant(load_value) ? forms::load_at<dim>(form, x) * block.load[0]
                                             : load_at_points<dim>(block, form, x, i));
  }

  /// sum_q w_q C_vv phi_i phi_a; the held vertices are found in the cell by their dofs.
  __device__ void add_values_at_points(HeldVertices<dim>& held, Offset place, int i, double scale) {
    int local[dim];
    for (int a = 0; a < dim; ++a) {
      local[a] = 0;
      while (block.dof(place, local[a]) != cols[held.column[a]]) ++local[a];
    }
    forms::Place x = block.at(place, 0);
    for (int q = 0; q < block.points; ++q) {
      x.point = q;
      const double* phi = block.basis + (q * (dim + 1) + dim) * (dim + 1);
      const double w = scale * block.weights[q] * forms::tangent_at<dim>(form, x).vv * phi[i];
      for (int a = 0; a < dim; ++a) held.sum[a][0] += w * phi[local[a]];
      for (int j = 0; j <= dim; ++j) sum.whole += w * phi[j];
    }
  }
  __device__ RowTotals totals() const { return sum; }
};

/// A cell of a strip as forms see it: a unit simplex with the row's vertex as its first.
template <int dim>
struct StripPoint : forms::Place {
  const HeldVertices<dim>& held;
  double inverse_det;

  __device__ StripPoint(const forms::Place& x, const HeldVertices<dim>& of, double inverse)
      : forms::Place(x), held(of), inverse_det(inverse) {}
  __device__ static int order() { return 1; }
  __device__ static int simplex_axes() { return dim; }
  /// J^-1 v: along the gradients of the other vertices.
  __device__ void to_reference(const double (&v)[dim], double (&along)[dim]) const {
    for (int a = 0; a < dim; ++a) along[a] = 0;
    for (int d = 0; d < dim; ++d)
      for (int a = 0; a < dim; ++a) along[a] += v[d] * held.normal[a][d] * inverse_det;
  }
};

/// Forms with terms that many problems do without: is_plain() says whether this one does, and plain() is the form with
/// a compiler that knows it.
template <class Form>
concept HasPlain = requires(const Form& form) {
  form.is_plain();
  form.plain();
};

/// A form that is not symmetric: row i of a cell, column a. `constant`: nothing is given at points; `plain`: the form
/// is (HasPlain). CUDA 13, values at points: plain ones take 96 registers in 2-D and 150 in 3-D, others 96 and 168, and
/// spill 112 and 40 B.
template <int dim, bool constant, bool plain, class Form>
struct UnsymmetricCells {
  static constexpr int n = dim + 1;
  static constexpr int blocks = dim == 3 ? 6 : 10;
  const BlockView& block;
  const Form form;
  const Index* cells;
  const Index* cols;  ///< of the row
  RowTotals sum;

  __device__ UnsymmetricCells(const BlockView& b, const Form& f, const SimplexRowsView& rows, const Index* c)
      : block(b), form(known(f)), cells(rows.cells), cols(c) {}

  __device__ void add(HeldVertices<dim>& held, bool is_cell, double jacobian, Offset at) {
    if (!is_cell) return;
    double inward[dim], flux[dim] = {}, mass = 0, det = 0;
    held.inward_normal(inward);
    for (int d = 0; d < dim; ++d) det += held.edge[dim - 1][d] * held.normal[dim - 1][d];
    const double inverse = 1 / det;
    for (int d = 0; d < dim; ++d) inward[d] *= -inverse;
    if constexpr (constant) {
      const double measure = unit_measure<dim> * jacobian, mean = 1.0 / n;
      const forms::Place x{block.region ? block.region[cells[at] / n] : 0};
      const forms::Row<dim> row = add_point(held, x, inward, inverse, measure, mean, flux);
      mass = measure * mean * (row.of_gradient + row.of_phi * (1.0 / (n + 1)));  // int phi_i phi_a = 1 / (n (n+1))
    } else {
      const Offset place = cells[at] / n;
      const int i = cells[at] % n;
      for (int q = 0; q < block.points; ++q) {
        const double* phi = block.basis + (q * (dim + 1) + dim) * n;
        const double weight = reference_factor<dim> * jacobian * block.weights[q];
        const forms::Row<dim> row = add_point(held, block.at(place, q), inward, inverse, weight, phi[i], flux);
        if (forms::has(form, value_value) || forms::has(form, forms::gradient_value))
          add_value(held, place, phi, weight * row.value(phi[i]));
      }
    }
    held.add(flux, inverse, mass);
  }
  __device__ RowTotals totals() const { return sum; }

 private:
  __device__ static Form known(const Form& form) {
    if constexpr (plain)
      return form.plain();
    else
      return form;
  }

  /// A point of this weight: what it adds to the flux, the load and the whole.
  __device__ forms::Row<dim> add_point(const HeldVertices<dim>& held, const forms::Place& x, const double (&grad)[dim],
                                       double inverse, double weight, double phi, double (&flux)[dim]) {
    forms::Row<dim> row;
    forms::make_row<dim>(form, StripPoint<dim>(x, held, inverse), phi, grad, row);
    for (int d = 0; d < dim; ++d) flux[d] += weight * row.gradient[d];
    sum.whole += weight * row.value(phi);
    sum.load += weight * row.load;
    return row;
  }

  /// The held vertices are found in the cell by their dofs.
  __device__ void add_value(HeldVertices<dim>& held, Offset place, const double* phi, double factor) const {
    for (int a = 0; a < dim; ++a) {
      int local = 0;
      while (block.dof(place, local) != cols[held.column[a]]) ++local;
      held.sum[a][0] += factor * phi[local];
    }
  }
};

}  // namespace tessera::assembly::kernels
