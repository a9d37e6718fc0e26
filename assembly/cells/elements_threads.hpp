#pragma once
// Element matrices and loads on threads, apart from where they go (sinks_threads.hpp).
#include <algorithm>
#include <vector>

#include "assembly/cells/block.hpp"
#include "assembly/cells/cell_point.hpp"
#include "assembly/cells/simplex.hpp"
#include "forms/components.hpp"

namespace tessera::assembly {

/// Elements that share one vector register.
inline constexpr int lanes = 8;

using forms::gradient_gradient;
using forms::load_value;
using forms::value_value;

/// Workspace of one thread: the matrix and load of one element. Of a symmetric matrix the upper half is filled. `basis`
/// serves forms with several unknowns a node.
struct Workspace {
  std::vector<double> matrix, load, flux, basis;
  explicit Workspace(const BlockView& block, int dim)
      : matrix(static_cast<std::size_t>(block.nodes) * block.nodes * block.components * block.components),
        load(static_cast<std::size_t>(block.nodes) * block.components),
        flux(static_cast<std::size_t>(dim + 1) * block.nodes),
        basis(flux.size()) {}

  /// Entry (i, j) of the matrix, of which a symmetric one has the upper half.
  double entry(const BlockView& block, int i, int j) const {
    return matrix[i <= j || !block.symmetric ? i * block.nodes + j : j * block.nodes + i];
  }
};

/// An element has values(place, work), its matrix and where there is a load that, and row(place, i, work, row), row i
/// of the matrix alone, which returns its load.

/// Straight simplices with a tangent that is constant on the cell: sum over pairs of G_ab R_ab, plus C_vv times the
/// mass.
template <int dim, class Form>
struct AffineElement {
  const BlockView& block;
  const Form& form;

  void values(Offset place, Workspace& work) const {
    double J[dim][dim], inverse[dim][dim];
    cell_jacobian<dim>(block, place, 0, J);
    const double scale = absolute(invert<dim, double>(J, inverse));
    forms::Place x = block.at(place, 0);
    double G[tensor_size<dim> + 1] = {};
    forms::pull_back_tangent<dim>(form, x, inverse, scale, G);
    const bool has_value = forms::has(form, value_value);
    const int terms = tensor_size<dim> + (has_value ? 1 : 0);
    if (has_value) G[tensor_size<dim>] = scale * forms::tangent_at<dim>(form, x).vv;
    const int count = block.nodes * block.nodes;
    double* matrix = work.matrix.data();
#pragma omp simd
    for (int e = 0; e < count; ++e) matrix[e] = G[0] * block.reference[e];
    for (int m = 1; m < terms; ++m) {
      const double factor = G[m];
      const double* reference = block.reference + static_cast<Offset>(m) * count;
#pragma omp simd
      for (int e = 0; e < count; ++e) matrix[e] += factor * reference[e];
    }
    if (!forms::has(form, load_value)) return;
    for (int i = 0; i < block.nodes; ++i) {
      double sum = 0;
      if (form.constant(load_value))
        sum = forms::load_at<dim>(form, x) * block.load[i];
      else
        for (int q = 0; q < block.points; ++q) {
          x.point = q;
          sum += block.weights[q] * forms::load_at<dim>(form, x) * block.basis[(q * (dim + 1) + dim) * block.nodes + i];
        }
      work.load[i] = scale * sum;
    }
  }

  double row(Offset place, int i, Workspace&, double* __restrict__ row) const {
    const int n = block.nodes;
    double J[dim][dim], inverse[dim][dim];
    cell_jacobian<dim>(block, place, 0, J);
    const double scale = absolute(invert<dim, double>(J, inverse));
    forms::Place x = block.at(place, 0);
    double load = 0;
    std::fill_n(row, n, 0.0);
    if (forms::has(form, load_value))
      for (int q = 0; q < block.points; ++q) {
        x.point = q;
        const double w = scale * block.weights[q];
        const double* phi = block.basis + (static_cast<Offset>(q) * (dim + 1) + dim) * n;
        load += w * forms::load_at<dim>(form, x) * phi[i];
      }
    x.point = 0;
    double terms[tensor_size<dim> + 1] = {};
    forms::pull_back_tangent<dim>(form, x, inverse, scale, terms);
    terms[tensor_size<dim>] = forms::scaled_value<dim>(form, x, scale);
    for (int m = 0; m < tensor_size<dim> + 1; ++m) {
      const double* reference = block.reference + (static_cast<Offset>(m) * n + i) * n;
#pragma omp simd
      for (int j = 0; j < n; ++j) row[j] += terms[m] * reference[j];
    }
    return load;
  }
};

/// By quadrature: sum_q B_i . (G B_j) with B the reference gradients and the value; the upper half and what shares its
/// vector registers.
template <int dim, class Form>
struct SymmetricElement {
  const BlockView& block;
  const Form& form;

  void values(Offset place, Workspace& work) const {
    if (dim == 3 && block.nodes == 8) return values<8>(place, work);
    if (dim == 3 && block.nodes == 27) return values<27>(place, work);
    if (block.nodes == 4) return values<4>(place, work);
    if (dim == 2 && block.nodes == 9) return values<9>(place, work);
    values<0>(place, work);
  }

  /// `fixed` is the number of dofs where the compiler shall know it, else 0.
  template <int fixed>
  void values(Offset place, Workspace& work) const {
    const int n = fixed > 0 ? fixed : block.nodes;
    forms::Place x = block.at(place, 0);
    double* __restrict__ matrix = work.matrix.data();
    double* __restrict__ load = work.load.data();
    double* __restrict__ flux = work.flux.data();
    std::fill_n(matrix, n * n, 0.0);
    std::fill_n(load, n, 0.0);
    for (int q = 0; q < block.points; ++q) {
      x.point = q;
      double J[dim][dim], inverse[dim][dim], G[tensor_size<dim>] = {};
      cell_jacobian<dim>(block, place, q, J);
      const double scale = absolute(invert<dim, double>(J, inverse)) * block.weights[q];
      forms::pull_back_tangent<dim>(form, x, inverse, scale, G);
      const double* __restrict__ B = block.basis + static_cast<Offset>(q) * (dim + 1) * n;
      const double* __restrict__ phi = B + dim * n;
      const double mass = forms::scaled_value<dim>(form, x, scale);
      for (int a = 0; a < dim; ++a) {
#pragma omp simd
        for (int j = 0; j < n; ++j) {
          double sum = 0;
          for (int e = 0; e < dim; ++e) sum += G[packed_symmetric(a, e, dim)] * B[e * n + j];
          flux[a * n + j] = sum;
        }
      }
#pragma omp simd
      for (int j = 0; j < n; ++j) flux[dim * n + j] = mass * phi[j];
      for (int i = 0; i < n; ++i) {
        double* __restrict__ row = matrix + i * n;
#pragma omp simd
        for (int j = i / lanes * lanes; j < n; ++j) {
          double sum = row[j];
          for (int a = 0; a <= dim; ++a) sum += B[a * n + i] * flux[a * n + j];
          row[j] = sum;
        }
      }
      if (!forms::has(form, load_value)) continue;
      const double of_point = scale * forms::load_at<dim>(form, x);
#pragma omp simd
      for (int i = 0; i < n; ++i) load[i] += of_point * phi[i];
    }
  }

  double row(Offset place, int i, Workspace&, double* __restrict__ row) const {
    const int n = block.nodes;
    forms::Place x = block.at(place, 0);
    double load = 0;
    std::fill_n(row, n, 0.0);
    for (int q = 0; q < block.points; ++q) {
      x.point = q;
      double J[dim][dim], inverse[dim][dim], G[tensor_size<dim>] = {};
      cell_jacobian<dim>(block, place, q, J);
      const double w = absolute(invert<dim, double>(J, inverse)) * block.weights[q];
      const double* B = block.basis + static_cast<Offset>(q) * (dim + 1) * n;
      const double* phi = B + dim * n;
      if (forms::has(form, load_value)) load += w * forms::load_at<dim>(form, x) * phi[i];
      forms::pull_back_tangent<dim>(form, x, inverse, w, G);
      double flux[dim + 1];
      for (int a = 0; a < dim; ++a) {
        flux[a] = 0;
        for (int e = 0; e < dim; ++e) flux[a] += G[packed_symmetric(a, e, dim)] * B[e * n + i];
      }
      flux[dim] = forms::has(form, value_value) ? w * forms::tangent_at<dim>(form, x).vv * phi[i] : 0.0;
      for (int a = 0; a <= dim; ++a)
#pragma omp simd
        for (int j = 0; j < n; ++j) row[j] += flux[a] * B[a * n + j];
    }
    return load;
  }
};

/// Forms that are not symmetric, by quadrature; linear straight simplices with constant coefficients in closed form,
/// where the form has one.
template <int dim, class Form>
struct UnsymmetricElement {
  using Point = forms::AtPoint<Form, dim>;
  const BlockView& block;
  const Form& form;

  void values(Offset place, Workspace& work) const {
    double* const matrix = work.matrix.data();
    double* const load = work.load.data();
    if constexpr (requires(Point p) { p.simplex(block.wide.at(block.wide.basis, 0), matrix, load); }) {
      if (block.nodes == dim + 1 && block.geometry_nodes == dim + 1 && form.constant()) {
        const Point point = point_of(place, 0, block.nodes * block.load[0]);
        return point.simplex(block.wide.at(block.wide.basis, 0), matrix, load);
      }
    }
    sum_rows(place, 0, block.nodes, work, matrix, load);
  }

  double row(Offset place, int i, Workspace& work, double* row) const {
    double load;
    sum_rows(place, i, i + 1, work, row, &load);
    return load;
  }

 private:
  Point point_of(Offset place, int q, double weight) const {
    double J[dim][dim];
    Point point;
    cell_jacobian<dim>(block, place, q, J);
    const GlobalGeometry geometry{block};
    forms::make_at_point<dim>(form, CellPoint<dim, GlobalGeometry>(block, geometry, place, q, J, weight), point);
    return point;
  }

  void sum_rows(Offset place, int first, int last, Workspace& work, double* matrix, double* load) const {
    if (block.nodes == 4) return sum_rows<4>(place, first, last, work.flux.data(), matrix, load);
    if (dim == 3 && block.nodes == 8) return sum_rows<8>(place, first, last, work.flux.data(), matrix, load);
    sum_rows<0>(place, first, last, work.flux.data(), matrix, load);
  }

  /// Rows first .. last of the matrix to `matrix`, and their loads to `load`: sum_q B_i . flux_j with the derivatives
  /// and the value as B. `fixed` is the number of dofs where the compiler shall know it, else 0.
  template <int fixed>
  void sum_rows(Offset place, int first, int last, double* __restrict__ flux, double* __restrict__ matrix,
                double* __restrict__ load) const {
    const int n = fixed > 0 ? fixed : block.nodes;
    std::fill_n(matrix, (last - first) * n, 0.0);
    std::fill_n(load, last - first, 0.0);
    for (int q = 0; q < block.points; ++q) {
      const forms::BasisRows basis = block.wide.at(block.wide.basis, q);
      const Point point = point_of(place, q, block.weights[q]);
#pragma omp simd
      for (int j = 0; j < n; ++j) {
        double of_column[dim + 1];
        point.flux(basis, j, of_column);
        for (int a = 0; a <= dim; ++a) flux[a * n + j] = of_column[a];
      }
      for (int i = first; i < last; ++i) {
        double* __restrict__ row = matrix + (i - first) * n;
#pragma omp simd
        for (int j = 0; j < n; ++j) {
          double sum = row[j];
          for (int a = 0; a <= dim; ++a) sum += basis(a, i) * flux[a * n + j];
          row[j] = sum;
        }
        load[i - first] += point.load(basis, i);
      }
    }
  }
};

template <int dim, class Form>
struct ComponentElement;

/// Calls f(element) with the element type of a block of dimension `dim` for a form.
template <int dim, class Form, class F>
void with_element_of(const BlockData<Host>& block, const Form& form, F& f) {
  if constexpr (forms::has_components<Form>)
    f(ComponentElement<dim, Form>{block.view, form});
  else if constexpr (!Form::symmetric)
    f(UnsymmetricElement<dim, Form>{block.view, form});
  else if (block.kernel == Kernel::general)
    f(SymmetricElement<dim, Form>{block.view, form});
  else
    f(AffineElement<dim, Form>{block.view, form});
}

template <class Form, class F>
void with_element(const BlockData<Host>& block, const Form& form, F f) {
  if (block.dim == 1) return with_element_of<1>(block, form, f);
  if (block.dim == 2) return with_element_of<2>(block, form, f);
  with_element_of<3>(block, form, f);
}

}  // namespace tessera::assembly
