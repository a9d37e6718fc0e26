#pragma once
// The form at a point of a cell: coefficients in reference coordinates, the parameter of SUPG, entries of a row.
#include <cmath>

#include "assembly/assembler_data.hpp"
#include "assembly/form.hpp"

namespace tessera::assembly {

/// Columns of an element matrix that are summed at a time; the tables are padded to a multiple of it.
inline constexpr int convection_tile = 8;

/// A block of cells with what convection needs beside BlockView. Tables have rows of `width` columns, a multiple of
/// convection_tile, zeros behind the dofs.
struct ConvectionView {
  BlockView block;
  CoefficientView velocity, divergence;
  int order = 1;
  int simplex_axes = 0;  ///< of the reference cell: the first axes span a unit simplex, the others run over [-1, 1]
  bool supg = false;
  int width = 0;
  int rows = 0;  ///< of `basis` a point: dim derivatives, the value, and second derivatives where they are needed
  const double* basis = nullptr;  ///< [points, rows, width]; second derivatives packed, mixed ones doubled
  const double* map_second =
      nullptr;  ///< [points, dim (dim+1)/2, geometry_nodes], mixed ones doubled; null: affine cells, or not needed
};

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

/// The point q of the cell at `place`.
template <int dim>
TESSERA_HD inline void make_convection_point(const ConvectionView& view, Offset place, int q,
                                             ConvectionPoint<dim>& point) {
  const BlockView& block = view.block;
  const Index region = block.region_of(place);
  const Offset cell = block.cell_of(place);
  const int nodes = block.geometry_nodes;
  double J[dim][dim] = {}, inverse[dim][dim];
  const double* map = block.map + static_cast<Offset>(q) * dim * nodes;
  for (int g = 0; g < nodes; ++g) {
    const double* x = block.geometry_point(place, g);
    for (int d = 0; d < dim; ++d)
      for (int a = 0; a < dim; ++a) J[d][a] += x[d] * map[a * nodes + g];
  }
  const double scale = absolute(invert<dim, double>(J, inverse)) * block.weights[q];
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
    const double* second = view.map_second + static_cast<Offset>(q) * symmetric<dim> * nodes;
    for (int g = 0; g < nodes; ++g) {
      double sum = 0;
      for (int m = 0; m < symmetric<dim>; ++m) sum += K[m] * second[m * nodes + g];
      const double* x = block.geometry_point(place, g);
      for (int d = 0; d < dim; ++d) correction[d] += x[d] * sum;
    }
  }
  for (int a = 0; a < dim; ++a)
    for (int d = 0; d < dim; ++d) point.r[a] += scale * inverse[a][d] * correction[d];
}

/// sum[l] = entry (i, first + l) of a cell, l < tile; `points` are all of the cell's.
template <int dim, int tile>
TESSERA_HD inline void convection_entries(const ConvectionView& view, const ConvectionPoint<dim>* points, int i,
                                          int first, double (&sum)[tile]) {
  for (int l = 0; l < tile; ++l) sum[l] = 0;
  const double* basis = view.basis;
  const bool second = view.rows > dim + 1;
  for (int q = 0; q < view.block.points; ++q, basis += view.rows * view.width) {
    const ConvectionPoint<dim>& p = points[q];
    double D[dim], test = 0;
    for (int a = 0; a < dim; ++a) D[a] = basis[a * view.width + i], test += p.beta[a] * D[a];
    test *= p.tau;
    const double value = basis[dim * view.width + i];
    const double* column = basis + first;
    for (int a = 0; a < dim; ++a) {
      double factor = value * p.beta[a] + test * p.r[a];
      for (int b = 0; b < dim; ++b) factor += p.G[a <= b ? packed(a, b, dim) : packed(b, a, dim)] * D[b];
#pragma omp simd
      for (int l = 0; l < tile; ++l) sum[l] += factor * column[a * view.width + l];
    }
    const double mass = p.gamma * (value + test);
#pragma omp simd
    for (int l = 0; l < tile; ++l) sum[l] += mass * column[dim * view.width + l];
    if (!second) continue;
    for (int m = 0; m < symmetric<dim>; ++m) {
      const double factor = -test * p.G[m];
#pragma omp simd
      for (int l = 0; l < tile; ++l) sum[l] += factor * column[(dim + 1 + m) * view.width + l];
    }
  }
}

/// The load of dof i of a cell.
template <int dim>
TESSERA_HD inline double convection_load(const ConvectionView& view, const ConvectionPoint<dim>* points, int i) {
  double sum = 0;
  const double* basis = view.basis;
  for (int q = 0; q < view.block.points; ++q, basis += view.rows * view.width) {
    double test = 0;
    for (int a = 0; a < dim; ++a) test += points[q].beta[a] * basis[a * view.width + i];
    sum += points[q].source * (basis[dim * view.width + i] + points[q].tau * test);
  }
  return sum;
}

/// Adds the columns first .. first + tile of row i of the cell at `place`.
template <int dim, int tile>
TESSERA_HD inline void add_convection_entries(const ConvectionView& view, const ConvectionPoint<dim>* points,
                                              const Target& target, Offset place, int i, int first) {
  double sum[tile];
  convection_entries<dim, tile>(view, points, i, first, sum);
  double* row = target.values + target.layout.first(view.block.dof(place, i));
  for (int l = 0; l < tile; ++l)
    if (first + l < view.block.nodes) row[entry_slot(view.block, target.pattern, place, i, first + l)] += sum[l];
}

}  // namespace tessera::assembly
