#pragma once
// Small passes of SchemeOf over nodes: the longest step, weights, and what marches to a steady state ask for.
#include <cmath>

#include "physics/conservation/graph.hpp"

namespace tessera::physics::conservation {

/// The least of `longest` and its first entry that is not positive (none: 1e300), by `strides` threads of which each
/// looks at every `strides`-th entry.
struct LeastPass {
  Offset owned, strides;
  const double* longest;
  double* least;  ///< [2, strides]

  TESSERA_HD void operator()(Offset k) const {
    double result = 1e300, first = 1e300;
    for (Offset i = k; i < owned; i += strides) {
      const double value = longest[i];
      if (value > 0)
        result = value < result ? value : result;
      else if (first == 1e300)
        first = static_cast<double>(i);
    }
    least[k] = result;
    least[strides + k] = first;
  }
};

/// The least of both numbers, by `few` threads.
struct FewLeastPass {
  Offset strides, few;
  const double* least;  ///< [2, strides]
  double* found;        ///< [2, few]

  TESSERA_HD void operator()(Offset k) const {
    for (Offset which = 0; which < 2; ++which) {
      double result = 1e300;
      for (Offset i = k; i < strides; i += few) result = std::fmin(result, least[which * strides + i]);
      found[which * few + k] = result;
    }
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
