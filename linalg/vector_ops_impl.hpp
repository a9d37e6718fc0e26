#pragma once
// Kernels of vector_ops.hpp, written once; instantiated by vector_ops_threads.cpp and vector_ops_cuda.cu.
#include <cassert>
#include <limits>

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

template <class Exec, class T>
void fill(Exec& exec, View<T> x, std::type_identity_t<T> value) {
  for_each(exec, x.size(), [=] TESSERA_HD(Offset i) { x[i] = value; });
}

template <class Exec, class T>
void copy(Exec& exec, In<T> from, View<T> to) {
  assert(from.size() == to.size());
  for_each(exec, to.size(), [=] TESSERA_HD(Offset i) { to[i] = from[i]; });
}

template <class Exec, class From, class To>
void convert(Exec& exec, View<From> from, View<To> to) {
  assert(from.size() == to.size());
  for_each(exec, to.size(), [=] TESSERA_HD(Offset i) { to[i] = static_cast<To>(from[i]); });
}

template <class Exec, class T>
void scale(Exec& exec, double factor, View<T> x) {
  const T a = static_cast<T>(factor);
  for_each(exec, x.size(), [=] TESSERA_HD(Offset i) { x[i] *= a; });
}

template <class Exec, class T>
void axpy(Exec& exec, double alpha, In<T> x, View<T> y) {
  assert(x.size() == y.size());
  const T a = static_cast<T>(alpha);
  for_each(exec, y.size(), [=] TESSERA_HD(Offset i) { y[i] += a * x[i]; });
}

template <class Exec, class T>
void dot(Exec& exec, View<T> x, In<T> y, double* result) {
  assert(x.size() == y.size());
  reduce(exec, x.size(), [=] TESSERA_HD(Offset i) { return static_cast<double>(x[i]) * y[i]; }, result);
}

template <class Exec, class T>
void subtract_from_dot(Exec& exec, In<T> b, View<T> r, double* rr) {
  assert(b.size() == r.size());
  reduce(
      exec, r.size(),
      [=] TESSERA_HD(Offset i) {
        const T difference = b[i] - r[i];
        r[i] = difference;
        return static_cast<double>(difference) * difference;
      },
      rr);
}

template <class Exec, class T>
void multiply(Exec& exec, In<T> d, In<T> r, View<T> z) {
  assert(d.size() == z.size() && r.size() == z.size());
  for_each(exec, z.size(), [=] TESSERA_HD(Offset i) { z[i] = d[i] * r[i]; });
}

template <class Exec, class T>
void extract_diagonal(Exec& exec, const std::type_identity_t<CrsView<const T>>& A, View<T> diagonal) {
  assert(A.rows == A.cols && diagonal.size() == A.rows);
  for_each(exec, A.rows, [=] TESSERA_HD(Offset row) {
    T value = 0;
    for (Offset k = A.row_ptr[row]; k < A.row_ptr[row + 1] && A.col_ind[k] <= row; ++k)
      if (A.col_ind[k] == row) value = A.values[k];
    diagonal[row] = value;
  });
}

template <class Exec, class T>
void invert_diagonal(Exec& exec, View<T> d, double* bad) {
  constexpr T largest = std::numeric_limits<T>::max();
  reduce(
      exec, d.size(),
      [=] TESSERA_HD(Offset i) {
        const T inverse = 1 / d[i];
        const bool good = inverse > 0 && inverse <= largest;  // false for NaN, infinity and what is not positive
        d[i] = good ? inverse : T{0};
        return good ? 0.0 : 1.0;
      },
      bad);
}

template <class Exec, class T>
void update_r_dot(Exec& exec, Quotient ratio, In<T> q, In<T> inverse_diagonal, View<T> r, double* rr, double* rz) {
  assert(q.size() == r.size());
  const auto alpha = detail::prepare(exec, ratio);
  if (inverse_diagonal.empty()) {
    reduce_pair(
        exec, r.size(),
        [=] TESSERA_HD(Offset i) {
          const T next = r[i] - static_cast<T>(alpha.value()) * q[i];
          r[i] = next;
          const double square = static_cast<double>(next) * next;
          return Pair{square, square};
        },
        rr, rz);
  } else {
    reduce_pair(
        exec, r.size(),
        [=] TESSERA_HD(Offset i) {
          const T next = r[i] - static_cast<T>(alpha.value()) * q[i];
          r[i] = next;
          const double square = static_cast<double>(next) * next;
          return Pair{square, square * inverse_diagonal[i]};
        },
        rr, rz);
  }
}

template <class Exec, class T>
void update_x_p(Exec& exec, Quotient alpha_ratio, Quotient beta_ratio, In<T> z, In<T> inverse_diagonal, View<T> x, View<T> p) {
  assert(z.size() == x.size() && p.size() == x.size());
  const auto alpha = detail::prepare(exec, alpha_ratio);
  const auto beta = detail::prepare(exec, beta_ratio);
  if (inverse_diagonal.empty()) {
    for_each(exec, x.size(), [=] TESSERA_HD(Offset i) {
      const T direction = p[i];
      x[i] += static_cast<T>(alpha.value()) * direction;
      p[i] = z[i] + static_cast<T>(beta.value()) * direction;
    });
  } else {
    for_each(exec, x.size(), [=] TESSERA_HD(Offset i) {
      const T direction = p[i];
      x[i] += static_cast<T>(alpha.value()) * direction;
      p[i] = inverse_diagonal[i] * z[i] + static_cast<T>(beta.value()) * direction;
    });
  }
}

/// One line instantiates all of the above for a backend and a type.
#define TESSERA_INSTANTIATE_VECTOR_OPS(Exec, T)                                                               \
  template void fill<Exec, T>(Exec&, View<T>, T);                                                             \
  template void copy<Exec, T>(Exec&, View<const T>, View<T>);                                                 \
  template void scale<Exec, T>(Exec&, double, View<T>);                                                       \
  template void axpy<Exec, T>(Exec&, double, View<const T>, View<T>);                                         \
  template void dot<Exec, T>(Exec&, View<T>, View<const T>, double*);                                         \
  template void dot<Exec, const T>(Exec&, View<const T>, View<const T>, double*);                             \
  template void subtract_from_dot<Exec, T>(Exec&, View<const T>, View<T>, double*);                           \
  template void multiply<Exec, T>(Exec&, View<const T>, View<const T>, View<T>);                              \
  template void extract_diagonal<Exec, T>(Exec&, const CrsView<const T>&, View<T>);                           \
  template void invert_diagonal<Exec, T>(Exec&, View<T>, double*);                                            \
  template void update_r_dot<Exec, T>(Exec&, Quotient, View<const T>, View<const T>, View<T>, double*, double*); \
  template void update_x_p<Exec, T>(Exec&, Quotient, Quotient, View<const T>, View<const T>, View<T>, View<T>);  \
  template void convert<Exec, T, double>(Exec&, View<T>, View<double>);                                       \
  template void convert<Exec, T, float>(Exec&, View<T>, View<float>);                                         \
  template void convert<Exec, const T, double>(Exec&, View<const T>, View<double>);                           \
  template void convert<Exec, const T, float>(Exec&, View<const T>, View<float>)

}  // namespace tessera::linalg
