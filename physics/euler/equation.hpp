#pragma once
// The Euler equations as the passes of physics/conservation/ take them.
#include <type_traits>

#include "assembly/edge/loop.hpp"
#include "physics/euler/jacobian.hpp"
#include "physics/euler/limit.hpp"
#include "physics/euler/riemann.hpp"

namespace tessera::physics::euler {

/// What follows from the state of a node alone, by components [node_numbers, nodes].
enum NodeNumber { node_pressure, node_sound, node_power, node_entropy_root, node_entropy, node_numbers };

/// A node as a row sees it.
template <int dim, class Real = double>
struct NodeState {
  Real u[numbers<dim>], v[dim];
  Real p, a, power, entropy;
  Real root;     ///< sqrt(K(rho))
  Real inverse;  ///< 1 / rho

  TESSERA_HD_INLINE void load(const Real* from, const Real* node, Offset stride, Index i) {
    for (int k = 0; k < numbers<dim>; ++k) u[k] = from[k * stride + i];
    p = node[node_pressure * stride + i];
    a = node[node_sound * stride + i];
    power = node[node_power * stride + i];
    root = node[node_entropy_root * stride + i];
    entropy = node[node_entropy * stride + i];
    inverse = reciprocal(u[density]);
    for (int d = 0; d < dim; ++d) v[d] = inverse * u[momentum + d];
  }
  /// from(k): the numbers of the state, and behind them those of the node.
  template <class From>
  TESSERA_HD_INLINE void take(const From& from) {
    constexpr int n = numbers<dim>;
    for (int k = 0; k < n; ++k) u[k] = from(k);
    p = from(n + node_pressure);
    a = from(n + node_sound);
    power = from(n + node_power);
    root = from(n + node_entropy_root);
    entropy = from(n + node_entropy);
    inverse = quick_reciprocal(u[density]);
    for (int d = 0; d < dim; ++d) v[d] = inverse * u[momentum + d];
  }
  TESSERA_HD_INLINE Real along(const Real (&c)[dim]) const {
    Real sum = 0;
    for (int d = 0; d < dim; ++d) sum += v[d] * c[d];
    return sum;
  }
  /// F(u) c = (v.c) u + p (0, v.c, c)
  TESSERA_HD_INLINE void flux(const Real (&c)[dim], Real (&f)[numbers<dim>]) const {
    const Real flow = along(c);
    f[density] = flow * u[density];
    f[energy] = flow * (u[energy] + p);
    for (int d = 0; d < dim; ++d) f[momentum + d] = flow * u[momentum + d] + p * c[d];
  }
};

/// What the Riemann problem and the flux of an edge along c have in common: |c|^2 and v.c of both ends.
template <int dim, class Real = double>
struct AlongEdge {
  Real square = 0, of_i, of_j;

  TESSERA_HD_INLINE AlongEdge(const NodeState<dim, Real>& i, const NodeState<dim, Real>& j, const Real (&c)[dim])
      : of_i(i.along(c)), of_j(j.along(c)) {
    for (int d = 0; d < dim; ++d) square += c[d] * c[d];
  }
};

/// lambda(i, j, c / |c|) |c|
template <int dim, class Real>
TESSERA_HD_INLINE inline Real one_viscosity(const GasOf<Real>& gas, const NodeState<dim, Real>& i,
                                            const NodeState<dim, Real>& j, const AlongEdge<dim, Real>& along) {
  constexpr bool is_double = std::is_same_v<Real, double>;
  if (!(along.square > Real(is_double ? 1e-300 : 1e-37))) return 0;
  const Real size = quick_root(along.square);
  const auto side = [&](const NodeState<dim, Real>& w, Real flow) -> RiemannSideOf<Real> {
    return {flow, w.p, size * w.a, gas.free_volume(w.u[density]), w.power, along.square * (w.inverse - gas.covolume)};
  };
  if constexpr (is_double) return wave_speed_bound(gas, side(i, along.of_i), side(j, along.of_j));
  // In float both rows of an edge must find the same to the last bit: else they take different parts of it where
  // rounding decides how much, and mass is lost. So the side of the lower pressure is the left one of both.
  const bool mirrored = j.p < i.p || (j.p == i.p && (j.a < i.a || (j.a == i.a && along.of_i < -along.of_j)));
  const auto pick = [mirrored](Real one, Real other) { return mirrored ? other : one; };
  const auto picked = [&](const NodeState<dim, Real>& w, const NodeState<dim, Real>& other,
                          Real flow) -> RiemannSideOf<Real> {
    return {flow,
            pick(w.p, other.p),
            size * pick(w.a, other.a),
            gas.free_volume(pick(w.u[density], other.u[density])),
            pick(w.power, other.power),
            along.square * (pick(w.inverse, other.inverse) - gas.covolume)};
  };
  const RiemannSideOf<Real> left = picked(i, j, pick(along.of_i, -along.of_j)),
                            right = picked(j, i, pick(along.of_j, -along.of_i));
  return gas.speed_margin * wave_speed_bound(gas, left, right);
}

/// F c of the neighbours of a node less its own, of which nothing is left where states are equal.
template <int dim, class Real>
struct FluxSum {
  using State = NodeState<dim, Real>;
  Real of_differences[numbers<dim>] = {};
  Real more = 0;  ///< sum of v.c beyond that of the node

  /// Returns by how much that of the density is more at j.
  TESSERA_HD_INLINE Real add(const State& i, const State& j, const Real (&c)[dim], const AlongEdge<dim, Real>& along) {
    const Real flow = along.of_j, change = flow - along.of_i, p = j.p - i.p;
    const Real first = flow * (j.u[density] - i.u[density]) + change * i.u[density];
    of_differences[density] += first;
    of_differences[energy] += flow * ((j.u[energy] - i.u[energy]) + p);
    for (int d = 0; d < dim; ++d) {
      const int k = momentum + d;
      of_differences[k] += flow * (j.u[k] - i.u[k]);
      of_differences[k] += p * c[d];
    }
    more += change;
    return first;
  }
  TESSERA_HD_INLINE void give(const State& i, Real (&sum)[numbers<dim>]) const {
    sum[density] = of_differences[density];
    sum[energy] = of_differences[energy] + more * (i.u[energy] + i.p);
    for (int k = momentum; k < numbers<dim>; ++k) sum[k] = of_differences[k] + more * i.u[k];
  }
};

/// What a row gathers of its node: bounds [density from below and above, s from below, the largest s of states half way
/// to a neighbour], and how far the entropy fails to be transported. Factors that all neighbours share come last.
template <int dim, class Real>
struct GasRow {
  using Gas = GasOf<Real>;
  using State = NodeState<dim, Real>;
  Real least, most;           ///< twice the density
  Real least_s, most_middle;  ///< s (gamma - 1); the same times 2 / sqrt(K(rho)) of the node
  Real left = 0;

  TESSERA_HD_INLINE GasRow(const Gas& gas, const State& own) : least(2 * own.u[density]), most(2 * own.u[density]) {
    const Real p = free_pressure(gas, own);
    least_s = p * own.root * own.root;
    most_middle = 2 * p * own.root;
  }

  /// Of a neighbour; `jump` is what the flux of the density grows by.
  TESSERA_HD_INLINE void add(const Gas& gas, const State& own, const State& other, const AlongEdge<dim, Real>& along,
                             Real d, Real jump) {
    const Real sum = own.u[density] + other.u[density], p = free_pressure(gas, other);
    Real twice = sum;
    if (d > 0) twice -= jump * quick_reciprocal(d);
    least = smaller(twice, least);
    most = larger(twice, most);
    least_s = smaller(p * other.root * other.root, least_s);
    most_middle = larger(entropy_between(gas, own, other, sum, free_pressure(gas, own) + p), most_middle);
    left += (other.entropy - own.entropy) * (along.of_j * other.u[density]);
  }
  TESSERA_HD_INLINE void bounds_of(const Gas& gas, const State& own, Real (&b)[4]) const {
    b[0] = Real(0.5) * least;
    b[1] = Real(0.5) * most;
    b[2] = gas.inverse_gamma_minus_one * least_s;
    b[3] = gas.inverse_gamma_minus_one * (Real(0.5) * own.root * most_middle);
  }

  /// rho e (gamma - 1)
  TESSERA_HD_INLINE static Real free_pressure(const Gas& gas, const State& w) {
    return gas.covolume > 0 ? w.p * gas.free_volume(w.u[density]) : w.p;
  }

  /// s of the state half way, from below: K there is not less than the mean of both, times 1 - gamma y, with the mean
  /// density and y = 1 - sqrt(rho_i rho_j) / rho (Bernoulli); with x = ((rho_j - rho_i) / (2 rho))^2 that is
  /// y = 1 - sqrt(1 - x) <= (x + x^2) / 2. Of densities that are close it is exact to fourth order; of those
  /// that are far apart it may be below 0. Times 2 (gamma - 1) / sqrt(K(rho_i)); `density_sum` and `pressures` are sums
  /// over both.
  TESSERA_HD_INLINE static Real entropy_between(const Gas& gas, const State& i, const State& j, Real density_sum,
                                                Real pressures) {
    const Real inverse = quick_reciprocal(density_sum);
    const Real ratio = (j.u[density] - i.u[density]) * inverse, x = ratio * ratio;
    Real square = 0;
    for (int d = 0; d < dim; ++d) square += (j.v[d] - i.v[d]) * (j.v[d] - i.v[d]);
    const Real kinetic = Real(0.5) * (gas.gamma - 1) * i.u[density] * (j.u[density] * inverse);
    return (pressures + kinetic * square) * j.root * (1 + Real(-0.5) * gas.gamma * (x + x * x));
  }

  /// How far eta fails to be transported: |sum_j (eta_j / rho_j - eta_i / rho_i) m_j c_ij - g . sum_j (F_j - F_i) c_ij|
  /// with g = eta'(u_i) - eta_i / rho_i e_rho, over the sum of the moduli of its terms; in [0, 1].
  TESSERA_HD_INLINE Real commutator(const Gas& gas, const State& own, const Real (&transport)[numbers<dim>], Real mass,
                                    Real factor, Real inverse_length) const {
    const Real internal = own.u[density] * gas.internal_energy(own.u[density], own.p);
    const Real eta = own.entropy * own.u[density];
    const Real scale = eta * reciprocal((gas.gamma + 1) * internal);
    Real difference = left, size = std::fabs(left);
    const auto add = [&](Real slope, Real of) {
      difference -= slope * of;
      size += std::fabs(slope * of);
    };
    add(scale * own.u[energy] - own.entropy, transport[density]);
    add(scale * own.u[density], transport[energy]);
    for (int d = 0; d < dim; ++d) add(-scale * own.u[momentum + d], transport[momentum + d]);
    size += std::fabs(eta) * own.a * mass * inverse_length;  // what changes less than over the domain is smooth
    return smaller(factor * std::fabs(difference) / size, Real(1));
  }
};

/// Of perfect gases and those with a covolume. `correction` is that of Limiter::fct, see correct.hpp.
template <int dim_, class Real_ = double>
struct GasEquation {
  using Real = Real_;  ///< of what the passes keep
  static constexpr bool is_double = std::is_same_v<Real, double>;
  static constexpr int dim = dim_, n = numbers<dim>;
  static constexpr int node_count = node_numbers;  ///< numbers of a node that follow from its state
  static constexpr int bounds = 4, guards = 1;     ///< the last bound is a guard, which follows from the others
  static constexpr bool powers = is_double;        ///< whether a gas may have them; see has_powers
  static constexpr bool has_jacobian = is_double;
  static constexpr bool reads_ahead = is_double;  ///< floats leave warps enough to wait for
  using State = NodeState<dim, Real>;
  using Row = GasRow<dim, Real>;
  using Flux = FluxSum<dim, Real>;
  using Along = AlongEdge<dim, Real>;

  static constexpr Real largest = Real(is_double ? 1e300 : 1e36);  ///< number, about

  GasOf<Real> gas;

  /// p, a, p^-z, sqrt(K(rho)), and eta / rho with Harten's entropy eta = (rho rho e)^(1 / (gamma + 1)). Of the
  /// logarithms of rho and p: three powers take twice the time.
  TESSERA_HD_INLINE void at_node(const double (&own)[n], Offset i, Offset stride, Real* node) const {
    const Real internal = static_cast<Real>(density_times_internal<dim>(own) * reciprocal(own[density]));
    const Real rho = static_cast<Real>(own[density]), p = gas.pressure(rho, internal);
    const Real log_rho = std::log(rho), log_p = std::log(p), log_free = log_of_free_volume(rho);
    node[node_pressure * stride + i] = p;
    node[node_sound * stride + i] = gas.sound(rho, p);
    node[node_power * stride + i] = std::exp(-gas.z * log_p);
    node[node_entropy_root * stride + i] = std::exp(Real(0.5) * ((gas.gamma - 1) * log_free - gas.gamma * log_rho));
    // A factor of eta that is the same everywhere changes nothing, so that gamma - 1 is left out.
    node[node_entropy * stride + i] = std::exp((log_rho + log_p + log_free) / (gas.gamma + 1)) * reciprocal(rho);
  }
  TESSERA_HD_INLINE Real log_of_free_volume(Real rho) const {
    return gas.covolume > 0 ? std::log(gas.free_volume(rho)) : 0;
  }
  TESSERA_HD_INLINE void load(State& state, const Real* u, const Real* node, Offset stride, Index i) const {
    state.load(u, node, stride, i);
  }
  template <class From>
  TESSERA_HD_INLINE void take(State& state, const From& from, Offset, Index) const {
    state.take(from);
  }
  /// In float what at_node() has made of the state says it: rounded numbers of one may be none.
  TESSERA_HD_INLINE bool is_admissible(const State& own) const {
    if constexpr (is_double)
      return euler::is_admissible<dim>(gas, own.u);
    else
      return own.u[density] > 0 && own.u[density] < largest && own.p > 0 && own.p < largest;
  }
  TESSERA_HD_INLINE Real viscosity(const State& i, const State& j, const Along& along) const {
    return one_viscosity<dim>(gas, i, j, along);
  }

  TESSERA_HD_INLINE void jacobian(const State& at, const Real (&c)[dim], Real (&a)[n * n]) const {
    flux_jacobian<dim>(gas, at, c, a);
  }

  TESSERA_HD_INLINE Row row(const State& own) const { return Row(gas, own); }
  TESSERA_HD_INLINE void add(Row& row, const State& own, const State& other, const Along& along, Real d,
                             Real jump) const {
    row.add(gas, own, other, along, d, jump);
  }
  TESSERA_HD_INLINE void bounds_of(const Row& row, const State& own, Real (&b)[bounds]) const {
    row.bounds_of(gas, own, b);
  }
  /// alpha of the node, in [0, 1].
  TESSERA_HD_INLINE Real indicator(const Row& row, const State& own, const Real (&transport)[n], Real mass, Real factor,
                                   Real inverse_length) const {
    return row.commutator(gas, own, transport, mass, factor, inverse_length);
  }

  /// Bounds as they are held, from those of a row: r is the part by which they may be wider, `second` a second
  /// difference of the density.
  TESSERA_HD_INLINE void settle(Real (&b)[bounds], bool relaxed, Real r, Real second, const Real (&low)[n]) const {
    Real least = b[0], most = b[1], least_s = b[2];
    if (relaxed) {
      least = larger((1 - r) * least, least - second);
      Real top = (1 + r) * most;
      // The densest gas: half of what is left of the free volume.
      if (gas.covolume > 0) top = smaller(top, Real(0.5) * (most + 1 / gas.covolume));
      most = smaller(top, most + second);
      least_s = larger((1 - r) * least_s, least_s - (b[3] - least_s));
    }
    // Where all densities are equal they shall not decide; a least one below the rounding stays above 0.
    const Real rounding = Real(is_double ? 1e-14 : 1e-6) * low[density];
    b[0] = larger(least - rounding, Real(0.5) * least);
    b[1] = most + rounding;
    b[2] = least_s;
    b[3] = guard(b, low);
  }
  /// Of a state that is prescribed.
  TESSERA_HD_INLINE void unbounded(Real (&b)[bounds]) const {
    b[1] = largest;
    b[0] = b[2] = b[3] = -b[1];
  }
  /// Of the state that is moved.
  TESSERA_HD_INLINE Real guard(const Real (&b)[bounds], const Real (&from)[n]) const {
    return b[2] * std::pow(from[density], gas.gamma - 1);
  }
  /// Whether `part` must look for powers.
  TESSERA_HD_INLINE bool has_powers() const { return !has_polynomials(gas); }
  /// The largest part t <= 1 with which from + t weight f keeps the bounds, almost.
  template <bool powers>
  TESSERA_HD_INLINE Real part(const Real (&b)[bounds], const Real (&from)[n], const Real (&f)[n], Real weight) const {
    return largest_part<dim, powers>(gas, BoundsOf<Real>{b[0], b[1], b[2], b[3]}, from, f, weight);
  }
  /// Whether it is 1.
  template <bool powers>
  TESSERA_HD_INLINE bool takes_all(const Real (&b)[bounds], const Real (&from)[n], const Real (&f)[n],
                                   Real weight) const {
    return euler::takes_all<dim, powers>(gas, BoundsOf<Real>{b[0], b[1], b[2], b[3]}, from, f, weight);
  }
  TESSERA_HD Real part(const Real (&b)[bounds], const Real (&from)[n], const Real (&by)[n]) const {
    return largest_part<dim>(gas, BoundsOf<Real>{b[0], b[1], b[2], b[3]}, from, by);
  }
};

}  // namespace tessera::physics::euler
