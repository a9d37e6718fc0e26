#pragma once
// The passes of the scheme, each at one node or row; scheme.hpp has the formulas.
#include "physics/euler/graph.hpp"
#include "physics/euler/limit.hpp"
#include "physics/euler/riemann.hpp"

namespace tessera::physics::euler {

/// What follows from the state of a node alone, by components [node_numbers, nodes].
enum NodeNumber { node_pressure, node_sound, node_power, node_entropy_factor, node_entropy, node_numbers };

/// p, a, p^-z, K(rho), and eta / rho with Harten's entropy eta = (rho rho e)^(1 / (gamma + 1)).
template <int dim>
struct NodePass {
  Gas gas;
  Offset stride;
  const double* u;
  double* node;

  TESSERA_HD void operator()(Offset i) const {
    double own[numbers<dim>];
    for (int k = 0; k < numbers<dim>; ++k) own[k] = u[k * stride + i];
    const double internal = density_times_internal<dim>(own), rho = own[density];
    const double p = gas.pressure(rho, internal * reciprocal(rho));
    node[node_pressure * stride + i] = p;
    node[node_sound * stride + i] = gas.sound(rho, p);
    node[node_power * stride + i] = std::pow(p, -gas.z);
    node[node_entropy_factor * stride + i] = gas.entropy_factor(rho);
    node[node_entropy * stride + i] = std::pow(internal, 1 / (gas.gamma + 1)) * reciprocal(rho);
  }
};

/// A node as a row sees it.
template <int dim>
struct NodeState {
  double u[numbers<dim>], v[dim];
  double p, a, power, factor, entropy;
  double inverse;  ///< 1 / rho

  TESSERA_HD_INLINE void load(const double* from, const double* node, Offset stride, Index i) {
    for (int k = 0; k < numbers<dim>; ++k) u[k] = from[k * stride + i];
    p = node[node_pressure * stride + i];
    a = node[node_sound * stride + i];
    power = node[node_power * stride + i];
    factor = node[node_entropy_factor * stride + i];
    entropy = node[node_entropy * stride + i];
    inverse = reciprocal(u[density]);
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
  const double size = square_root(square);
  if (!(size > 0)) return 0;
  const double inverse = reciprocal(size);
  const auto side = [&](const NodeState<dim>& w, double v) -> RiemannSide {
    const double free = gas.free_volume(w.u[density]);
    return {v, w.p, w.a, free, w.power, free * w.inverse};
  };
  return size * wave_speed_bound(gas, side(i, inverse * i.along(c)), side(j, inverse * j.along(c)));
}

/// d_ij = d_ji.
template <int dim>
TESSERA_HD_INLINE inline double graph_viscosity(const Gas& gas, const NodeState<dim>& i, const NodeState<dim>& j,
                                                const assembly::EdgeAt<dim>& edge) {
  double viscosity = one_viscosity<dim>(gas, i, j, edge.c_ij);
  bool inside = true;  // then c_ji = -c_ij
  for (int d = 0; d < dim; ++d) inside = inside && edge.c_ji[d] == -edge.c_ij[d];
  if (!inside) viscosity = std::fmax(viscosity, one_viscosity<dim>(gas, j, i, edge.c_ji));
  return viscosity;
}

/// Vectors between the passes: S = R / m, the state of low order (first its rates), and the bounds (first as they are
/// without relaxation): of rho, of s, and the guard (first the largest entropy of states half way to a neighbour).
template <int dim>
inline constexpr int middle_low = numbers<dim>;
template <int dim>
inline constexpr int middle_bounds = 2 * numbers<dim>;
template <int dim>
inline constexpr int middle_numbers = 2 * numbers<dim> + 4;

struct PassViews {
  GraphView graph;
  Gas gas;
  Offset stride = 0;             ///< nodes seen
  const double* u = nullptr;     ///< [numbers, stride]
  const double* node = nullptr;  ///< [node_numbers, stride]
  double* viscosity = nullptr;   ///< [entries] d_ij
  double* part = nullptr;        ///< [entries] l_ij
  double* middle = nullptr;      ///< [middle_numbers, stride]
  double* smooth = nullptr;      ///< [2, stride] alpha, and the second difference of rho
  double* longest = nullptr;     ///< [owned] m_i / (2 sum_j d_ij), -1 where there is no gas
  double* low = nullptr;         ///< [numbers + 1, stride] the state after the first pass of the limiter, and its guard
  const double* weight = nullptr;      ///< [stride] n_i / m_i
  const double* relaxation = nullptr;  ///< [owned]
};

/// Viscosities, rates of low order, and with `limited` bounds and the indicator. Reads c.
template <int dim, bool limited>
struct RatesPass {
  PassViews v;
  double factor;          ///< of the indicator
  double inverse_length;  ///< 1 over the length of the domain

  TESSERA_HD void operator()(Offset row) const {
    constexpr int n = numbers<dim>;
    const Index i = static_cast<Index>(row);
    NodeState<dim> own;
    own.load(v.u, v.node, v.stride, i);
    double transport[n] = {}, diffusion[n] = {}, sum = 0;
    double least = own.u[density], most = own.u[density], difference = 0;
    double least_s = entropy_of(own), most_middle = least_s, left = 0;
    v.graph.each(i, [&](Offset entry, Index j) {
      NodeState<dim> other;
      other.load(v.u, v.node, v.stride, j);
      const assembly::EdgeAt<dim> edge = v.graph.template edge<dim>(entry, i, j);
      const double d = graph_viscosity<dim>(v.gas, own, other, edge);
      v.viscosity[entry] = d;
      sum += d;
      double f_i[n], f_j[n];
      own.flux(edge.c_ij, f_i);
      other.flux(edge.c_ij, f_j);
      for (int k = 0; k < n; ++k) {
        transport[k] += f_j[k] - f_i[k];
        diffusion[k] += d * (other.u[k] - own.u[k]);
      }
      if constexpr (limited) {
        const double rho_i = own.u[density], rho_j = other.u[density];
        const double bar = 0.5 * (rho_i + rho_j) - (d > 0 ? 0.5 * (f_j[density] - f_i[density]) / d : 0);
        least = std::fmin(least, bar);
        most = std::fmax(most, bar);
        difference += rho_i - rho_j;
        least_s = std::fmin(least_s, entropy_of(other));
        most_middle = std::fmax(most_middle, entropy_between(own, other));
        left += (other.entropy - own.entropy) * f_j[density];
      }
    });
    for (int k = 0; k < n; ++k) v.middle[(middle_low<dim> + k) * v.stride + i] = diffusion[k] - transport[k];
    v.longest[i] = is_admissible<dim>(v.gas, own.u) && sum < 1e300 ? 0.5 * v.graph.lumped_mass[i] / sum : -1;
    if constexpr (limited) {
      double* const bounds = v.middle + middle_bounds<dim> * v.stride;
      bounds[i] = least;
      bounds[v.stride + i] = most;
      bounds[2 * v.stride + i] = least_s;
      bounds[3 * v.stride + i] = most_middle;
      v.smooth[i] = commutator(own, left, transport, v.graph.lumped_mass[i]);
      const int count = v.graph.degree[i];
      v.smooth[v.stride + i] = count > 0 ? difference / count : 0;
    }
  }

  TESSERA_HD_INLINE double entropy_of(const NodeState<dim>& w) const {
    return v.gas.internal_energy(w.u[density], w.p) * w.factor;
  }

  /// s of the state half way, from below: K there is not less than the mean of both, times 1 - gamma y, with the mean
  /// density and y = 1 - sqrt(rho_i rho_j) / rho (Bernoulli). Of densities that are close it is exact to fourth order.
  TESSERA_HD_INLINE double entropy_between(const NodeState<dim>& i, const NodeState<dim>& j) const {
    double half[numbers<dim>];
    for (int k = 0; k < numbers<dim>; ++k) half[k] = 0.5 * (i.u[k] + j.u[k]);
    const double inverse = reciprocal(half[density]);
    const double y = 1 - square_root(i.u[density] * j.u[density]) * inverse;
    return density_times_internal<dim>(half) * inverse * square_root(i.factor * j.factor) *
           std::fmax(0.0, 1 - v.gas.gamma * y);
  }

  /// How far eta fails to be transported: |sum_j (eta_j / rho_j - eta_i / rho_i) m_j c_ij - g . sum_j (F_j - F_i) c_ij|
  /// with g = eta'(u_i) - eta_i / rho_i e_rho, over the sum of the moduli of its terms; in [0, 1].
  TESSERA_HD_INLINE double commutator(const NodeState<dim>& own, double left, const double (&transport)[numbers<dim>],
                                      double mass) const {
    const double internal = density_times_internal<dim>(own.u), eta = own.entropy * own.u[density];
    const double scale = eta * reciprocal((v.gas.gamma + 1) * internal);
    double difference = left, size = std::fabs(left);
    const auto add = [&](double slope, double of) {
      difference -= slope * of;
      size += std::fabs(slope * of);
    };
    add(scale * own.u[energy] - own.entropy, transport[density]);
    add(scale * own.u[density], transport[energy]);
    for (int d = 0; d < dim; ++d) add(-scale * own.u[momentum + d], transport[momentum + d]);
    size += std::fabs(eta) * own.a * mass * inverse_length;  // what changes less than over the domain is smooth
    return std::fmin(1.0, factor * std::fabs(difference) / size);
  }
};

/// R / m of the high order, the state of low order after dt, and the relaxed bounds. Reads d.
template <int dim>
struct MiddlePass {
  PassViews v;
  double dt;
  bool relaxed;

  TESSERA_HD void operator()(Offset row) const {
    constexpr int n = numbers<dim>;
    const Index i = static_cast<Index>(row);
    const Offset stride = v.stride;
    double own[n], low[n], rates[n], sum_of_differences = 0;
    const double alpha = v.smooth[i], difference = v.smooth[stride + i];
    const double inverse_mass = reciprocal(v.graph.lumped_mass[i]);
    for (int k = 0; k < n; ++k) {
      own[k] = v.u[k * stride + i];
      rates[k] = v.middle[(middle_low<dim> + k) * stride + i];
      low[k] = own[k] + dt * inverse_mass * rates[k];
    }
    v.graph.each(i, [&](Offset entry, Index j) {
      const double by = v.viscosity[entry] * (0.5 * (alpha + v.smooth[j]) - 1);
      for (int k = 0; k < n; ++k) rates[k] += by * (v.u[k * stride + j] - own[k]);
      sum_of_differences += 0.5 * (difference + v.smooth[stride + j]);
    });
    for (int k = 0; k < n; ++k) {
      v.middle[k * stride + i] = inverse_mass * rates[k];
      v.middle[(middle_low<dim> + k) * stride + i] = low[k];
    }
    double* const bounds = v.middle + middle_bounds<dim> * stride;
    double least = bounds[i], most = bounds[stride + i], least_s = bounds[2 * stride + i];
    if (relaxed) {
      const double r = v.relaxation[i];
      const double second = 0.5 * std::fabs(sum_of_differences) / (v.graph.degree[i] > 0 ? v.graph.degree[i] : 1);
      least = std::fmax((1 - r) * least, least - second);
      double top = (1 + r) * most;
      // The densest gas: half of what is left of the free volume.
      if (v.gas.covolume > 0) top = std::fmin(top, 0.5 * (most + 1 / v.gas.covolume));
      most = std::fmin(top, most + second);
      least_s = std::fmax((1 - r) * least_s, least_s - (bounds[3 * stride + i] - least_s));
    }
    bounds[i] = least;
    bounds[stride + i] = most;
    bounds[2 * stride + i] = least_s;
    bounds[3 * stride + i] = least_s * std::pow(low[density], v.gas.gamma - 1);
  }
};

/// A pass of the limiter: from = u^L or what the pass before made of it. The last one makes the state of the stage.
template <int dim, bool first, bool last>
struct LimitPass {
  PassViews v;
  double dt;
  bool consistent;
  double share;         ///< of the last
  const double* start;  ///< of the last
  double* to;           ///< of the last

  /// One end of an edge.
  struct End {
    double u[numbers<dim>], rate[numbers<dim>], from[numbers<dim>];
    Bounds bounds;
    double alpha, weight;
  };
  TESSERA_HD_INLINE void load(Index i, End& end) const {
    constexpr int n = numbers<dim>;
    const double* const bounds = v.middle + middle_bounds<dim> * v.stride;
    for (int k = 0; k < n; ++k) {
      end.u[k] = v.u[k * v.stride + i];
      end.rate[k] = v.middle[k * v.stride + i];
      end.from[k] = first ? v.middle[(middle_low<dim> + k) * v.stride + i] : v.low[k * v.stride + i];
    }
    end.bounds = {bounds[i], bounds[v.stride + i], bounds[2 * v.stride + i],
                  first ? bounds[3 * v.stride + i] : v.low[n * v.stride + i]};
    end.alpha = v.smooth[i];
    end.weight = v.weight[i];
  }

  /// What the edge brings to i, over dt; of j it is the negative, bit by bit.
  TESSERA_HD_INLINE void flux(const End& i, const End& j, Offset entry, double (&f)[numbers<dim>]) const {
    const double by = v.viscosity[entry] * (0.5 * (i.alpha + j.alpha) - 1);
    const double mass = consistent ? v.graph.coefficients.mass[entry] : 0;
    for (int k = 0; k < numbers<dim>; ++k) f[k] = dt * (by * (j.u[k] - i.u[k]) + mass * (i.rate[k] - j.rate[k]));
  }

  TESSERA_HD void operator()(Offset row) const {
    constexpr int n = numbers<dim>;
    const Index i = static_cast<Index>(row);
    End own;
    load(i, own);
    double sum[n] = {};
    v.graph.each(i, [&](Offset entry, Index j) {
      End other;
      load(j, other);
      double f[n];
      flux(own, other, entry, f);
      if constexpr (!first)
        for (int k = 0; k < n; ++k) f[k] *= 1 - v.part[entry];
      // Each end by itself, so that it does not matter which comes first; the lower node does, so that both rows
      // compute the same.
      const bool own_first = i < j;
      const double l = std::fmin(limited(own_first ? own : other, f, own_first ? 1 : -1),
                                 limited(own_first ? other : own, f, own_first ? -1 : 1));
      if constexpr (!last) v.part[entry] = l;
      for (int k = 0; k < n; ++k) sum[k] += l * f[k];
    });
    const double inverse_mass = reciprocal(v.graph.lumped_mass[i]);
    double moved[n];
    for (int k = 0; k < n; ++k) moved[k] = own.from[k] + inverse_mass * sum[k];
    if constexpr (last) {
      for (int k = 0; k < n; ++k) {
        const double before = share > 0 ? share * start[k * v.stride + i] : 0;
        to[k * v.stride + i] = before + (1 - share) * moved[k];
      }
    } else {
      for (int k = 0; k < n; ++k) v.low[k * v.stride + i] = moved[k];
      v.low[n * v.stride + i] = own.bounds.least_s * std::pow(moved[density], v.gas.gamma - 1);
    }
  }

  TESSERA_HD_INLINE double limited(const End& end, const double (&f)[numbers<dim>], double sign) const {
    double by[numbers<dim>];
    for (int k = 0; k < numbers<dim>; ++k) by[k] = sign * end.weight * f[k];
    return largest_part<dim>(v.gas, end.bounds, end.from, by, 1);
  }
};

/// The low order alone.
template <int dim>
struct LowPass {
  PassViews v;
  double dt, share;
  const double* start;
  double* to;

  TESSERA_HD void operator()(Offset i) const {
    const double by = dt * reciprocal(v.graph.lumped_mass[i]);
    for (int k = 0; k < numbers<dim>; ++k) {
      const Offset at = k * v.stride + i;
      const double before = share > 0 ? share * start[at] : 0;
      to[at] = before + (1 - share) * (v.u[at] + by * v.middle[(middle_low<dim> + k) * v.stride + i]);
    }
  }
};

}  // namespace tessera::physics::euler
