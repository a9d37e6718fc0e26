#pragma once
// Kernels of vector_ops.hpp, written once; instantiated by vector_ops_threads.cpp and vector_ops_cuda.cu.
#include <cassert>

#include "base/reduce_pair.hpp"
#include "linalg/vector_ops.hpp"

namespace tessera::linalg {
namespace detail {

/// A quotient as a loop should take it: on threads divided once before the loop, so that the loop vectorises; on CUDA
/// divided by every thread, so that nothing waits.
struct Divided {
  double quotient;
  double value() const { return quotient; }
};
inline Divided prepare(Threads&, Quotient quotient) { return {quotient.value()}; }
inline Quotient prepare(Cuda&, Quotient quotient) { return quotient; }

}  // namespace detail

template <class Exec>
void fill(Exec& exec, View<double> x, double value) {
  for_each(exec, x.size(), [=] TESSERA_HD(Offset i) { x[i] = value; });
}

template <class Exec>
void copy(Exec& exec, View<const double> from, View<double> to) {
  assert(from.size() == to.size());
  for_each(exec, to.size(), [=] TESSERA_HD(Offset i) { to[i] = from[i]; });
}

template <class Exec>
void scale(Exec& exec, double factor, View<double> x) {
  for_each(exec, x.size(), [=] TESSERA_HD(Offset i) { x[i] *= factor; });
}

template <class Exec>
void axpy(Exec& exec, double alpha, View<const double> x, View<double> y) {
  assert(x.size() == y.size());
  for_each(exec, y.size(), [=] TESSERA_HD(Offset i) { y[i] += alpha * x[i]; });
}

template <class Exec>
void dot(Exec& exec, View<const double> x, View<const double> y, double* result) {
  assert(x.size() == y.size());
  reduce(exec, x.size(), [=] TESSERA_HD(Offset i) { return x[i] * y[i]; }, result);
}

template <class Exec>
void multiply(Exec& exec, View<const double> d, View<const double> r, View<double> z) {
  assert(d.size() == z.size() && r.size() == z.size());
  for_each(exec, z.size(), [=] TESSERA_HD(Offset i) { z[i] = d[i] * r[i]; });
}

template <class Exec>
void extract_diagonal(Exec& exec, const CrsView<const double>& A, View<double> diagonal) {
  assert(A.rows == A.cols && diagonal.size() == A.rows);
  for_each(exec, A.rows, [=] TESSERA_HD(Offset row) {
    double value = 0;
    for (Offset k = A.row_ptr[row]; k < A.row_ptr[row + 1] && A.col_ind[k] <= row; ++k)
      if (A.col_ind[k] == row) value = A.values[k];
    diagonal[row] = value;
  });
}

template <class Exec>
void invert_diagonal(Exec& exec, View<double> d, double* bad) {
  reduce(
      exec, d.size(),
      [=] TESSERA_HD(Offset i) {
        const double value = d[i];
        const double inverse = 1 / value;
        const bool good = inverse > 0 && inverse <= 1.7e308;  // false for NaN, infinity and what is not positive
        d[i] = good ? inverse : 0.0;
        return good ? 0.0 : 1.0;
      },
      bad);
}

template <class Exec>
void update_r_dot(Exec& exec, Quotient ratio, View<const double> q, View<const double> inverse_diagonal, View<double> r,
                  double* rr, double* rz) {
  assert(q.size() == r.size());
  const auto alpha = detail::prepare(exec, ratio);
  if (inverse_diagonal.empty()) {
    reduce_pair(
        exec, r.size(),
        [=] TESSERA_HD(Offset i) {
          const double next = r[i] - alpha.value() * q[i];
          r[i] = next;
          return Pair{next * next, next * next};
        },
        rr, rz);
  } else {
    reduce_pair(
        exec, r.size(),
        [=] TESSERA_HD(Offset i) {
          const double next = r[i] - alpha.value() * q[i];
          r[i] = next;
          return Pair{next * next, next * next * inverse_diagonal[i]};
        },
        rr, rz);
  }
}

template <class Exec>
void update_x_p(Exec& exec, Quotient alpha_ratio, Quotient beta_ratio, View<const double> z,
                View<const double> inverse_diagonal, View<double> x, View<double> p) {
  assert(z.size() == x.size() && p.size() == x.size());
  const auto alpha = detail::prepare(exec, alpha_ratio);
  const auto beta = detail::prepare(exec, beta_ratio);
  if (inverse_diagonal.empty()) {
    for_each(exec, x.size(), [=] TESSERA_HD(Offset i) {
      const double direction = p[i];
      x[i] += alpha.value() * direction;
      p[i] = z[i] + beta.value() * direction;
    });
  } else {
    for_each(exec, x.size(), [=] TESSERA_HD(Offset i) {
      const double direction = p[i];
      x[i] += alpha.value() * direction;
      p[i] = inverse_diagonal[i] * z[i] + beta.value() * direction;
    });
  }
}

/// One line instantiates all of the above for a backend.
#define TESSERA_INSTANTIATE_VECTOR_OPS(Exec)                                                                            \
  template void fill(Exec&, View<double>, double);                                                                      \
  template void copy(Exec&, View<const double>, View<double>);                                                          \
  template void scale(Exec&, double, View<double>);                                                                     \
  template void axpy(Exec&, double, View<const double>, View<double>);                                                  \
  template void dot(Exec&, View<const double>, View<const double>, double*);                                            \
  template void multiply(Exec&, View<const double>, View<const double>, View<double>);                                  \
  template void extract_diagonal(Exec&, const CrsView<const double>&, View<double>);                                    \
  template void invert_diagonal(Exec&, View<double>, double*);                                                          \
  template void update_r_dot(Exec&, Quotient, View<const double>, View<const double>, View<double>, double*, double*);  \
  template void update_x_p(Exec&, Quotient, Quotient, View<const double>, View<const double>, View<double>, View<double>)

}  // namespace tessera::linalg
