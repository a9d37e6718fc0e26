#pragma once
// Body of pmg_ops.hpp; instantiated by pmg_ops_threads.cpp and pmg_ops_cuda.cu.
#include <cmath>
#include <limits>

#include "base/parallel.hpp"
#include "solvers/pmg/pmg_ops.hpp"

namespace tessera::solvers::pmg {

template <class Exec, class T>
void step(Exec& exec, const Step& step, View<const T> inverse, View<const T> from, View<const T> q, View<T> r,
          View<T> z, View<T> x) {
  const T old = static_cast<T>(step.a), fresh = static_cast<T>(step.c), part = static_cast<T>(step.weight);
  const bool starts = step.starts, reads_z = !starts && step.a != 0, reads_q = !q.empty();
  const bool writes_r = !starts && !step.ends, writes_z = !step.ends;
  for_each(exec, x.size(), [=] TESSERA_HD(Offset row) {
    const T rest = reads_q ? from[row] - q[row] : from[row];
    const T direction = (reads_z ? old * z[row] : T{0}) + fresh * inverse[row] * rest;
    if (writes_r) r[row] = rest;
    if (writes_z) z[row] = direction;
    x[row] = (starts ? T{0} : x[row]) + part * direction;
  });
}

template <class Exec>
void find_scales(Exec& exec, const double* square, double* scales) {
  constexpr double largest = std::numeric_limits<double>::max();
  for_each(exec, 1, [=] TESSERA_HD(Offset) {
    const int exponent = *square > 0 && *square <= largest ? -ilogb(*square) / 2 : 0;
    scales[0] = ldexp(1.0, exponent);
    scales[1] = ldexp(1.0, -exponent);
  });
}

template <class Exec, class From, class To>
void convert_scaled(Exec& exec, const double* scale, View<const From> from, View<To> to) {
  for_each(exec, to.size(), [=] TESSERA_HD(Offset row) { to[row] = static_cast<To>(*scale * from[row]); });
}

#define TESSERA_INSTANTIATE_PMG_SCALES(Exec)                                           \
  template void find_scales(Exec&, const double*, double*);                            \
  template void convert_scaled(Exec&, const double*, View<const double>, View<float>); \
  template void convert_scaled(Exec&, const double*, View<const float>, View<double>)
#define TESSERA_INSTANTIATE_PMG(Exec, T) \
  template void step(Exec&, const Step&, View<const T>, View<const T>, View<const T>, View<T>, View<T>, View<T>)

}  // namespace tessera::solvers::pmg
