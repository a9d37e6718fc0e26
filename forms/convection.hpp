#pragma once
#include <array>

#include "forms/diffusion.hpp"
#include "forms/streamline.hpp"

namespace tessera::forms {

/// Data of -div(k grad u) + b . grad u + c u = f.
struct ConvectionData {
  DiffusionData diffusion;  ///< regions, k, c, f
  Coefficient velocity;     ///< b, `dim` components; empty: 0
  Coefficient divergence;   ///< sum_e d k_de / d x_e, `dim` components; empty: 0. Enters the residual of SUPG only
};

/// a(u, v) = int k grad u . grad v + (b . grad u) v + c u v,   l(v) = int f v
/// and with `supg`, cell by cell,
///   a(u, v) += int tau (b . grad v) (-div(k grad u) + b . grad u + c u),   l(v) += int tau (b . grad v) f
/// tau: see stabilisation(). Second derivatives are those of the elements on the cells as they are, curved ones
/// included. Source: A. N. Brooks, T. J. R. Hughes, Streamline upwind/Petrov-Galerkin formulations for convection
/// dominated flows, Comput. Methods Appl. Mech. Eng. 32 (1982) 199-259.
struct Convection {
  using Number = double;
  using Data = ConvectionData;
  static constexpr int components = 1;
  static constexpr bool symmetric = false;
  static constexpr unsigned couples = gradient_gradient | value_gradient | value_value | load_value;

  Field k = {}, c = {}, f = {}, velocity = {}, divergence = {};
  bool supg = false;

  /// Without what SUPG adds, which needs the cell: see AtPoint and make_row.
  template <int dim>
  TESSERA_HD void at_point(const Place& x, Tangent<dim>& C, Load<dim>& l) const {
    C.gg = {k.empty() ? nullptr : k.at(x), k.components};
    for (int d = 0; d < dim; ++d) C.vg[d] = velocity.empty() ? 0.0 : velocity.at(x)[d];
    C.vv = c.empty() ? 0.0 : *c.at(x);
    l.value = f.empty() ? 0.0 : *f.at(x);
  }

  TESSERA_HD bool present(Block block) const {
    if (block == gradient_gradient) return !k.empty();
    if (block == value_value) return !c.empty();
    return !(block == value_gradient ? velocity : f).empty();
  }
  /// Whether one point has the coefficients of the whole cell.
  TESSERA_HD bool constant() const {
    return !k.per_point && !c.per_point && !f.per_point && !velocity.per_point && !divergence.per_point;
  }
  /// Whether second derivatives of the basis and of the map are asked for.
  bool needs_second() const { return supg; }
  /// Without SUPG, and the same form for kernels that are compiled for that alone.
  bool is_plain() const { return !supg; }
  TESSERA_HD Convection plain() const {
    Convection form = *this;
    form.supg = false;
    return form;
  }

  /// Everything about a quadrature point but the basis, times w |det J|: D are derivatives in reference coordinates.
  ///   row i, column j:  D_i . G D_j + (phi_i + t_i) (gamma phi_j) + phi_i beta . D_j + t_i (r . D_j - G : D^2_j),
  ///                     t_i = tau beta . D_i
  template <int dim>
  struct AtPoint {
    static constexpr bool has_second = true;
    double G[tensor_size<dim>];
    double beta[dim];
    double r[dim];  ///< beta, less div k and the second derivatives of the map
    double gamma, source;
    double tau;  ///< per w |det J|

    /// Column j: entry (i, j) is D_i . flux + phi_i flux[dim].
    TESSERA_HD void flux(const BasisRows& basis, int j, double (&flux)[dim + 1]) const {
      double D[dim];
      for (int a = 0; a < dim; ++a) D[a] = basis(a, j);
      const double mass = gamma * basis(dim, j);
      double residual = mass;
      flux[dim] = mass;
      for (int a = 0; a < dim; ++a) residual += r[a] * D[a], flux[dim] += beta[a] * D[a];
      if (basis.rows > dim + 1)
        for (int m = 0; m < tensor_size<dim>; ++m) residual -= G[m] * basis(dim + 1 + m, j);
      residual *= tau;
      for (int a = 0; a < dim; ++a) {
        flux[a] = beta[a] * residual;
        for (int b = 0; b < dim; ++b) flux[a] += G[packed_symmetric(a, b, dim)] * D[b];
      }
    }

    TESSERA_HD double load(const BasisRows& basis, int i) const {
      double test = 0;
      for (int a = 0; a < dim; ++a) test += beta[a] * basis(a, i);
      return source * (basis(dim, i) + tau * test);
    }

    /// The matrix, row by row, and the load of a linear straight simplex with constant coefficients, from the point
    /// that has the weight of the reference cell:  int phi_i = 1/n,   int phi_i phi_j = (1 + delta_ij) / (n (n+1)).
    TESSERA_HD void simplex(const BasisRows& basis, double* matrix, double* load) const {
      constexpr int n = dim + 1;
      constexpr double mean = 1.0 / n;
#pragma unroll
      for (int i = 0; i < n; ++i) {
        double test = 0, factor[dim];
        for (int a = 0; a < dim; ++a) test += beta[a] * basis(a, i);
        test *= tau;
        for (int a = 0; a < dim; ++a) {
          factor[a] = mean * beta[a] + test * r[a];
          for (int b = 0; b < dim; ++b) factor[a] += G[packed_symmetric(a, b, dim)] * basis(b, i);
        }
#pragma unroll
        for (int j = 0; j < n; ++j) {
          double sum = gamma * mean * (test + (i == j ? 2.0 : 1.0) / (n + 1));
          for (int a = 0; a < dim; ++a) sum += factor[a] * basis(a, j);
          matrix[i * n + j] = sum;
        }
        load[i] = source * (mean + test);
      }
    }

    /// With t = tau beta the matrix, 4 x 4,
    ///   G + t r^T   t gamma
    ///   beta^T      gamma
    /// and the factors (t, 1) source of the load.
    TESSERA_HD void write(double* matrix, double* load) const {
      double t[4] = {};
      for (int a = 0; a < dim; ++a) t[a] = tau * beta[a];
#pragma unroll
      for (int a = 0; a < 3; ++a) {
#pragma unroll
        for (int b = 0; b < 3; ++b)
          matrix[4 * a + b] = a < dim && b < dim ? G[packed_symmetric(a, b, dim)] + t[a] * r[b] : 0.0;
        matrix[4 * a + 3] = t[a] * gamma;
        matrix[12 + a] = a < dim ? beta[a] : 0.0;
      }
      matrix[15] = gamma;
      for (int a = 0; a < 3; ++a) load[a] = t[a] * source;
      load[3] = source;
    }
    /// t and G [second_size], for what second derivatives of a column add to row a of the matrix: - t_a (G : D^2_j).
    static constexpr int second_size = 10;
    TESSERA_HD void write_second(double* to) const {
      for (int a = 0; a < 4; ++a) to[a] = a < dim ? tau * beta[a] : 0.0;
      for (int m = 0; m < tensor_size<dim>; ++m) to[4 + m] = G[m];
    }
    TESSERA_HD static double second(const double* written, int a, const double* D2, int width) {
      double sum = 0;
      for (int m = 0; m < tensor_size<dim>; ++m) sum += written[4 + m] * D2[m * width];
      return -written[a] * sum;
    }
  };

  template <int dim, class Point>
  TESSERA_HD void pull_back(const Point& x, AtPoint<dim>& point) const {
    const double scale = x.measure;
    const double reaction = c.empty() ? 0.0 : *c.at(x);
    point.gamma = scale * reaction;
    point.source = f.empty() ? 0.0 : scale * *f.at(x);
    double K[tensor_size<dim>] = {};
    if (!k.empty()) forms::pull_back<dim>(k.at(x), k.components, x.inverse, 1.0, K);
    double flow[dim] = {};
    const double* b = velocity.empty() ? nullptr : velocity.at(x);
    if (b)
      for (int a = 0; a < dim; ++a)
        for (int d = 0; d < dim; ++d) flow[a] += x.inverse[a][d] * b[d];
    for (int m = 0; m < tensor_size<dim>; ++m) point.G[m] = scale * K[m];
    for (int a = 0; a < dim; ++a) point.r[a] = point.beta[a] = scale * flow[a];
    point.tau = 0;
    if (!supg || !b) return;

    double speed[dim], flux[dim] = {}, bb = 0, bkb = 0;
    for (int d = 0; d < dim; ++d) speed[d] = b[d];
    if (!k.empty()) multiply_symmetric<dim>(k.at(x), k.components, speed, flux);
    for (int d = 0; d < dim; ++d) bb += b[d] * b[d], bkb += b[d] * flux[d];
    point.tau = stabilisation<dim>(x.order(), x.simplex_axes(), x.second(), flow, bb, bkb, K, reaction) / scale;
    // div(k grad phi) = K : D^2 phi + (div k - J^-1 (K : D^2 x)) . D phi
    double correction[dim] = {};
    if (!divergence.empty()) {
      const double* of_k = divergence.at(x);
      for (int d = 0; d < dim; ++d) correction[d] = -of_k[d];
    }
    x.add_second_of_map(K, correction);
    for (int a = 0; a < dim; ++a)
      for (int d = 0; d < dim; ++d) point.r[a] += scale * x.inverse[a][d] * correction[d];
  }

  /// Of linear functions, whose second derivatives vanish:
  ///   k grad phi_i . grad phi_j + (phi_i + t) (b . grad phi_j + c phi_j) - t div k . grad phi_j,
  ///   t = tau b . grad phi_i
  template <int dim, class Point>
  TESSERA_HD void make_row(const Point& x, double phi, const double (&grad)[dim], Row<dim>& row) const {
    const double* tensor = k.empty() ? nullptr : k.at(x);
    const double reaction = c.empty() ? 0.0 : *c.at(x);
    double test = phi, along = 0;
    for (int d = 0; d < dim; ++d) row.gradient[d] = 0;
    if (tensor) multiply_symmetric<dim>(tensor, k.components, grad, row.gradient);
    if (!velocity.empty()) {
      double b[dim];
      for (int d = 0; d < dim; ++d) b[d] = velocity.at(x)[d];
      if (supg) {
        double flow[dim];
        for (int d = 0; d < dim; ++d) along += b[d] * grad[d];
        x.to_reference(b, flow);
        along *= row_tau<dim>(x, tensor, b, flow, reaction);
        test += along;
        if (!divergence.empty())
          for (int d = 0; d < dim; ++d) row.gradient[d] -= along * divergence.at(x)[d];
      }
      for (int d = 0; d < dim; ++d) row.gradient[d] += test * b[d];
    }
    row.of_phi = reaction;
    row.of_gradient = reaction * along;
    row.load = f.empty() ? 0.0 : test * *f.at(x);
  }

  template <int dim, class Point>
  TESSERA_HD double row_tau(const Point& x, const double* tensor, const double (&b)[dim], const double (&flow)[dim],
                            double reaction) const {
    const double unused[tensor_size<dim>] = {};
    double flux[dim] = {}, bb = 0, bkb = 0;
    if (tensor) multiply_symmetric<dim>(tensor, k.components, b, flux);
    for (int d = 0; d < dim; ++d) bb += b[d] * b[d], bkb += b[d] * flux[d];
    return stabilisation<dim>(x.order(), x.simplex_axes(), false, flow, bb, bkb, unused, reaction);
  }

  static constexpr std::array<Field Convection::*, 5> members() {
    return {&Convection::k, &Convection::c, &Convection::f, &Convection::velocity, &Convection::divergence};
  }
  static std::array<NamedCoefficient, 5> coefficients(const Data& data) {
    return {{{"k", &data.diffusion.k, Rank::scalar_or_tensor},
             {"c", &data.diffusion.c, Rank::scalar},
             {"f", &data.diffusion.f, Rank::scalar},
             {"velocity", &data.velocity, Rank::vector},
             {"divergence", &data.divergence, Rank::vector}}};
  }
  static const std::vector<Index>& region(const Data& data) { return data.diffusion.region; }
};

}  // namespace tessera::forms
