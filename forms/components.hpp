#pragma once
// Forms of several unknowns a node. With B = (grad, value) of the basis functions, test component c and trial component
// d
//   K_(ic)(jd) = int B_i^T C_cd B_j,   b_(ic) = int l_c . B_i
// Such a form has, beside Number, Data, symmetric, couples, members(), coefficients() and region() of every form:
//   components(dim)                 how many unknowns a node has
//   tangent<dim>(place, c, d, C)    C_cd [dim + 1, dim + 1], test function first, the value last
//   load<dim>(place, c, l)          l_c [dim + 1]
//   present(block), constant()      which blocks have data; whether one point has the coefficients of the whole cell
//   tests_values()                  whether C has rows and columns of values in this run
// and for operators without a matrix, beside With<T> and needed_by_tangent(member) as forms of one unknown have them,
//   without_fields<U>()             itself with the numbers U, with empty fields; and it is symmetric: C_dc = C_cd^T
#include "forms/pulled.hpp"

namespace tessera::forms {

/// Whether a form has several unknowns a node (in some dimension).
template <class Form>
inline constexpr bool has_components = requires {
  Form::components(1);
};

/// Unknowns a node.
template <class Form>
TESSERA_HD constexpr int components_of(int dim) {
  if constexpr (has_components<Form>)
    return Form::components(dim);
  else
    return Form::components;
}

/// One pair of components of a form as a form of one unknown that is not symmetric: what elements for such forms take.
template <class Form>
struct ComponentPair {
  using Number = double;
  static constexpr int components = 1;
  static constexpr bool symmetric = false;
  static constexpr unsigned couples = Form::couples;
  template <int dim>
  using AtPoint = Pulled<dim>;

  Form form;
  int test = 0, trial = 0;  ///< the components

  TESSERA_HD bool present(Block block) const { return form.present(block); }
  TESSERA_HD bool constant() const { return form.constant(); }

  /// w |det J| C_cd and w |det J| l_c in reference coordinates; the load is there where both are the same.
  template <int dim, class Point>
  TESSERA_HD_INLINE void pull_back(const Point& x, Pulled<dim>& p) const {
    double C[dim + 1][dim + 1], T[dim + 1][dim + 1];
    form.template tangent<dim>(x, test, trial, C);
    for (int e = 0; e <= dim; ++e) {  // columns
      for (int b = 0; b < dim; ++b) {
        T[e][b] = 0;
        for (int f = 0; f < dim; ++f) T[e][b] += C[e][f] * x.inverse[b][f];
      }
      T[e][dim] = C[e][dim];
    }
    for (int b = 0; b <= dim; ++b) {  // rows
      for (int a = 0; a < dim; ++a) {
        double sum = 0;
        for (int e = 0; e < dim; ++e) sum += x.inverse[a][e] * T[e][b];
        p.C[a][b] = x.measure * sum;
      }
      p.C[dim][b] = x.measure * T[dim][b];
    }
    double l[dim + 1] = {};
    if (test == trial) form.template load<dim>(x, test, l);
    for (int a = 0; a < dim; ++a) {
      double sum = 0;
      for (int e = 0; e < dim; ++e) sum += x.inverse[a][e] * l[e];
      p.l[a] = x.measure * sum;
    }
    p.l[dim] = x.measure * l[dim];
  }
};

}  // namespace tessera::forms
