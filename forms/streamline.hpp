#pragma once
// The parameter of streamline diffusion.
#include <cmath>

#include "forms/tensor.hpp"

namespace tessera::forms {

/// coth Pe - 1/Pe: what makes linear elements on a line exact at the nodes (Brooks & Hughes 1982).
TESSERA_HD inline double optimal_upwinding(double peclet) {
  if (peclet < 1e-2) return peclet / 3 - peclet * peclet * peclet / 45;
  if (peclet > 20) return 1 - 1 / peclet;
  return 1 / std::tanh(peclet) - 1 / peclet;
}

/// 1/T of the time T that a flow takes along the longest chord of a cell in its direction; flow = J^-1 b. In a simplex
/// half the sum of the rates of the barycentric coordinates, along [-1, 1] half the rate, the larger of both in a
/// product.
template <int dim>
TESSERA_HD inline double crossing_rate(int simplex_axes, const double (&flow)[dim]) {
  double first = 0, rate = 0;
  for (int a = 0; a < dim; ++a)
    if (a < simplex_axes) first += flow[a], rate += 0.5 * absolute(flow[a]);
  rate += 0.5 * absolute(first);
  for (int a = 0; a < dim; ++a)
    if (a >= simplex_axes && 0.5 * absolute(flow[a]) > rate) rate = 0.5 * absolute(flow[a]);
  return rate;
}

/// tau of SUPG. With the time T that the flow b takes along the longest chord of the cell in its direction, h_b = |b|
/// T, and elements of order p, whose own length is h_b / p (Codina, Comput. Methods Appl. Mech. Eng. 156 (1998)
/// 185-210):
///   tau = T/(2p) (coth Pe - 1/Pe),   Pe = |b| h_b / (2 p k_b),   k_b = b . k b / |b|^2
/// and, that second derivatives and reaction leave the form coercive, at most the inverse estimate h^2 / (12 p^2 k) of
/// the least height or axis (Franca, Frey, Hughes, ibid. 95 (1992) 253-276; for p > 1) and at most 1/(2 |c|). flow =
/// J^-1 b; bb = b . b; bkb = b . k b; K = J^-1 k J^-T, packed.
template <int dim>
TESSERA_HD inline double stabilisation(int order, int simplex_axes, bool second, const double (&flow)[dim], double bb,
                                       double bkb, const double (&K)[tensor_size<dim>], double c) {
  if (!(bb > 0)) return 0;
  const double half_time = 0.5 / (order * crossing_rate<dim>(simplex_axes, flow));
  double tau = bkb > 0 ? half_time * optimal_upwinding(half_time * bb * (bb / bkb)) : half_time;
  if (second && order > 1) {
    // K_aa = k / (half width)^2 along [-1, 1], k / height^2 for a barycentric coordinate: the first is 1 less the
    // others.
    double largest = 0, first = 0;
    for (int a = 0; a < dim; ++a) {
      const double rate = (a < simplex_axes ? 12 : 3) * K[packed(a, a, dim)];
      if (rate > largest) largest = rate;
      for (int b = 0; b < dim; ++b)
        if (a < simplex_axes && b < simplex_axes) first += 12 * K[a <= b ? packed(a, b, dim) : packed(b, a, dim)];
    }
    if (first > largest) largest = first;
    if (order * order * largest * tau > 1) tau = 1 / (order * order * largest);
  }
  const double reaction = 2 * absolute(c);
  return reaction * tau > 1 ? 1 / reaction : tau;
}

}  // namespace tessera::forms
