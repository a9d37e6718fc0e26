#pragma once
// Small passes of SchemeOf over nodes: the longest step, weights, and what marches to a steady state ask for.
#include <cmath>

#include "base/reduce_least.hpp"
#include "physics/conservation/graph.hpp"
#include "physics/conservation/step_length.hpp"

namespace tessera::physics::conservation {

/// The longest step of a node; or, where it has no state, its number. What there is none of: `none`.
struct StepOfNode {
  static constexpr double none = 1e300;
  const double* longest;

  TESSERA_HD Pair operator()(Offset i) const {
    const double value = longest[i];
    return value > 0 ? Pair{value, none} : Pair{none, static_cast<double>(i)};
  }
};

/// What a step of stages has found goes to the host, and the length of the next one, as SchemeSteps takes it, to those
/// that follow.
struct NotePass {
  StepRule rule;
  int slots;
  const double* found;  ///< [2, slots]
  double* length;       ///< of the step that was made; becomes that of the next
  double* note;         ///< [1 + 2 slots]

  TESSERA_HD void operator()(Offset) const {
    note[0] = *length;
    for (int k = 0; k < 2 * slots; ++k) note[1 + k] = found[k];
    *length = rule.length(found[0]);
  }
};

/// Numbers in single precision, times a factor.
struct RoundPass {
  double factor;
  const double* from;
  float* to;

  TESSERA_HD void operator()(Offset k) const { to[k] = static_cast<float>(factor * from[k]); }
};
struct ScalePass {
  double factor;
  const double* from;
  double* to;

  TESSERA_HD void operator()(Offset k) const { to[k] = factor * from[k]; }
};

/// Of each limited edge the share of a node: n_i / m_i.
template <class Real>
struct WeightPass {
  GraphViewOf<Real> graph;
  Real* weight;

  TESSERA_HD void operator()(Offset i) const { weight[i] = static_cast<Real>(graph.degree[i] / graph.lumped_mass[i]); }
};

/// Takes prescribed nodes out of what is limited.
template <class Real>
struct PrescribedPass {
  const Index* nodes;
  const double* values;
  Real* weight;

  TESSERA_HD void operator()(Offset k) const {
    if (values[k] == values[k]) weight[nodes[k]] = 0;
  }
};

/// By which part bounds may be relaxed: factor (m_i / |Omega|)^(3 / (2 dim)), like h^(3/2).
template <class Real>
struct RelaxationPass {
  GraphView graph;
  double inverse_measure, exponent, factor;
  Real* relaxation;

  TESSERA_HD void operator()(Offset i) const {
    relaxation[i] =
        static_cast<Real>(std::fmin(0.5, factor * std::pow(graph.lumped_mass[i] * inverse_measure, exponent)));
  }
};

/// share start + (1 - share) (u + dt r) with the dt of the node in the place of that of all.
struct StretchPass {
  int numbers;
  Offset stride;
  double dt, cfl, share;
  const double *longest, *u, *start;
  double* to;

  TESSERA_HD void operator()(Offset i) const {
    const double ratio = cfl * longest[i] / dt;
    for (int k = 0; k < numbers; ++k) {
      const Offset at = k * stride + i;
      const double before = share > 0 ? share * start[at] : 0;
      const double moved = (to[at] - before) / (1 - share);
      to[at] = before + (1 - share) * (u[at] + ratio * (moved - u[at]));
    }
  }
};

/// m (d/dt)^2 of the first number.
struct SquareOfRate {
  double inverse_cfl;
  const double *mass, *longest, *before, *after;

  TESSERA_HD double operator()(Offset i) const {
    const double rate = (after[i] - before[i]) * inverse_cfl / longest[i];
    return mass[i] * rate * rate;
  }
};

/// The least part of the edges of a node.
template <class Real>
struct LeastPartPass {
  GraphView graph;
  const Real* part;
  double* least;

  TESSERA_HD void operator()(Offset node) const {
    double result = 1;
    graph.each(static_cast<Index>(node),
               [&](Offset entry, Index) { result = std::fmin(result, static_cast<double>(part[entry])); });
    least[node] = result;
  }
};

}  // namespace tessera::physics::conservation
