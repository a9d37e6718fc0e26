#pragma once
// Written once; instantiated by constrain_threads.cpp and constrain_cuda.cu.
#include "base/error.hpp"
#include "base/parallel.hpp"
#include "physics/euler/constrain.hpp"

namespace tessera::physics::euler {
namespace detail {

template <int dim>
struct BoundaryView {
  Gas gas;
  Offset count, stride;
  const Index* nodes;
  const double* normals;
  const double* values;
  double* u;

  TESSERA_HD void load(Offset k, double (&own)[numbers<dim>]) const {
    for (int c = 0; c < numbers<dim>; ++c) own[c] = u[c * stride + nodes[k]];
  }
  TESSERA_HD void store(Offset k, const double (&own)[numbers<dim>]) const {
    for (int c = 0; c < numbers<dim>; ++c) u[c * stride + nodes[k]] = own[c];
  }
  TESSERA_HD void store(Offset k, const Primitive<dim>& w) const {
    double own[numbers<dim>];
    conservative<dim>(gas, w, own);
    store(k, own);
  }
  TESSERA_HD double normal(Offset k, int which, int axis) const { return normals[(which * dim + axis) * count + k]; }
  TESSERA_HD double value(Offset k, int which) const { return values[which * count + k]; }
  /// (rho, p, v) as a state.
  TESSERA_HD Primitive<dim> prescribed(Offset k) const {
    Primitive<dim> w;
    w.rho = value(k, 0);
    w.p = value(k, 1);
    for (int d = 0; d < dim; ++d) w.v[d] = value(k, 2 + d);
    return w;
  }
  TESSERA_HD double along(Offset k, const double (&v)[dim]) const {
    double sum = 0;
    for (int d = 0; d < dim; ++d) sum += v[d] * normal(k, 0, d);
    return sum;
  }
  /// v becomes that with the normal part `to`.
  TESSERA_HD void turn(Offset k, double to, double (&v)[dim]) const {
    const double by = to - along(k, v);
    for (int d = 0; d < dim; ++d) v[d] += by * normal(k, 0, d);
  }
};

/// m -= (m . n) n: mass and energy stay.
template <int dim>
struct SlipWall {
  BoundaryView<dim> v;
  TESSERA_HD void operator()(Offset k) const {
    double own[numbers<dim>];
    v.load(k, own);
    for (int which = 0; which < dim; ++which) {
      double flow = 0;
      for (int d = 0; d < dim; ++d) flow += own[momentum + d] * v.normal(k, which, d);
      for (int d = 0; d < dim; ++d) own[momentum + d] -= flow * v.normal(k, which, d);
    }
    v.store(k, own);
  }
};

template <int dim>
struct Inflow {
  BoundaryView<dim> v;
  TESSERA_HD void operator()(Offset k) const { v.store(k, v.prescribed(k)); }
};

/// Riemann's invariants v_n -+ 2 a / (gamma - 1): the incoming one is that of the state far away, the outgoing one that
/// of the node; entropy and the tangential velocity come from where the flow comes.
template <int dim>
struct FarField {
  BoundaryView<dim> v;
  TESSERA_HD void operator()(Offset k) const {
    const Gas& gas = v.gas;
    double own[numbers<dim>];
    v.load(k, own);
    Primitive<dim> inside = primitive<dim>(gas, own);
    const Primitive<dim> away = v.prescribed(k);
    const double a = gas.sound(inside.rho, inside.p), flow = v.along(k, inside.v);
    if (flow >= a) return;
    if (flow <= -a) return v.store(k, away);
    const double by = 2 / (gas.gamma - 1);
    const double incoming = v.along(k, away.v) - by * gas.sound(away.rho, away.p), outgoing = flow + by * a;
    const double normal = 0.5 * (incoming + outgoing), sound = 0.5 * (outgoing - incoming) / by;
    if (!(sound > 0)) return v.store(k, away);
    Primitive<dim> w = normal < 0 ? away : inside;
    const double s = w.p * std::pow(w.rho, -gas.gamma);
    v.turn(k, normal, w.v);
    w.rho = std::pow(sound * sound / (gas.gamma * s), 1 / (gas.gamma - 1));
    w.p = w.rho * sound * sound / gas.gamma;
    v.store(k, w);
  }
};

/// The pressure is that outside, but not below that at which the flow becomes as fast as sound, where it chokes;
/// entropy, the outgoing invariant and the tangential velocity are those of the node.
template <int dim>
struct PressureOutflow {
  BoundaryView<dim> v;
  TESSERA_HD void operator()(Offset k) const {
    const Gas& gas = v.gas;
    double own[numbers<dim>];
    v.load(k, own);
    Primitive<dim> w = primitive<dim>(gas, own);
    const double a = gas.sound(w.rho, w.p), flow = v.along(k, w.v), by = 2 / (gas.gamma - 1);
    if (flow >= a) return;
    // Along an isentrope p is a^(2 gamma / (gamma - 1)), and v_n = a where (1 + by) a is the outgoing invariant.
    const double outgoing = flow + by * a, sonic = outgoing / (1 + by);
    if (!(sonic > 0)) return;  // it flows in faster than it could come out of a vacuum
    const double choked = w.p * std::pow(sonic / a, by * gas.gamma), p = std::fmax(v.value(k, 0), choked);
    w.rho *= std::pow(p / w.p, 1 / gas.gamma);
    w.p = p;
    v.turn(k, outgoing - by * gas.sound(w.rho, w.p), w.v);
    v.store(k, w);
  }
};

/// What comes along -n from rest at p_0 and a_0: a^2 / (gamma - 1) + v_n^2 / 2 = a_0^2 / (gamma - 1), with the outgoing
/// invariant of the node.
template <int dim>
struct Reservoir {
  BoundaryView<dim> v;
  TESSERA_HD void operator()(Offset k) const {
    const Gas& gas = v.gas;
    double own[numbers<dim>];
    v.load(k, own);
    Primitive<dim> w = primitive<dim>(gas, own);
    const double by = 2 / (gas.gamma - 1), p_0 = v.value(k, 0), square_0 = v.value(k, 1);
    const double outgoing = v.along(k, w.v) + by * gas.sound(w.rho, w.p);
    // (by^2 + by) a^2 - 2 by outgoing a + outgoing^2 - by a_0^2 = 0
    const double second = by * by + by, first = by * outgoing, zeroth = outgoing * outgoing - by * square_0;
    const double root = first * first - second * zeroth;
    double a = root > 0 ? (first + std::sqrt(root)) / second : std::sqrt(square_0);
    double normal = outgoing - by * a;
    if (normal > 0) {  // nothing flows back: it rests
      normal = 0;
      a = std::sqrt(square_0);
    }
    w.p = p_0 * std::pow(a * a / square_0, gas.gamma / (gas.gamma - 1));
    w.rho = gas.gamma * w.p / (a * a);
    for (int d = 0; d < dim; ++d) w.v[d] = normal * v.normal(k, 0, d);
    v.store(k, w);
  }
};

template <int dim, class Exec>
void constrain(Exec& exec, const Gas& gas, const BoundaryNodes<typename Exec::Space>& of, View<double> u) {
  const Offset count = of.nodes.size();
  const BoundaryView<dim> v{
      gas, count, u.size() / numbers<dim>, of.nodes.data(), of.normals.data(), of.values.data(), u.data()};
  switch (of.kind) {
    case BoundaryKind::slip_wall: return for_each(exec, count, SlipWall<dim>{v});
    case BoundaryKind::outflow: return;
    case BoundaryKind::pressure_outflow: return for_each(exec, count, PressureOutflow<dim>{v});
    case BoundaryKind::reservoir: return for_each(exec, count, Reservoir<dim>{v});
    case BoundaryKind::far_field: return for_each(exec, count, FarField<dim>{v});
    case BoundaryKind::inflow: return for_each(exec, count, Inflow<dim>{v});
  }
}

}  // namespace detail

template <class Exec>
void constrain(Exec& exec, int dim, const Gas& gas, const BoundaryNodes<typename Exec::Space>& of, View<double> u) {
  if (dim == 1) return detail::constrain<1>(exec, gas, of, u);
  if (dim == 2) return detail::constrain<2>(exec, gas, of, u);
  detail::constrain<3>(exec, gas, of, u);
}

}  // namespace tessera::physics::euler
