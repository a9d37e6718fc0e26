#pragma once
// C and l of any form in reference coordinates, for the elements that are not symmetric. A form with more structure,
// such as products of a vector and a vector, brings a type of its own, `Form::AtPoint<dim>`, which says the same in
// fewer operations.
#include "forms/tangent.hpp"

namespace tessera::forms {

/// w |det J| C and w |det J| l of a quadrature point, pulled back.
template <int dim>
struct Pulled {
  static constexpr bool has_second = false;
  double C[dim + 1][dim + 1];  ///< test function first; the value is the last
  double l[dim + 1];

  /// flux = C B_j of column j.
  TESSERA_HD_INLINE void flux(const BasisRows& basis, int j, double (&flux)[dim + 1]) const {
    for (int a = 0; a <= dim; ++a) {
      flux[a] = C[a][0] * basis(0, j);
      for (int b = 1; b <= dim; ++b) flux[a] += C[a][b] * basis(b, j);
    }
  }
  /// row = B_i^T C of row i; B_i [dim + 1], `step` apart.
  TESSERA_HD_INLINE void row(const double* B, int step, double* row) const {
    for (int b = 0; b <= dim; ++b) {
      row[b] = 0;
      for (int a = 0; a <= dim; ++a) row[b] += B[a * step] * C[a][b];
    }
  }
  /// What the point adds to the load of dof i.
  TESSERA_HD_INLINE double load(const BasisRows& basis, int i) const {
    double sum = l[0] * basis(0, i);
    for (int a = 1; a <= dim; ++a) sum += l[a] * basis(a, i);
    return sum;
  }
  /// C as 4 x 4, unused axes 0; l as 4.
  TESSERA_HD void write(double* matrix, double* load) const {
    for (int a = 0; a < 4; ++a) {
      for (int b = 0; b < 4; ++b)
        matrix[4 * a + b] = (a < dim || a == 3) && (b < dim || b == 3) ? C[a == 3 ? dim : a][b == 3 ? dim : b] : 0.0;
      load[a] = a < dim || a == 3 ? l[a == 3 ? dim : a] : 0.0;
    }
  }
};

namespace detail {
template <class Form, int dim>
concept BringsAtPoint = requires {
  typename Form::template AtPoint<dim>;
};
template <class Form, int dim>
struct AtPointOf {
  using type = Pulled<dim>;
};
template <class Form, int dim>
requires BringsAtPoint<Form, dim>
struct AtPointOf<Form, dim> {
  using type = typename Form::template AtPoint<dim>;
};
}  // namespace detail

/// What kernels keep of a quadrature point of a form that is not symmetric.
template <class Form, int dim>
using AtPoint = typename detail::AtPointOf<Form, dim>::type;

namespace detail {
/// Forms that may have dim x dim numbers by rows between gradients, a matrix that need not be symmetric, say so by
/// `matrix_between_gradients`.
template <class Form>
concept HasMatrix = requires {
  requires Form::matrix_between_gradients;
};

/// result = C_gg^T v, from the side of the test function.
template <int dim, class Form>
TESSERA_HD_INLINE inline void multiply_test(const TensorView<double>& gg, const double (&v)[dim],
                                            double (&result)[dim]) {
  if constexpr (HasMatrix<Form> && dim > 1) {
    if (gg.components == dim * dim) {
      for (int b = 0; b < dim; ++b) {
        result[b] = 0;
        for (int a = 0; a < dim; ++a) result[b] += gg.values[a * dim + b] * v[a];
      }
      return;
    }
  }
  multiply_symmetric<dim>(gg.values, gg.components, v, result);
}
}  // namespace detail

/// Fills `p` at a point, see assembly's CellPoint: a Place with J^-1, w |det J| and what it says of the cell.
template <int dim, class Form, class Point>
TESSERA_HD_INLINE inline void make_at_point(const Form& form, const Point& x, AtPoint<Form, dim>& p) {
  if constexpr (detail::BringsAtPoint<Form, dim>) {
    form.template pull_back<dim>(x, p);
  } else {
    Tangent<dim> C;
    Load<dim> l;
    form.at_point(x, C, l);
    double gg[tensor_size<dim>] = {};
    if constexpr (!detail::HasMatrix<Form>)
      if (has(form, gradient_gradient)) pull_back<dim>(C.gg.values, C.gg.components, x.inverse, x.measure, gg);
    for (int a = 0; a < dim; ++a) {
      for (int b = 0; b < dim; ++b) p.C[a][b] = gg[packed_symmetric(a, b, dim)];
      if constexpr (detail::HasMatrix<Form>)
        if (has(form, gradient_gradient)) {
          double flux[dim];
          detail::multiply_test<dim, Form>(C.gg, x.inverse[a], flux);
          for (int b = 0; b < dim; ++b)
            for (int d = 0; d < dim; ++d) p.C[a][b] += x.measure * flux[d] * x.inverse[b][d];
        }
      double gv = 0, vg = 0, lg = 0;
      for (int d = 0; d < dim; ++d) {
        if constexpr ((Form::couples & gradient_value) != 0) gv += x.inverse[a][d] * C.gv[d];
        if constexpr ((Form::couples & value_gradient) != 0) vg += x.inverse[a][d] * C.vg[d];
        if constexpr ((Form::couples & load_gradient) != 0) lg += x.inverse[a][d] * l.gradient[d];
      }
      p.C[a][dim] = x.measure * gv;
      p.C[dim][a] = x.measure * vg;
      p.l[a] = x.measure * lg;
    }
    p.C[dim][dim] = has(form, value_value) ? x.measure * C.vv : 0.0;
    p.l[dim] = has(form, load_value) ? x.measure * l.value : 0.0;
  }
}

/// Row i of C at a point, in physical coordinates, from value and gradient of the test function.
template <int dim, class Form, class Point>
TESSERA_HD_INLINE inline void make_row(const Form& form, const Point& x, double phi, const double (&grad)[dim],
                                       Row<dim>& row) {
  if constexpr (requires { form.make_row(x, phi, grad, row); }) {
    form.make_row(x, phi, grad, row);
  } else {
    Tangent<dim> C;
    Load<dim> l;
    form.at_point(x, C, l);
    for (int d = 0; d < dim; ++d) row.gradient[d] = 0;
    row.of_phi = has(form, value_value) ? C.vv : 0.0;
    row.of_gradient = 0;
    row.load = has(form, load_value) ? phi * l.value : 0.0;
    if (has(form, gradient_gradient)) detail::multiply_test<dim, Form>(C.gg, grad, row.gradient);
    for (int d = 0; d < dim; ++d) {
      if constexpr ((Form::couples & value_gradient) != 0) row.gradient[d] += phi * C.vg[d];
      if constexpr ((Form::couples & gradient_value) != 0) row.of_gradient += grad[d] * C.gv[d];
      if constexpr ((Form::couples & load_gradient) != 0) row.load += grad[d] * l.gradient[d];
    }
  }
}

}  // namespace tessera::forms
