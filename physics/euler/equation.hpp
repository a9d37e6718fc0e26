#pragma once
// The Euler equations as the passes of physics/conservation/ take them.
#include "assembly/edge/loop.hpp"
#include "physics/conservation/columns.hpp"
#include "physics/euler/jacobian.hpp"
#include "physics/euler/limit.hpp"
#include "physics/euler/riemann.hpp"

namespace tessera::physics::euler {

/// What follows from the state of a node alone, by components [node_numbers, nodes].
enum NodeNumber { node_pressure, node_sound, node_power, node_entropy_root, node_entropy, node_numbers };

/// A node as a row sees it.
template <int dim>
struct NodeState {
  double u[numbers<dim>], v[dim];
  double p, a, power, entropy;
  double root;     ///< sqrt(K(rho))
  double inverse;  ///< 1 / rho

  TESSERA_HD_INLINE void load(const double* from, const double* node, Offset stride, Index i) {
    for (int k = 0; k < numbers<dim>; ++k) u[k] = from[k * stride + i];
    p = node[node_pressure * stride + i];
    a = node[node_sound * stride + i];
    power = node[node_power * stride + i];
    root = node[node_entropy_root * stride + i];
    entropy = node[node_entropy * stride + i];
    inverse = reciprocal(u[density]);
    for (int d = 0; d < dim; ++d) v[d] = inverse * u[momentum + d];
  }
  TESSERA_HD_INLINE void load(const conservation::Columns<numbers<dim>>& from,
                              const conservation::Columns<node_numbers>& node, Index i) {
    for (int k = 0; k < numbers<dim>; ++k) u[k] = from(k, i);
    p = node(node_pressure, i);
    a = node(node_sound, i);
    power = node(node_power, i);
    root = node(node_entropy_root, i);
    entropy = node(node_entropy, i);
    inverse = quick_reciprocal(u[density]);
    for (int d = 0; d < dim; ++d) v[d] = inverse * u[momentum + d];
  }
  TESSERA_HD_INLINE double along(const double (&c)[dim]) const {
    double sum = 0;
    for (int d = 0; d < dim; ++d) sum += v[d] * c[d];
    return sum;
  }
  /// F(u) c = (v.c) u + p (0, v.c, c)
  TESSERA_HD_INLINE void flux(const double (&c)[dim], double (&f)[numbers<dim>]) const {
    const double flow = along(c);
    f[density] = flow * u[density];
    f[energy] = flow * (u[energy] + p);
    for (int d = 0; d < dim; ++d) f[momentum + d] = flow * u[momentum + d] + p * c[d];
  }
};

/// lambda(i, j, c / |c|) |c|
template <int dim>
TESSERA_HD_INLINE inline double one_viscosity(const Gas& gas, const NodeState<dim>& i, const NodeState<dim>& j,
                                              const double (&c)[dim]) {
  double square = 0;
  for (int d = 0; d < dim; ++d) square += c[d] * c[d];
  if (!(square > 1e-300)) return 0;
  const auto [size, inverse] = root_and_inverse(square);
  const auto side = [&, by = inverse](const NodeState<dim>& w) -> RiemannSide {
    const double free = gas.free_volume(w.u[density]);
    return {by * w.along(c), w.p, w.a, free, w.power, free * w.inverse};
  };
  return size * wave_speed_bound(gas, side(i), side(j));
}

/// What a row gathers of its node: bounds [density from below and above, s from below, the largest s of states half way
/// to a neighbour], and how far the entropy fails to be transported.
template <int dim>
struct GasRow {
  double least, most;  ///< twice the density
  double least_s, most_middle, left = 0;

  TESSERA_HD_INLINE GasRow(const Gas& gas, const NodeState<dim>& own)
      : least(2 * own.u[density]), most(2 * own.u[density]), least_s(entropy_of(gas, own)), most_middle(least_s) {}

  /// Of a neighbour along c; `jump` is what F c grows by.
  TESSERA_HD_INLINE void add(const Gas& gas, const NodeState<dim>& own, const NodeState<dim>& other,
                             const double (&c)[dim], double d, const double (&jump)[numbers<dim>]) {
    const double twice = own.u[density] + other.u[density] - (d > 0 ? jump[density] * quick_reciprocal(d) : 0);
    least = smaller(twice, least);
    most = larger(twice, most);
    least_s = smaller(entropy_of(gas, other), least_s);
    most_middle = larger(entropy_between(gas, own, other), most_middle);
    left += (other.entropy - own.entropy) * (other.along(c) * other.u[density]);
  }

  TESSERA_HD_INLINE static double entropy_of(const Gas& gas, const NodeState<dim>& w) {
    return gas.internal_energy(w.u[density], w.p) * w.root * w.root;
  }

  /// s of the state half way, from below: K there is not less than the mean of both, times 1 - gamma y, with the mean
  /// density and y = 1 - sqrt(rho_i rho_j) / rho (Bernoulli); with x = ((rho_j - rho_i) / (2 rho))^2 that is
  /// y = 1 - sqrt(1 - x) <= (x + x^2) / 2. Of densities that are close it is exact to fourth order.
  TESSERA_HD_INLINE static double entropy_between(const Gas& gas, const NodeState<dim>& i, const NodeState<dim>& j) {
    double twice[numbers<dim>];
    for (int k = 0; k < numbers<dim>; ++k) twice[k] = i.u[k] + j.u[k];
    const double inverse = quick_reciprocal(twice[density]);
    const double ratio = (j.u[density] - i.u[density]) * inverse, x = ratio * ratio;
    return 0.5 * density_times_internal<dim>(twice) * inverse * i.root * j.root *
           larger(1 - 0.5 * gas.gamma * (x + x * x), 0.0);
  }

  /// How far eta fails to be transported: |sum_j (eta_j / rho_j - eta_i / rho_i) m_j c_ij - g . sum_j (F_j - F_i) c_ij|
  /// with g = eta'(u_i) - eta_i / rho_i e_rho, over the sum of the moduli of its terms; in [0, 1].
  TESSERA_HD_INLINE double commutator(const Gas& gas, const NodeState<dim>& own,
                                      const double (&transport)[numbers<dim>], double mass, double factor,
                                      double inverse_length) const {
    const double internal = density_times_internal<dim>(own.u), eta = own.entropy * own.u[density];
    const double scale = eta * reciprocal((gas.gamma + 1) * internal);
    double difference = left, size = std::fabs(left);
    const auto add = [&](double slope, double of) {
      difference -= slope * of;
      size += std::fabs(slope * of);
    };
    add(scale * own.u[energy] - own.entropy, transport[density]);
    add(scale * own.u[density], transport[energy]);
    for (int d = 0; d < dim; ++d) add(-scale * own.u[momentum + d], transport[momentum + d]);
    size += std::fabs(eta) * own.a * mass * inverse_length;  // what changes less than over the domain is smooth
    return smaller(factor * std::fabs(difference) / size, 1.0);
  }
};

/// Of perfect gases and those with a covolume. `correction` is that of Limiter::fct, see correct.hpp.
template <int dim_>
struct GasEquation {
  static constexpr int dim = dim_, n = numbers<dim>;
  static constexpr int node_count = node_numbers;  ///< numbers of a node that follow from its state
  static constexpr int bounds = 4, guards = 1;     ///< the last bound is a guard, which follows from the others
  static constexpr bool powers = true;             ///< whether a gas may have them; see has_powers
  static constexpr bool has_jacobian = true;
  using State = NodeState<dim>;
  using Row = GasRow<dim>;

  Gas gas;

  /// p, a, p^-z, sqrt(K(rho)), and eta / rho with Harten's entropy eta = (rho rho e)^(1 / (gamma + 1)). Of the
  /// logarithms of rho and p: three powers take twice the time.
  TESSERA_HD_INLINE void at_node(const double (&own)[n], Offset i, Offset stride, double* node) const {
    const double internal = density_times_internal<dim>(own), rho = own[density];
    const double p = gas.pressure(rho, internal * reciprocal(rho));
    const double log_rho = std::log(rho), log_p = std::log(p), log_free = log_of_free_volume(rho);
    node[node_pressure * stride + i] = p;
    node[node_sound * stride + i] = gas.sound(rho, p);
    node[node_power * stride + i] = std::exp(-gas.z * log_p);
    node[node_entropy_root * stride + i] = std::exp(0.5 * ((gas.gamma - 1) * log_free - gas.gamma * log_rho));
    // A factor of eta that is the same everywhere changes nothing, so that gamma - 1 is left out.
    node[node_entropy * stride + i] = std::exp((log_rho + log_p + log_free) / (gas.gamma + 1)) * reciprocal(rho);
  }
  TESSERA_HD_INLINE double log_of_free_volume(double rho) const {
    return gas.covolume > 0 ? std::log(gas.free_volume(rho)) : 0;
  }
  TESSERA_HD_INLINE void load(State& state, const double* u, const double* node, Offset stride, Index i) const {
    state.load(u, node, stride, i);
  }
  TESSERA_HD_INLINE void load(State& state, const conservation::Columns<n>& u,
                              const conservation::Columns<node_count>& node, Offset, Index i) const {
    state.load(u, node, i);
  }
  TESSERA_HD_INLINE bool is_admissible(const double (&own)[n]) const { return euler::is_admissible<dim>(gas, own); }
  /// With differences of both states alone, so that nothing is left of equal ones.
  TESSERA_HD_INLINE void flux_jump(const State& i, const State& j, const double (&c)[dim], double (&jump)[n]) const {
    const double flow = j.along(c), more = flow - i.along(c), p = j.p - i.p;
    for (int k = 0; k < n; ++k) jump[k] = flow * (j.u[k] - i.u[k]) + more * i.u[k];
    jump[energy] += flow * p + more * i.p;
    for (int d = 0; d < dim; ++d) jump[momentum + d] += p * c[d];
  }
  TESSERA_HD_INLINE double viscosity(const State& i, const State& j, const double (&c)[dim]) const {
    return one_viscosity<dim>(gas, i, j, c);
  }

  TESSERA_HD_INLINE void jacobian(const State& at, const double (&c)[dim], double (&a)[n * n]) const {
    flux_jacobian<dim>(gas, at, c, a);
  }

  TESSERA_HD_INLINE Row row(const State& own) const { return Row(gas, own); }
  TESSERA_HD_INLINE void add(Row& row, const State& own, const State& other, const double (&c)[dim], double d,
                             const double (&jump)[n]) const {
    row.add(gas, own, other, c, d, jump);
  }
  TESSERA_HD_INLINE void bounds_of(const Row& row, double (&b)[bounds]) const {
    b[0] = 0.5 * row.least;
    b[1] = 0.5 * row.most;
    b[2] = row.least_s;
    b[3] = row.most_middle;
  }
  /// alpha of the node, in [0, 1].
  TESSERA_HD_INLINE double indicator(const Row& row, const State& own, const double (&transport)[n], double mass,
                                     double factor, double inverse_length) const {
    return row.commutator(gas, own, transport, mass, factor, inverse_length);
  }

  /// Bounds as they are held, from those of a row: r is the part by which they may be wider, `second` a second
  /// difference of the density.
  TESSERA_HD_INLINE void settle(double (&b)[bounds], bool relaxed, double r, double second,
                                const double (&low)[n]) const {
    double least = b[0], most = b[1], least_s = b[2];
    if (relaxed) {
      least = larger((1 - r) * least, least - second);
      double top = (1 + r) * most;
      // The densest gas: half of what is left of the free volume.
      if (gas.covolume > 0) top = smaller(top, 0.5 * (most + 1 / gas.covolume));
      most = smaller(top, most + second);
      least_s = larger((1 - r) * least_s, least_s - (b[3] - least_s));
    }
    // Where all densities are equal they shall not decide; a least one below the rounding stays above 0.
    const double rounding = 1e-14 * low[density];
    b[0] = larger(least - rounding, 0.5 * least);
    b[1] = most + rounding;
    b[2] = least_s;
    b[3] = guard(b, low);
  }
  /// Of a state that is prescribed.
  TESSERA_HD_INLINE void unbounded(double (&b)[bounds]) const {
    b[1] = 1e300;
    b[0] = b[2] = b[3] = -1e300;
  }
  /// Of the state that is moved.
  TESSERA_HD_INLINE double guard(const double (&b)[bounds], const double (&from)[n]) const {
    return b[2] * std::pow(from[density], gas.gamma - 1);
  }
  /// Whether `part` must look for powers.
  TESSERA_HD_INLINE bool has_powers() const { return !has_polynomials(gas); }
  /// The largest part t <= 1 with which from + t weight f keeps the bounds, almost.
  template <bool powers>
  TESSERA_HD_INLINE double part(const double (&b)[bounds], const double (&from)[n], const double (&f)[n],
                                double weight) const {
    return largest_part<dim, powers>(gas, Bounds{b[0], b[1], b[2], b[3]}, from, f, weight);
  }
  /// Whether it is 1.
  template <bool powers>
  TESSERA_HD_INLINE bool takes_all(const double (&b)[bounds], const double (&from)[n], const double (&f)[n],
                                   double weight) const {
    return euler::takes_all<dim, powers>(gas, Bounds{b[0], b[1], b[2], b[3]}, from, f, weight);
  }
  TESSERA_HD double part(const double (&b)[bounds], const double (&from)[n], const double (&by)[n]) const {
    return largest_part<dim>(gas, Bounds{b[0], b[1], b[2], b[3]}, from, by);
  }
};

}  // namespace tessera::physics::euler
