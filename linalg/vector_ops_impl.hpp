#pragma once
// Kernels of vector_ops.hpp, written once; instantiated by vector_ops_threads.cpp and vector_ops_cuda.cu.
#include <cassert>
#include <limits>

#include "base/reduce_over_ranks.hpp"
#include "linalg/random.hpp"
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

template <class Exec, class T>
void set_column(Exec& exec, In<T> x, Index c, View<T> m) {
  const Offset columns = x.size() > 0 ? m.size() / x.size() : 0;
  assert(m.size() == columns * x.size());
  for_each(exec, x.size(), [=] TESSERA_HD(Offset i) { m[i * columns + c] = x[i]; });
}

template <class Exec, class From, class To>
void convert(Exec& exec, View<From> from, View<To> to) {
  assert(from.size() == to.size());
  for_each(exec, to.size(), [=] TESSERA_HD(Offset i) { to[i] = static_cast<To>(from[i]); });
}

template <class Exec, class From, class To>
void convert_remainder(Exec& exec, View<From> from, View<To> to) {
  assert(from.size() == to.size());
  for_each(exec, to.size(), [=] TESSERA_HD(Offset i) { to[i] = static_cast<To>(from[i] - static_cast<To>(from[i])); });
}

template <class Exec, class From, class To>
void convert_scaled(Exec& exec, double factor, View<From> from, View<To> to) {
  assert(from.size() == to.size());
  for_each(exec, to.size(), [=] TESSERA_HD(Offset i) { to[i] = static_cast<To>(factor * from[i]); });
}

template <class Exec, class From, class To>
void add_scaled(Exec& exec, double factor, View<From> x, View<To> y) {
  assert(x.size() == y.size());
  for_each(exec, y.size(), [=] TESSERA_HD(Offset i) { y[i] += static_cast<To>(factor * x[i]); });
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
  reduce_over_ranks(
      exec, x.size(), [=] TESSERA_HD(Offset i) { return static_cast<double>(x[i]) * y[i]; }, result);
}

template <class Exec, class T>
void subtract_from_dot(Exec& exec, In<T> b, View<T> r, double* rr) {
  assert(b.size() == r.size());
  reduce_over_ranks(
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
void invert_diagonal(Exec& exec, View<T> d, double* bad, Sign sign) {
  constexpr T largest = std::numeric_limits<T>::max();
  reduce(
      exec, d.size(),
      [=] TESSERA_HD(Offset i) {
        const T value = sign == Sign::magnitude && d[i] < 0 ? -d[i] : d[i];
        const T inverse = 1 / value;
        const T size = sign == Sign::any && inverse < 0 ? -inverse : inverse;
        const bool good = size > 0 && size <= largest;  // false for NaN, infinity and what has the wrong sign
        d[i] = good ? inverse : T{0};
        return good ? 0.0 : 1.0;
      },
      bad);
  sum_over_ranks(exec, {{bad}});
}

template <class Exec, class T>
void fill_random(Exec& exec, View<T> x, unsigned seed, Offset first_row) {
  for_each(exec, x.size(), [=] TESSERA_HD(Offset i) {
    x[i] = static_cast<T>(static_cast<double>(random_bits(first_row + i, seed) >> 11) * 0x1p-52 - 1.0);
  });
}

template <class Exec, class T>
void update_r_dot(Exec& exec, Quotient ratio, In<T> q, In<T> inverse_diagonal, View<T> r, double* rr, double* rz) {
  assert(q.size() == r.size());
  const auto alpha = detail::prepare(exec, ratio);
  if (inverse_diagonal.empty()) {
    reduce_pair_over_ranks(
        exec, r.size(),
        [=] TESSERA_HD(Offset i) {
          const T next = r[i] - static_cast<T>(alpha.value()) * q[i];
          r[i] = next;
          const double square = static_cast<double>(next) * next;
          return Pair{square, square};
        },
        rr, rz);
  } else {
    reduce_pair_over_ranks(
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
void update_x_p(Exec& exec, Quotient alpha_ratio, Quotient beta_ratio, In<T> z, In<T> inverse_diagonal, View<T> x,
                View<T> p) {
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

namespace detail {

struct SingleReductionScalars {
  double alpha, beta, pq;
};
TESSERA_HD inline SingleReductionScalars evaluate(const SingleReductionStep& step) {
  const double beta = *step.gamma_old > 0 ? *step.gamma / *step.gamma_old : 0.0;
  const double back = *step.alpha_old > 0 ? beta * *step.gamma / *step.alpha_old : 0.0;
  const double pq = *step.delta - back;
  return {pq > 0 ? *step.gamma / pq : 0.0, beta, pq};
}

/// As `Divided`: on threads the scalars are worked out once, on CUDA by every thread.
struct Evaluated {
  SingleReductionScalars scalars;
  SingleReductionScalars get() const { return scalars; }
};
struct Evaluating {
  SingleReductionStep step;
  TESSERA_HD SingleReductionScalars get() const { return evaluate(step); }
};
inline Evaluated prepare(Threads&, const SingleReductionStep& step) { return {evaluate(step)}; }
inline Evaluating prepare(Cuda&, const SingleReductionStep& step) { return {step}; }

struct Got {
  double number;
  double get() const { return number; }
};
inline Got prepare(Threads&, Scalar scalar) { return {scalar.get()}; }
inline Scalar prepare(Cuda&, Scalar scalar) { return scalar; }

}  // namespace detail

template <class Exec, class T>
void advance_single(Exec& exec, const SingleReductionStep& step, In<T> u_before, In<T> inverse_diagonal, In<T> w,
                    View<T> x, View<T> r, View<T> p, View<T> s, View<T> u, double* rr, double* ru) {
  assert(w.size() == x.size() && r.size() == x.size() && p.size() == x.size() && s.size() == x.size());
  const auto scalars = detail::prepare(exec, step);
  const bool scaled = !inverse_diagonal.empty();
  reduce_pair_over_ranks(
      exec, x.size(),
      [=] TESSERA_HD(Offset i) {
        const detail::SingleReductionScalars now = scalars.get();
        const T alpha = static_cast<T>(now.alpha), beta = static_cast<T>(now.beta);
        const T residual = r[i];
        const T direction = (scaled ? inverse_diagonal[i] * residual : u_before[i]) + beta * p[i];
        const T product = w[i] + beta * s[i];
        const T next = residual - alpha * product;
        p[i] = direction;
        s[i] = product;
        x[i] += alpha * direction;
        r[i] = next;
        if (i == 0) {
          *step.alpha = now.alpha;
          *step.pq = now.pq;
        }
        const double square = static_cast<double>(next) * next;
        if (!scaled) return Pair{square, square};
        u[i] = inverse_diagonal[i] * next;
        return Pair{square, square * inverse_diagonal[i]};
      },
      rr, ru);
}

template <class Exec, class T>
void chebyshev_step(Exec& exec, double a, double b, In<T> inverse_diagonal, In<T> r, In<T> w, View<T> d, View<T> z) {
  assert(r.size() == z.size() && w.size() == z.size() && d.size() == z.size() && inverse_diagonal.size() == z.size());
  const T keep = static_cast<T>(a), step = static_cast<T>(b);
  for_each(exec, z.size(), [=] TESSERA_HD(Offset i) {
    const T next = keep * d[i] + step * inverse_diagonal[i] * (r[i] - w[i]);
    d[i] = next;
    z[i] += next;
  });
}

namespace detail {

template <bool reads_y, int terms, class Exec, class T>
void combine_terms(Exec& exec, View<T> y, Scalar c, Term<T> first, Term<T> second, Term<T> third) {
  assert(first.x.size() == y.size());
  const auto factor = prepare(exec, c), a = prepare(exec, first.a), b = prepare(exec, second.a),
             d = prepare(exec, third.a);
  const View<const T> x1 = first.x, x2 = second.x, x3 = third.x;
  for_each(exec, y.size(), [=] TESSERA_HD(Offset i) {
    T sum = static_cast<T>(a.get()) * x1[i];
    if (reads_y) sum += static_cast<T>(factor.get()) * y[i];
    if (terms > 1) sum += static_cast<T>(b.get()) * x2[i];
    if (terms > 2) sum += static_cast<T>(d.get()) * x3[i];
    y[i] = sum;
  });
}

}  // namespace detail

template <class Exec, class T>
void combine(Exec& exec, View<T> y, Scalar c, std::type_identity_t<Term<T>> first, std::type_identity_t<Term<T>> second,
             std::type_identity_t<Term<T>> third) {
  const bool reads_y = c.value || c.factor != 0;
  const int terms = !third.x.empty() ? 3 : (!second.x.empty() ? 2 : 1);
  if (terms == 1)
    reads_y ? detail::combine_terms<true, 1>(exec, y, c, first, second, third)
            : detail::combine_terms<false, 1>(exec, y, c, first, second, third);
  else if (terms == 2)
    reads_y ? detail::combine_terms<true, 2>(exec, y, c, first, second, third)
            : detail::combine_terms<false, 2>(exec, y, c, first, second, third);
  else
    reads_y ? detail::combine_terms<true, 3>(exec, y, c, first, second, third)
            : detail::combine_terms<false, 3>(exec, y, c, first, second, third);
}

template <class Exec, class T>
void dot_pair(Exec& exec, View<T> x, In<T> y, In<T> z, In<T> w, double* first, double* second) {
  assert(y.size() == x.size() && z.size() == x.size() && w.size() == x.size());
  reduce_pair_over_ranks(
      exec, x.size(),
      [=] TESSERA_HD(Offset i) {
        return Pair{static_cast<double>(x[i]) * y[i], static_cast<double>(z[i]) * w[i]};
      },
      first, second);
}

/// One line instantiates all of the above for a backend and a type.
#define TESSERA_INSTANTIATE_VECTOR_OPS(Exec, T)                                                                        \
  template void fill<Exec, T>(Exec&, View<T>, T);                                                                      \
  template void copy<Exec, T>(Exec&, View<const T>, View<T>);                                                          \
  template void set_column<Exec, T>(Exec&, View<const T>, Index, View<T>);                                             \
  template void scale<Exec, T>(Exec&, double, View<T>);                                                                \
  template void axpy<Exec, T>(Exec&, double, View<const T>, View<T>);                                                  \
  template void dot<Exec, T>(Exec&, View<T>, View<const T>, double*);                                                  \
  template void dot<Exec, const T>(Exec&, View<const T>, View<const T>, double*);                                      \
  template void subtract_from_dot<Exec, T>(Exec&, View<const T>, View<T>, double*);                                    \
  template void multiply<Exec, T>(Exec&, View<const T>, View<const T>, View<T>);                                       \
  template void extract_diagonal<Exec, T>(Exec&, const CrsView<const T>&, View<T>);                                    \
  template void invert_diagonal<Exec, T>(Exec&, View<T>, double*, Sign);                                               \
  template void update_r_dot<Exec, T>(Exec&, Quotient, View<const T>, View<const T>, View<T>, double*, double*);       \
  template void update_x_p<Exec, T>(Exec&, Quotient, Quotient, View<const T>, View<const T>, View<T>, View<T>);        \
  template void advance_single<Exec, T>(Exec&, const SingleReductionStep&, View<const T>, View<const T>,               \
                                        View<const T>, View<T>, View<T>, View<T>, View<T>, View<T>, double*, double*); \
  template void fill_random<Exec, T>(Exec&, View<T>, unsigned, Offset);                                                \
  template void chebyshev_step<Exec, T>(Exec&, double, double, View<const T>, View<const T>, View<const T>, View<T>,   \
                                        View<T>);                                                                      \
  template void combine<Exec, T>(Exec&, View<T>, Scalar, Term<T>, Term<T>, Term<T>);                                   \
  template void dot_pair<Exec, T>(Exec&, View<T>, View<const T>, View<const T>, View<const T>, double*, double*);      \
  template void dot_pair<Exec, const T>(Exec&, View<const T>, View<const T>, View<const T>, View<const T>, double*,    \
                                        double*);                                                                      \
  template void convert<Exec, T, double>(Exec&, View<T>, View<double>);                                                \
  template void convert<Exec, T, float>(Exec&, View<T>, View<float>);                                                  \
  template void convert<Exec, const T, double>(Exec&, View<const T>, View<double>);                                    \
  template void convert<Exec, const T, float>(Exec&, View<const T>, View<float>)

/// Mixed precision, once a backend.
#define TESSERA_INSTANTIATE_MIXED_VECTOR_OPS(Exec)                              \
  template void convert_remainder(Exec&, View<const double>, View<float>);      \
  template void convert_remainder(Exec&, View<const float>, View<float>);       \
  template void convert_scaled(Exec&, double, View<const double>, View<float>); \
  template void add_scaled(Exec&, double, View<const float>, View<double>)

}  // namespace tessera::linalg
