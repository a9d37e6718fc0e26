#pragma once
// Linearised flux correction with one factor for density and pressure. Goeddeke, Komatitsch & Moeller, Finite and
// spectral element methods on unstructured grids for flow and wave propagation, section 9.2.5; Zalesak, J. Comput.
// Phys. 31 (1979) 335.
#include "base/parallel.hpp"
#include "physics/conservation/rows.hpp"
#include "physics/euler/equation.hpp"

namespace tessera::physics::euler {

template <int dim>
using GasViews = conservation::PassViews<GasEquation<dim>>;

/// What limits a node, by components [corrections, nodes]: how much may be added to and taken from its density and its
/// pressure, as a part of all that edges bring; and its rates.
enum Correction { most_rho_in, most_rho_out, most_p_in, most_p_out, correction_rates };
template <int dim>
inline constexpr int correction_numbers = correction_rates + numbers<dim>;

/// du/dt of low order at each node.
template <int dim>
struct RatesOfLowOrder {
  GasViews<dim> v;
  double* correction;

  TESSERA_HD void operator()(Offset i) const {
    constexpr int low = conservation::middle_low<GasEquation<dim>>;
    const double inverse_mass = reciprocal(v.graph.lumped_mass[i]);
    for (int k = 0; k < numbers<dim>; ++k)
      correction[(correction_rates + k) * v.stride + i] = inverse_mass * v.middle[(low + k) * v.stride + i];
  }
};

/// What rounding makes of a density and of a pressure: differences below it have no sign that means anything. Without
/// it the noise of a pressure that is the same everywhere decides what is taken of the density.
template <int dim>
struct RoundingOf {
  double rho, p;
  TESSERA_HD_INLINE RoundingOf(const Gas& gas, const double (&u)[numbers<dim>])
      : rho(part * u[density]), p(part * (gas.gamma - 1) * u[energy]) {}

 private:
  static constexpr double part = 1e-13;
};

/// The flux of an edge, and what it makes of density and pressure at both ends.
template <int dim>
struct EdgeCorrection {
  double f[numbers<dim>];  ///< brought to i
  double p_i, p_j;         ///< brought to the pressures

  /// F_ij = m_ij (du_i/dt - du_j/dt) + d_ij (u_i - u_j); what would flatten density or pressure is left out.
  TESSERA_HD_INLINE EdgeCorrection(const GasViews<dim>& v, const double* correction, const NodeState<dim>& i,
                                   const NodeState<dim>& j, Offset entry, Index at_i, Index at_j) {
    const double mass = v.graph.mass[entry], d = v.viscosity[entry];
    for (int k = 0; k < numbers<dim>; ++k) {
      const double* const rates = correction + (correction_rates + k) * v.stride;
      f[k] = mass * (rates[at_i] - rates[at_j]) + d * (i.u[k] - j.u[k]);
    }
    p_i = pressure_of(v.equation.gas, i, 1);
    p_j = pressure_of(v.equation.gas, j, -1);
    const RoundingOf<dim> rounding_i(v.equation.gas, i.u), rounding_j(v.equation.gas, j.u);
    const double rho = beyond(i.u[density] - j.u[density], rounding_i.rho + rounding_j.rho),
                 p = beyond(i.p - j.p, rounding_i.p + rounding_j.p);
    if (f[density] * rho < 0 || p_i * p < 0 || p_j * p > 0) {
      for (double& x : f) x = 0;
      p_i = p_j = 0;
    }
  }

 private:
  TESSERA_HD_INLINE static double beyond(double difference, double rounding) {
    return std::fabs(difference) > rounding ? difference : 0;
  }
  /// (gamma - 1) (|v|^2 / 2 f_rho - v . f_m + f_E) with the velocity of that end.
  TESSERA_HD_INLINE double pressure_of(const Gas& gas, const NodeState<dim>& at, double sign) const {
    double square = 0, work = 0;
    for (int k = 0; k < dim; ++k) {
      square += at.v[k] * at.v[k];
      work += at.v[k] * f[momentum + k];
    }
    return sign * (gas.gamma - 1) * (0.5 * square * f[density] - work + f[energy]);
  }
};

/// R+- = min(1, m Q+- / (dt P+-)) of density and pressure; of nodes that are prescribed 1.
template <int dim>
struct BoundCorrection {
  GasViews<dim> v;
  conservation::StepLength dt;
  double* correction;

  TESSERA_HD void operator()(Offset row) const {
    const Index i = static_cast<Index>(row);
    NodeState<dim> own;
    own.load(v.u, v.node, v.stride, i);
    double rho_in = 0, rho_out = 0, p_in = 0, p_out = 0;          // P
    double most_rho = 0, least_rho = 0, most_p = 0, least_p = 0;  // Q
    v.graph.each(i, [&](Offset entry, Index j) {
      NodeState<dim> other;
      other.load(v.u, v.node, v.stride, j);
      const EdgeCorrection<dim> edge(v, correction, own, other, entry, i, j);
      rho_in += std::fmax(edge.f[density], 0.0);
      rho_out += std::fmin(edge.f[density], 0.0);
      p_in += std::fmax(edge.p_i, 0.0);
      p_out += std::fmin(edge.p_i, 0.0);
      most_rho = std::fmax(most_rho, other.u[density] - own.u[density]);
      least_rho = std::fmin(least_rho, other.u[density] - own.u[density]);
      most_p = std::fmax(most_p, other.p - own.p);
      least_p = std::fmin(least_p, other.p - own.p);
    });
    const double mass = v.graph.lumped_mass[i], length = dt();
    const RoundingOf<dim> rounding(v.equation.gas, own.u);
    const auto part = [&](double room, double wanted) {
      return wanted != 0 && v.weight[i] > 0 ? std::fmin(1.0, mass * room / (length * wanted)) : 1.0;
    };
    correction[most_rho_in * v.stride + i] = part(most_rho + rounding.rho, rho_in);
    correction[most_rho_out * v.stride + i] = part(least_rho - rounding.rho, rho_out);
    correction[most_p_in * v.stride + i] = part(most_p + rounding.p, p_in);
    correction[most_p_out * v.stride + i] = part(least_p - rounding.p, p_out);
  }
};

/// A part of `most` after which u + part by is still a gas, with a hundredth of its density and internal energy at
/// least. The bounds of pressure are linear in what edges bring and may overshoot; this one is exact: states of which
/// each edge by itself leaves a gas have a mean that is one. u is a gas.
template <int dim>
TESSERA_HD double part_that_stays_gas(const double (&u)[numbers<dim>], const double (&by)[numbers<dim>], double most) {
  constexpr double kept = 0.01;
  double t = most;
  if (u[density] + t * by[density] < kept * u[density]) t = (kept - 1) * u[density] * reciprocal(by[density]);
  // rho rho (e - kept e_0) = q_0 + q_1 t + q_2 t^2, which is not negative on one interval of positive densities
  const double rho = u[density], floor = kept * density_times_internal<dim>(u) * reciprocal(rho);
  double square = 0, work = 0, kinetic = 0;
  for (int d = 0; d < dim; ++d) {
    square += by[momentum + d] * by[momentum + d];
    work += u[momentum + d] * by[momentum + d];
    kinetic += u[momentum + d] * u[momentum + d];
  }
  const double q_0 = rho * (u[energy] - floor) - 0.5 * kinetic;
  const double q_1 = rho * by[energy] + (u[energy] - floor) * by[density] - work;
  const double q_2 = by[density] * by[energy] - 0.5 * square;
  if (!(q_0 > 0)) return 0;
  if (q_0 + t * (q_1 + t * q_2) >= 0) return t;
  const double root = square_root(std::fmax(q_1 * q_1 - 4 * q_2 * q_0, 0.0)) - q_1;
  return root > 0 ? std::fmin(t, 2 * q_0 * reciprocal(root)) : 0;
}

/// u_i += dt / m_i sum_j alpha_ij F_ij, alpha the least part that both ends allow density and pressure, and with which
/// both stay gases.
template <int dim>
struct ApplyCorrection {
  GasViews<dim> v;
  conservation::StepLength dt;
  const double* correction;
  double* to;

  TESSERA_HD void operator()(Offset row) const {
    const Index i = static_cast<Index>(row);
    NodeState<dim> own;
    own.load(v.u, v.node, v.stride, i);
    const double length = dt();
    double sum[numbers<dim>] = {};
    v.graph.each(i, [&](Offset entry, Index j) {
      NodeState<dim> other;
      other.load(v.u, v.node, v.stride, j);
      const EdgeCorrection<dim> edge(v, correction, own, other, entry, i, j);
      double alpha = std::fmin(rho_part(i, edge.f[density]), rho_part(j, -edge.f[density]));
      alpha = std::fmin(alpha, std::fmin(p_part(i, edge.p_i), p_part(j, edge.p_j)));
      alpha = std::fmin(gas_part(i, own.u, edge.f, length, alpha), gas_part(j, other.u, edge.f, -length, alpha));
      for (int k = 0; k < numbers<dim>; ++k) sum[k] += alpha * edge.f[k];
    });
    const double by = length * reciprocal(v.graph.lumped_mass[i]);
    for (int k = 0; k < numbers<dim>; ++k) to[k * v.stride + i] = own.u[k] + by * sum[k];
  }

  TESSERA_HD_INLINE double rho_part(Index node, double f) const {
    return correction[(f > 0 ? most_rho_in : most_rho_out) * v.stride + node];
  }
  TESSERA_HD_INLINE double gas_part(Index node, const double (&u)[numbers<dim>], const double (&f)[numbers<dim>],
                                    double signed_dt, double most) const {
    double by[numbers<dim>];
    const double share = signed_dt * v.weight[node];
    for (int k = 0; k < numbers<dim>; ++k) by[k] = share * f[k];
    return part_that_stays_gas<dim>(u, by, most);
  }
  TESSERA_HD_INLINE double p_part(Index node, double f) const {
    return correction[(f > 0 ? most_p_in : most_p_out) * v.stride + node];
  }
};

/// Limiter::fct of conservation::SchemeOf.
template <int dim>
struct FluxCorrection {
  static constexpr int count = correction_numbers<dim>;

  template <class Exec, class Exchange>
  static void run(Exec& exec, const GasViews<dim>& v, Offset owned, Exchange exchange, conservation::StepLength dt,
                  View<double> correction, View<double> to) {
    for_each(exec, owned, RatesOfLowOrder<dim>{v, correction.data()});
    exchange(correction, count);
    for_each(exec, owned, BoundCorrection<dim>{v, dt, correction.data()});
    exchange(correction, count);
    for_each(exec, owned, ApplyCorrection<dim>{v, dt, correction.data(), to.data()});
  }
};

}  // namespace tessera::physics::euler
