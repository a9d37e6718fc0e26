#pragma once
// Kernels of shift_ops.hpp, written once; instantiated by shift_ops_threads.cpp and shift_ops_cuda.cu.
#include <cassert>

#include "base/array.hpp"
#include "base/link.hpp"
#include "base/reduce_pair.hpp"
#include "linalg/shift_ops.hpp"

namespace tessera::linalg {
namespace detail {
TESSERA_HD inline double magnitude(double a) { return a < 0 ? -a : a; }
}  // namespace detail

template <class Exec>
void set_entries(Exec& exec, View<const Index> rows, double value, View<double> x) {
  for_each(exec, rows.size(), [=] TESSERA_HD(Offset k) { x[rows[k]] = value; });
}

template <class Exec>
void set_entries(Exec& exec, View<const Index> rows, View<const double> values, View<double> x) {
  assert(rows.size() == values.size());
  for_each(exec, rows.size(), [=] TESSERA_HD(Offset k) { x[rows[k]] = values[k]; });
}

template <class Exec>
void add_constant(Exec& exec, double c, View<double> x) {
  for_each(exec, x.size(), [=] TESSERA_HD(Offset i) { x[i] += c; });
}

template <class Exec>
void clean_row_sums(Exec& exec, double share, View<const double> d, View<const double> b, View<double> t, double* bt,
                    double* tt) {
  assert(d.size() == t.size() && b.size() == t.size());
  reduce_pair(
      exec, t.size(),
      [=] TESSERA_HD(Offset i) {
        double sum = t[i];
        if (detail::magnitude(sum) <= share * detail::magnitude(d[i])) {
          sum = 0;
          t[i] = 0;
        }
        return Pair{b[i] * sum, sum * sum};
      },
      bt, tt);
  sum_over_ranks(exec, {{bt}, {tt}});
}

template <class Exec>
void shift_right_side(Exec& exec, double c, View<const double> e, View<const double> t, View<const double> d,
                      View<const double> b, View<double> shifted, double* square, double* size) {
  assert(e.size() == b.size() && t.size() == b.size() && d.size() == b.size() && shifted.size() == b.size());
  reduce_pair(
      exec, b.size(),
      [=] TESSERA_HD(Offset i) {
        const bool free = e[i] != 0;
        const double value = free ? b[i] - c * t[i] : 0;
        const double bound = free ? detail::magnitude(b[i]) + detail::magnitude(c * d[i]) : 0;
        shifted[i] = value;
        return Pair{value * value, bound * bound};
      },
      square, size);
  sum_over_ranks(exec, {{square}, {size}});
}

template <class Exec, class T>
void loads(Exec& exec, View<const T> b, View<const double> t, View<const T> y, double* square, double* size) {
  assert(b.size() == t.size() && y.size() == t.size());
  reduce_pair(
      exec, t.size(),
      [=] TESSERA_HD(Offset i) {
        const double inside = static_cast<double>(b[i]), outside = t[i] * static_cast<double>(y[i]);
        const double sum = inside - outside, bound = detail::magnitude(inside) + detail::magnitude(outside);
        return Pair{sum * sum, bound * bound};
      },
      square, size);
  sum_over_ranks(exec, {{square}, {size}});
}

template <class Exec>
void product_square(Exec& exec, View<const double> d, View<const double> y, double* square) {
  assert(d.size() == y.size());
  reduce(
      exec, y.size(),
      [=] TESSERA_HD(Offset i) {
        const double product = d[i] * y[i];
        return product * product;
      },
      square);
  sum_over_ranks(exec, {{square}});
}

template <class Exec>
VectorSums sums(Exec& exec, View<const double> x) {
  Array<double, typename Exec::Space> result(2);
  reduce_pair(
      exec, x.size(),
      [=] TESSERA_HD(Offset i) {
        return Pair{x[i], detail::magnitude(x[i])};
      },
      result.data(), result.data() + 1);
  sum_over_ranks(exec, {{result.data(), 2}});
  exec.synchronize();
  const std::vector<double> on_host = to_vector(result);
  return {on_host[0], on_host[1]};
}

#define TESSERA_INSTANTIATE_SHIFT_OPS(Exec)                                                                            \
  template void set_entries(Exec&, View<const Index>, double, View<double>);                                           \
  template void set_entries(Exec&, View<const Index>, View<const double>, View<double>);                               \
  template VectorSums sums(Exec&, View<const double>);                                                                 \
  template void add_constant(Exec&, double, View<double>);                                                             \
  template void clean_row_sums(Exec&, double, View<const double>, View<const double>, View<double>, double*, double*); \
  template void shift_right_side(Exec&, double, View<const double>, View<const double>, View<const double>,            \
                                 View<const double>, View<double>, double*, double*);                                  \
  template void loads(Exec&, View<const double>, View<const double>, View<const double>, double*, double*);            \
  template void loads(Exec&, View<const float>, View<const double>, View<const float>, double*, double*);              \
  template void product_square(Exec&, View<const double>, View<const double>, double*)

}  // namespace tessera::linalg
