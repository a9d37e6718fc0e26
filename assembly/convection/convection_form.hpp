#pragma once
// The form at a point of a cell: coefficients in reference coordinates, the parameter of SUPG, entries of a row.
#include <cmath>

#include "assembly/cells/data.hpp"
#include "assembly/cells/form.hpp"

namespace tessera::assembly {

/// Everything about a quadrature point but the basis, times w |det J|: D are derivatives in reference coordinates.
///   row i, column j:  D_i . G D_j + (phi_i + t_i) (gamma phi_j) + phi_i beta . D_j + t_i (r . D_j - G : D^2_j),  t_i = tau beta . D_i
template <int dim>
struct ConvectionPoint {
  double G[symmetric<dim>];
  double beta[dim];
  double r[dim];  ///< beta, less div k and the second derivatives of the map
  double gamma, source;
  double tau;  ///< per w |det J|
};

/// coth Pe - 1/Pe: what makes linear elements on a line exact at the nodes (Brooks & Hughes 1982).
TESSERA_HD inline double optimal_upwinding(double peclet) {
  if (peclet < 1e-2) return peclet / 3 - peclet * peclet * peclet / 45;
  if (peclet > 20) return 1 - 1 / peclet;
  return 1 / std::tanh(peclet) - 1 / peclet;
}

/// 1/T of the time T that a flow takes along the longest chord of a cell in its direction; flow = J^-1 b. In a simplex half the sum of
/// the rates of the barycentric coordinates, along [-1, 1] half the rate, the larger of both in a product.
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

/// tau of SUPG. With the time T that the flow b takes along the longest chord of the cell in its direction, h_b = |b| T, and elements
/// of order p, whose own length is h_b / p (Codina, Comput. Methods Appl. Mech. Eng. 156 (1998) 185-210):
///   tau = T/(2p) (coth Pe - 1/Pe),   Pe = |b| h_b / (2 p k_b),   k_b = b . k b / |b|^2
/// and, that second derivatives and reaction leave the form coercive, at most the inverse estimate h^2 / (12 p^2 k) of the least
/// height or axis (Franca, Frey, Hughes, ibid. 95 (1992) 253-276; for p > 1) and at most 1/(2 |c|).
/// flow = J^-1 b; bb = b . b; bkb = b . k b; K = J^-1 k J^-T, packed.
template <int dim>
TESSERA_HD inline double stabilisation(int order, int simplex_axes, bool second, const double (&flow)[dim], double bb,
                                       double bkb, const double (&K)[symmetric<dim>], double c) {
  if (!(bb > 0)) return 0;
  const double half_time = 0.5 / (order * crossing_rate<dim>(simplex_axes, flow));
  double tau = bkb > 0 ? half_time * optimal_upwinding(half_time * bb * (bb / bkb)) : half_time;
  if (second && order > 1) {
    // K_aa = k / (half width)^2 along [-1, 1], k / height^2 for a barycentric coordinate: the first is 1 less the others.
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

/// The point q of the cell at `place`, of which J is the Jacobian and `weight` the weight.
template <int dim, class Geometry>
TESSERA_HD inline void make_convection_point(const BlockView& block, const Geometry& geometry, Offset place, int q,
                                             const double (&J)[dim][dim], double weight, ConvectionPoint<dim>& point) {
  const ConvectionView& view = block.convection;
  const Index region = block.region_of(place);
  const Offset cell = block.cell_of(place);
  double inverse[dim][dim];
  const double scale = absolute(invert<dim, double>(J, inverse)) * weight;
  const double c = block.c.empty() ? 0.0 : *block.c.at(region, cell, q, block.points);
  point.gamma = scale * c;
  point.source = block.f.empty() ? 0.0 : scale * *block.f.at(region, cell, q, block.points);
  double K[symmetric<dim>] = {};
  if (!block.k.empty()) pull_back<dim>(block.k.at(region, cell, q, block.points), block.k.components, inverse, 1.0, K);
  double flow[dim] = {};
  const double* b = view.velocity.empty() ? nullptr : view.velocity.at(region, cell, q, block.points);
  if (b)
    for (int a = 0; a < dim; ++a)
      for (int d = 0; d < dim; ++d) flow[a] += inverse[a][d] * b[d];
  for (int m = 0; m < symmetric<dim>; ++m) point.G[m] = scale * K[m];
  for (int a = 0; a < dim; ++a) point.r[a] = point.beta[a] = scale * flow[a];
  point.tau = 0;
  if (!view.supg || !b) return;

  double speed[dim], flux[dim] = {}, bb = 0, bkb = 0;
  for (int d = 0; d < dim; ++d) speed[d] = b[d];
  if (!block.k.empty())
    apply_diffusivity<dim>(block.k.at(region, cell, q, block.points), block.k.components, speed, flux);
  for (int d = 0; d < dim; ++d) bb += b[d] * b[d], bkb += b[d] * flux[d];
  point.tau = stabilisation<dim>(view.order, view.simplex_axes, view.rows > dim + 1, flow, bb, bkb, K, c) / scale;
  // div(k grad phi) = K : D^2 phi + (div k - J^-1 (K : D^2 x)) . D phi
  double correction[dim] = {};
  if (!view.divergence.empty()) {
    const double* divergence = view.divergence.at(region, cell, q, block.points);
    for (int d = 0; d < dim; ++d) correction[d] = -divergence[d];
  }
  if (view.map_second) {
    const int nodes = block.geometry_nodes;
    const double* second = view.map_second + static_cast<Offset>(q) * symmetric<dim> * nodes;
    for (int g = 0; g < nodes; ++g) {
      double sum = 0;
      for (int m = 0; m < symmetric<dim>; ++m) sum += K[m] * second[m * nodes + g];
      const double* x = geometry.point(place, g);
      for (int d = 0; d < dim; ++d) correction[d] += x[d] * sum;
    }
  }
  for (int a = 0; a < dim; ++a)
    for (int d = 0; d < dim; ++d) point.r[a] += scale * inverse[a][d] * correction[d];
}

/// Column j of a cell at a point: entry (i, j) is D_i . flux + phi_i flux[dim]. `basis` points to the rows of the point.
template <int dim>
TESSERA_HD inline void convection_flux(const ConvectionView& view, const ConvectionPoint<dim>& p, const double* basis,
                                       int j, double (&flux)[dim + 1]) {
  double D[dim];
  for (int a = 0; a < dim; ++a) D[a] = basis[a * view.width + j];
  const double mass = p.gamma * basis[dim * view.width + j];
  double residual = mass;
  flux[dim] = mass;
  for (int a = 0; a < dim; ++a) residual += p.r[a] * D[a], flux[dim] += p.beta[a] * D[a];
  if (view.rows > dim + 1)
    for (int m = 0; m < symmetric<dim>; ++m) residual -= p.G[m] * basis[(dim + 1 + m) * view.width + j];
  residual *= p.tau;
  for (int a = 0; a < dim; ++a) {
    flux[a] = p.beta[a] * residual;
    for (int b = 0; b < dim; ++b) flux[a] += p.G[a <= b ? packed(a, b, dim) : packed(b, a, dim)] * D[b];
  }
}

/// Entry (i, j) at the point from the flux of column j.
template <int dim>
TESSERA_HD inline double convection_entry(const ConvectionView& view, const double* basis, int i,
                                          const double (&flux)[dim + 1]) {
  double sum = basis[i] * flux[0];
  for (int a = 1; a <= dim; ++a) sum += basis[a * view.width + i] * flux[a];
  return sum;
}

/// What the point adds to the load of dof i.
template <int dim>
TESSERA_HD inline double convection_load(const ConvectionView& view, const ConvectionPoint<dim>& p, const double* basis,
                                         int i) {
  double test = 0;
  for (int a = 0; a < dim; ++a) test += p.beta[a] * basis[a * view.width + i];
  return p.source * (basis[dim * view.width + i] + p.tau * test);
}

/// Whether one point has the coefficients of the whole cell.
TESSERA_HD inline bool is_constant(const BlockView& block) {
  return !block.k.per_point && !block.c.per_point && !block.f.per_point && !block.convection.velocity.per_point &&
         !block.convection.divergence.per_point;
}

/// The matrix, row by row, and the load of a linear straight simplex with such coefficients: `p` is of the weight of the reference cell, so
///   int phi_i = 1/n,   int phi_i phi_j = (1 + delta_ij) / (n (n+1)).
template <int dim>
TESSERA_HD inline void convection_simplex(const ConvectionView& view, const ConvectionPoint<dim>& p,
                                          const double* basis, double* matrix, double* load) {
  constexpr int n = dim + 1;
  constexpr double mean = 1.0 / n;
#pragma unroll
  for (int i = 0; i < n; ++i) {
    double test = 0, factor[dim];
    for (int a = 0; a < dim; ++a) test += p.beta[a] * basis[a * view.width + i];
    test *= p.tau;
    for (int a = 0; a < dim; ++a) {
      factor[a] = mean * p.beta[a] + test * p.r[a];
      for (int b = 0; b < dim; ++b)
        factor[a] += p.G[a <= b ? packed(a, b, dim) : packed(b, a, dim)] * basis[b * view.width + i];
    }
#pragma unroll
    for (int j = 0; j < n; ++j) {
      double sum = p.gamma * mean * (test + (i == j ? 2.0 : 1.0) / (n + 1));
      for (int a = 0; a < dim; ++a) sum += factor[a] * basis[a * view.width + j];
      matrix[i * n + j] = sum;
    }
    load[i] = p.source * (mean + test);
  }
}

}  // namespace tessera::assembly
