#pragma once
// Written once; instantiated by node_ops_threads.cpp and node_ops_cuda.cu.
#include <algorithm>
#include <cmath>

#include "base/parallel.hpp"
#include "forms/tensor.hpp"
#include "physics/wave/node_ops.hpp"

namespace tessera::physics::wave {
namespace detail {

template <int n, class Exec, class T>
void damp(Exec& exec, View<const Index> dofs, View<const T> C, View<const T> v, View<T> a) {
  for_each(exec, dofs.size(), [=] TESSERA_HD(Offset i) {
    const Offset row = Offset{dofs[i]} * n;
    for (int c = 0; c < n; ++c) {
      T sum = 0;
      for (int d = 0; d < n; ++d) sum += C[(i * n + c) * n + d] * v[row + d];
      a[row + c] -= sum;
    }
  });
}

template <int n, class Exec, class T>
void leap_held(Exec& exec, const HeldNodes<T> held, View<T> a, T h, T kick, T drift, View<T> v, View<T> u) {
  for_each(exec, held.dofs.size(), [=] TESSERA_HD(Offset i) {
    const T* const C = held.damping.data() + i * n * n;
    const Offset row = Offset{held.dofs[i]} * n;
    T A[n][n], inverse[n][n], b[n];
    for (int c = 0; c < n; ++c) {
      b[c] = a[i * n + c];
      for (int d = 0; d < n; ++d) {
        A[c][d] = (c == d ? T(1) : T(0)) + h * C[c * n + d];
        b[c] -= C[c * n + d] * v[row + d];
      }
    }
    forms::invert<n, T>(A, inverse);
    T solved[n];
    for (int c = 0; c < n; ++c) {
      solved[c] = 0;
      for (int d = 0; d < n; ++d) solved[c] += inverse[c][d] * b[d];
    }
    for (int c = 0; c < n; ++c) {
      if (held.fixed[i] >> c & 1) continue;
      v[row + c] += kick * solved[c];
      u[row + c] += drift * v[row + c];
    }
  });
}

}  // namespace detail

template <class Exec, class T>
void add_to_entries(Exec& exec, View<const Index> rows, View<const T> weights, double factor, View<T> x) {
  const T by = static_cast<T>(factor);
  for_each(exec, rows.size(), [=] TESSERA_HD(Offset k) { x[rows[k]] += by * weights[k]; });
}

template <class Exec, class T>
void add_to_entries(Exec& exec, View<const Index> rows, View<const T> weights, const double* factor, View<T> x) {
  for_each(exec, rows.size(), [=] TESSERA_HD(Offset k) { x[rows[k]] += static_cast<T>(*factor) * weights[k]; });
}

template <class Exec, class T>
void add_to_leap(Exec& exec, View<const Index> rows, View<const T> weights, const double* factor, double kick,
                 double drift, View<T> v, View<T> u) {
  const T along = static_cast<T>(drift);
  for_each(exec, rows.size(), [=] TESSERA_HD(Offset k) {
    const T dv = static_cast<T>(*factor * kick) * weights[k];
    v[rows[k]] += dv;
    u[rows[k]] += along * dv;
  });
}

namespace detail {
/// Numbers that are an argument of a launch.
struct FewNumbers {
  static constexpr std::size_t most = 32;
  double values[most] = {};
};
}  // namespace detail

template <class Exec>
void put_numbers(Exec& exec, std::span<const double> values, View<double> to) {
  for (std::size_t first = 0; first < values.size(); first += detail::FewNumbers::most) {
    const std::size_t count = std::min(detail::FewNumbers::most, values.size() - first);
    detail::FewNumbers few;
    std::copy_n(values.data() + first, count, few.values);
    const View<double> part = to.part(static_cast<Offset>(first), static_cast<Offset>(count));
    for_each(exec, part.size(), [=] TESSERA_HD(Offset i) { part[i] = few.values[i]; });
  }
}

template <class Exec, class T>
void damp(Exec& exec, int components, View<const Index> dofs, View<const T> C, View<const T> v, View<T> a) {
  if (components == 1) return detail::damp<1>(exec, dofs, C, v, a);
  if (components == 2) return detail::damp<2>(exec, dofs, C, v, a);
  detail::damp<3>(exec, dofs, C, v, a);
}

template <class Exec, class T>
void leap_held(Exec& exec, int components, const HeldNodes<T>& held, View<T> a, double h, double kick, double drift,
               View<T> v, View<T> u) {
  const T half = static_cast<T>(h), by = static_cast<T>(kick), along = static_cast<T>(drift);
  if (components == 1) return detail::leap_held<1>(exec, held, a, half, by, along, v, u);
  if (components == 2) return detail::leap_held<2>(exec, held, a, half, by, along, v, u);
  detail::leap_held<3>(exec, held, a, half, by, along, v, u);
}

template <class Exec, class T>
void scale_by_nodes(Exec& exec, int components, View<const T> c, double factor, View<T> v) {
  const T by = static_cast<T>(factor);
  for_each(exec, v.size(), [=] TESSERA_HD(Offset i) { v[i] *= 1 + by * c[i / components]; });
}

template <class Exec, class T>
void move_by_nodes(Exec& exec, int components, View<const T> c, double factor, View<const T> v, View<T> u) {
  const T by = static_cast<T>(factor);
  for_each(exec, v.size(), [=] TESSERA_HD(Offset i) { u[i] += by * c[i / components] * v[i]; });
}

template <class Exec, class T>
void subtract_by_nodes(Exec& exec, int components, View<const T> c, View<const T> v, View<T> a) {
  for_each(exec, a.size(), [=] TESSERA_HD(Offset i) { a[i] -= c[i / components] * v[i]; });
}

template <class Exec, class T>
void divide_leap(Exec& exec, int components, View<const T> c, double h, double drift, View<T> v, View<T> u) {
  const T half = static_cast<T>(h), along = static_cast<T>(drift);
  for_each(exec, v.size(), [=] TESSERA_HD(Offset i) {
    const T before = v[i], after = before / (1 + half * c[i / components]);
    v[i] = after;
    u[i] += along * (after - before);
  });
}

template <class Exec, class T>
void push_by_memory(Exec& exec, View<const T> c, View<const T> r, double factor, double kick, View<T> v) {
  const T by = static_cast<T>(factor), along = static_cast<T>(kick);
  for_each(exec, v.size(), [=] TESSERA_HD(Offset i) {
    T sum = 0, force = 0;
    for (int l = 0; l < times_of_fluids; ++l) {
      sum += c[i * times_of_fluids + l];
      force += c[i * times_of_fluids + l] * r[i * times_of_fluids + l];
    }
    v[i] += by * sum * v[i] + along * force;
  });
}

template <class Exec, class T>
void add_memory(Exec& exec, View<const Index> dofs, View<const T> c, View<const T> r, View<T> a) {
  for_each(exec, dofs.size(), [=] TESSERA_HD(Offset k) {
    T force = 0;
    for (int l = 0; l < times_of_fluids; ++l)
      force += c[k * times_of_fluids + l] * r[Offset{dofs[k]} * times_of_fluids + l];
    a[k] += force;
  });
}

template <class Exec, class T>
void follow(Exec& exec, const std::array<double, times_of_fluids>& kept, View<const T> v, View<T> r) {
  const T first = static_cast<T>(kept[0]), second = static_cast<T>(kept[1]), third = static_cast<T>(kept[2]);
  for_each(exec, v.size(), [=] TESSERA_HD(Offset i) {
    T* const of = r.data() + i * times_of_fluids;
    of[0] = v[i] + first * (of[0] - v[i]);
    of[1] = v[i] + second * (of[1] - v[i]);
    of[2] = v[i] + third * (of[2] - v[i]);
  });
}

template <class Exec, class T>
void set_values(Exec& exec, View<const Index> rows, View<const double> values, View<T> x) {
  for_each(exec, rows.size(), [=] TESSERA_HD(Offset k) { x[rows[k]] = static_cast<T>(values[k]); });
}

template <class Exec, class T>
void divide_by(Exec& exec, int components, View<const T> inverse, View<double> x) {
  for_each(exec, x.size(), [=] TESSERA_HD(Offset i) { x[i] /= static_cast<double>(inverse[i / components]); });
}

template <class Exec, class T>
void take_peaks(Exec& exec, int components, View<const T> x, View<T> peaks) {
  for_each(exec, peaks.size(), [=] TESSERA_HD(Offset i) {
    T square = 0;
    for (int c = 0; c < components; ++c) square += x[i * components + c] * x[i * components + c];
    const T size = std::sqrt(square);
    if (size > peaks[i]) peaks[i] = size;
  });
}

#define TESSERA_INSTANTIATE_NODE_OPS(Exec, T)                                                                          \
  template void add_to_entries(Exec&, View<const Index>, View<const T>, double, View<T>);                              \
  template void add_to_entries(Exec&, View<const Index>, View<const T>, const double*, View<T>);                       \
  template void add_to_leap(Exec&, View<const Index>, View<const T>, const double*, double, double, View<T>, View<T>); \
  template void damp(Exec&, int, View<const Index>, View<const T>, View<const T>, View<T>);                            \
  template void leap_held(Exec&, int, const HeldNodes<T>&, View<T>, double, double, double, View<T>, View<T>);         \
  template void scale_by_nodes(Exec&, int, View<const T>, double, View<T>);                                            \
  template void move_by_nodes(Exec&, int, View<const T>, double, View<const T>, View<T>);                              \
  template void subtract_by_nodes(Exec&, int, View<const T>, View<const T>, View<T>);                                  \
  template void divide_leap(Exec&, int, View<const T>, double, double, View<T>, View<T>);                              \
  template void push_by_memory(Exec&, View<const T>, View<const T>, double, double, View<T>);                          \
  template void add_memory(Exec&, View<const Index>, View<const T>, View<const T>, View<T>);                           \
  template void follow(Exec&, const std::array<double, times_of_fluids>&, View<const T>, View<T>);                     \
  template void set_values(Exec&, View<const Index>, View<const double>, View<T>);                                     \
  template void divide_by(Exec&, int, View<const T>, View<double>);                                                    \
  template void take_peaks(Exec&, int, View<const T>, View<T>)

#define TESSERA_INSTANTIATE_WEIGHTED_SUMS(Exec, T)                                                                 \
  template void add_weighted_sums(Exec&, View<const Offset>, View<const Index>, View<const double>, View<const T>, \
                                  double, View<double>)

}  // namespace tessera::physics::wave
