#pragma once
// What a form says at a point. With B = (grad, value) of the basis functions
//   K_ij = int B_i^T C B_j,   b_i = int l . B_i
// Assembly does everything else: it pulls C and l back to the reference cell, and sums over points, cells and rows.
#include "forms/field.hpp"
#include "forms/tensor.hpp"

namespace tessera::forms {

/// The blocks of C, test function first, and those of the load.
enum Block : unsigned {
  gradient_gradient = 1,
  gradient_value = 2,
  value_gradient = 4,
  value_value = 8,
  load_value = 16,
  load_gradient = 32
};

/// Views of a symmetric tensor: one component, or dim (dim+1)/2.
template <class T>
struct TensorView {
  const T* values;
  int components;
};

/// C at a point, in physical coordinates. Only the blocks that the form couples are read.
template <int dim, class T = double>
struct Tangent {
  TensorView<T> gg;
  T gv[dim], vg[dim];
  T vv;
};

/// l at a point.
template <int dim, class T = double>
struct Load {
  T gradient[dim];
  T value;
};

/// Whether a block is there: forms name those that they couple as constants, `present` says which have data at run
/// time.
template <class Form>
TESSERA_HD constexpr bool has(const Form& form, Block block) {
  return (Form::couples & block) != 0 && form.present(block);
}

/// C at a place of a form that needs nothing else of the point. Called where a block is needed, so that no value waits
/// in a register.
template <int dim, class Form>
TESSERA_HD_INLINE inline auto tangent_at(const Form& form, const Place& x) {
  Tangent<dim, typename Form::Number> C;
  Load<dim, typename Form::Number> l;
  form.at_point(x, C, l);
  return C;
}

template <int dim, class Form>
TESSERA_HD_INLINE inline auto load_at(const Form& form, const Place& x) {
  Tangent<dim, typename Form::Number> C;
  Load<dim, typename Form::Number> l;
  form.at_point(x, C, l);
  return l.value;
}

/// G = scale J^-1 C_gg J^-T, packed; G is left alone where there is none.
template <int dim, class Form>
TESSERA_HD_INLINE inline void pull_back_tangent(const Form& form, const Place& x, const double (&inverse)[dim][dim],
                                                double scale, double* G) {
  if (!has(form, gradient_gradient)) return;
  const auto gg = tangent_at<dim>(form, x).gg;
  pull_back<dim>(gg.values, gg.components, inverse, scale, G);
}

/// scale C_vv, 0 where there is none.
template <int dim, class Form>
TESSERA_HD_INLINE inline double scaled_value(const Form& form, const Place& x, double scale) {
  return has(form, value_value) ? scale * tangent_at<dim>(form, x).vv : 0.0;
}

/// scale l, 0 where there is none.
template <int dim, class Form>
TESSERA_HD_INLINE inline double scaled_load(const Form& form, const Place& x, double scale) {
  return has(form, load_value) ? scale * load_at<dim>(form, x) : 0.0;
}

/// Rows of a table of the basis at a point, [rows, width]: reference derivatives, the value, second derivatives where
/// they are needed, packed, mixed ones doubled.
struct BasisRows {
  const double* values;
  int width, rows;
  TESSERA_HD double operator()(int row, int j) const { return values[row * width + j]; }
};

/// What test function i contributes at a point, in physical coordinates: entry j is gradient . grad phi_j +
/// value(phi_i) phi_j.
template <int dim>
struct Row {
  double gradient[dim];
  double of_phi;       ///< C_vv
  double of_gradient;  ///< C_gv . grad phi_i
  double load;
  TESSERA_HD double value(double phi) const { return of_phi * phi + of_gradient; }
};

}  // namespace tessera::forms
