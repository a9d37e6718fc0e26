#pragma once
// Instantiated by implicit_ops_threads.cpp and implicit_ops_cuda.cu.
#include <cmath>

#include "base/link.hpp"
#include "base/parallel.hpp"
#include "base/reciprocal.hpp"
#include "linalg/vector_ops.hpp"
#include "physics/conservation/implicit_ops.hpp"

namespace tessera::physics::conservation {

template <class Exec>
void rates_of(Exec& exec, int numbers, View<const double> tau, View<const double> u, View<const double> after,
              View<double> rates) {
  const Offset nodes = tau.size(), stride = u.size() / numbers;
  for_each(exec, nodes, [=] TESSERA_HD(Offset i) {
    const double inverse = reciprocal(tau[i]);
    for (int k = 0; k < numbers; ++k) {
      const Offset at = k * stride + i;
      rates[at] = (after[at] - u[at]) * inverse;
    }
  });
}

template <class Exec>
void right_side(Exec& exec, int numbers, const ImplicitStep& step, View<const double> tau, View<const double> base,
                View<const double> u, View<const double> after, View<const double> rates, View<double> b) {
  const Offset nodes = tau.size(), stride = u.size() / numbers;
  const bool adds = !rates.empty();
  for_each(exec, nodes, [=] TESSERA_HD(Offset i) {
    const double dt = step.length(tau[i]), by = step.theta * dt * reciprocal(tau[i]);
    for (int k = 0; k < numbers; ++k) {
      const Offset at = k * stride + i;
      double value = base[at] - u[at] + by * (after[at] - u[at]);
      if (adds) value += (1 - step.theta) * dt * rates[at];
      b[i * numbers + k] = value * reciprocal(step.scales[k]);
    }
  });
}

template <class Exec>
void add_correction(Exec& exec, int numbers, const ImplicitStep& step, View<const double> x, View<double> u,
                    double* sum_of_squares) {
  const Offset nodes = x.size() / numbers, stride = u.size() / numbers;
  for_each(exec, nodes, [=] TESSERA_HD(Offset i) {
    for (int k = 0; k < numbers; ++k) u[k * stride + i] += step.scales[k] * x[i * numbers + k];
  });
  linalg::dot(exec, x, x, sum_of_squares);
}

template <class Exec>
void integrals(Exec& exec, int numbers, View<const double> mass, View<const double> u, double* sums) {
  const Offset nodes = mass.size(), stride = u.size() / numbers;
  for (int k = 0; k < numbers; ++k) {
    const View<const double> of = u.part(k * stride, nodes);
    reduce(
        exec, nodes, [=] TESSERA_HD(Offset i) { return mass[i] * of[i]; }, sums + k);
  }
  sum_over_ranks(exec, {{sums, numbers}});
}

/// The size of component c at a node, see shift_component.
TESSERA_HD_INLINE inline double size_of(View<const double> u, Offset stride, Offset node, int c) {
  const double first = std::fabs(u[node]), second = std::fabs(u[stride + node]);
  return c == 0 ? first : c == 1 ? second : std::sqrt(first * second);
}

template <class Exec>
void shift_component(Exec& exec, int numbers, View<const Index> nodes, int c, double by, View<const double> from,
                     View<double> to) {
  const Offset stride = from.size() / numbers;
  for_each(exec, nodes.size(), [=] TESSERA_HD(Offset k) {
    const double more = by * size_of(from, stride, nodes[k], c);
    for (int l = 0; l < numbers; ++l) {
      const Offset at = l * stride + nodes[k];
      to[at] = from[at] + (l == c ? more : 0);
    }
  });
}

template <class Exec>
void difference_column(Exec& exec, int numbers, View<const Index> nodes, int c, double by, View<const double> from,
                       View<const double> above, View<const double> below, View<double> turns) {
  const Offset stride = above.size() / numbers;
  for_each(exec, nodes.size(), [=] TESSERA_HD(Offset k) {
    const double inverse = 0.5 / (by * size_of(from, stride, nodes[k], c));
    for (int l = 0; l < numbers; ++l) {
      const Offset at = l * stride + nodes[k];
      turns[(k * numbers + l) * numbers + c] = inverse * (above[at] - below[at]);
    }
  });
}

#define TESSERA_INSTANTIATE_IMPLICIT_OPS(Exec)                                                                        \
  template void rates_of(Exec&, int, View<const double>, View<const double>, View<const double>, View<double>);       \
  template void right_side(Exec&, int, const ImplicitStep&, View<const double>, View<const double>,                   \
                           View<const double>, View<const double>, View<const double>, View<double>);                 \
  template void add_correction(Exec&, int, const ImplicitStep&, View<const double>, View<double>, double*);           \
  template void integrals(Exec&, int, View<const double>, View<const double>, double*);                               \
  template void shift_component(Exec&, int, View<const Index>, int, double, View<const double>, View<double>);        \
  template void difference_column(Exec&, int, View<const Index>, int, double, View<const double>, View<const double>, \
                                  View<const double>, View<double>)

}  // namespace tessera::physics::conservation
