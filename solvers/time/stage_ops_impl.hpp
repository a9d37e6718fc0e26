#pragma once
// Kernels of stage_ops.hpp, written once; instantiated by stage_ops_threads.cpp and stage_ops_cuda.cu.
#include <algorithm>
#include <limits>
#include <numeric>
#include <type_traits>
#include <vector>

#include "base/parallel.hpp"
#include "base/team.hpp"
#include "solvers/time/stage_ops.hpp"

namespace tessera::solvers {
namespace detail {

/// `n` terms, or as many as `count` says where n = 0; kernels take it by value.
template <int n>
struct Sum {
  static constexpr int most = n > 0 ? n : Terms::most;
  int count;
  const double* x[most];
  double c[most];

  explicit Sum(const Terms& terms, const double* factors = nullptr) : count(terms.count), x{}, c{} {
    for (int k = 0; k < terms.count; ++k) {
      x[k] = terms.x[k];
      c[k] = factors ? factors[k] : terms.c[k];
    }
  }
  TESSERA_HD_INLINE double at(Offset i) const {
    double sum = c[0] * x[0][i];
    for (int k = 1; k < (n > 0 ? n : count); ++k) sum += c[k] * x[k][i];
    return sum;
  }
};

/// Calls f(std::integral_constant<int, n>) with the n of `Sum`: up to eight terms have a loop of their own, which keeps
/// its factors in registers; more share one.
template <class F>
void with_terms(int count, F&& f) {
  switch (count) {
    case 1: return f(std::integral_constant<int, 1>{});
    case 2: return f(std::integral_constant<int, 2>{});
    case 3: return f(std::integral_constant<int, 3>{});
    case 4: return f(std::integral_constant<int, 4>{});
    case 5: return f(std::integral_constant<int, 5>{});
    case 6: return f(std::integral_constant<int, 6>{});
    case 7: return f(std::integral_constant<int, 7>{});
    case 8: return f(std::integral_constant<int, 8>{});
    default: return f(std::integral_constant<int, 0>{});
  }
}

/// `reduce`, for f that also writes vectors. Each chunk has a copy of f that nobody else sees: else the compiler reads
/// the factors anew in every row, since what is written may be they, and the loop does not vectorise. On two cores the
/// pass with five terms and an error then takes a third of the time.
template <class F>
void reduce_writing(Threads& exec, Offset count, F f, double* result) {
  const Offset chunks = (count + reduce_chunk - 1) / reduce_chunk;
  std::vector<double> sums(static_cast<std::size_t>(chunks));
  parallel_for(exec.count(), chunks, [&](Offset chunk) {
    const F own = f;
    const Offset last = std::min(count, (chunk + 1) * reduce_chunk);
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (Offset i = chunk * reduce_chunk; i < last; ++i) sum += own(i);
    sums[static_cast<std::size_t>(chunk)] = sum;
  });
  *result = std::accumulate(sums.begin(), sums.end(), 0.0);
}
template <class F>
void reduce_writing(Cuda& exec, Offset count, F f, double* result) {
  reduce(exec, count, f, result);
}

TESSERA_HD_INLINE inline double magnitude(double x) { return x < 0 ? -x : x; }
/// 1 where x is infinite or NaN.
TESSERA_HD_INLINE inline double is_not_finite(double x) {
  return magnitude(x) <= std::numeric_limits<double>::max() ? 0.0 : 1.0;
}

TESSERA_HD_INLINE inline double weighted_square(double error, double before, double after, double absolute,
                                                double relative) {
  const double a = magnitude(before), b = magnitude(after);
  const double ratio = error / (absolute + relative * (a > b ? a : b));
  return ratio * ratio;
}

template <int n, class Exec>
void combine(Exec& exec, const Sum<n> sum, View<double> y) {
  for_each(exec, y.size(), [=] TESSERA_HD(Offset i) { y[i] = sum.at(i); });
}

template <int n, class Exec>
void combine_checked(Exec& exec, const Sum<n> sum, View<double> y, double* not_finite) {
  reduce_writing(
      exec, y.size(),
      [=] TESSERA_HD(Offset i) {
        const double value = sum.at(i);
        y[i] = value;
        return is_not_finite(value);
      },
      not_finite);
}

template <int n, class Exec>
void combine_keeping(Exec& exec, const Sum<n> sum, View<double> u, View<double> before) {
  for_each(exec, u.size(), [=] TESSERA_HD(Offset i) {
    const double value = sum.at(i);
    before[i] = u[i];
    u[i] = value;
  });
}

template <int n, class Exec>
void finish(Exec& exec, const Sum<n> step, const Sum<n> error, StepTolerance tolerance, View<double> u,
            View<double> before, double* squares) {
  const double absolute = tolerance.absolute, relative = tolerance.relative;
  reduce_writing(
      exec, u.size(),
      [=] TESSERA_HD(Offset i) {
        const double old = u[i], value = old + step.at(i), wrong = error.at(i);
        before[i] = old;
        u[i] = value;
        return weighted_square(wrong, old, value, absolute, relative);
      },
      squares);
}

template <int n, class Exec>
void squares_of(Exec& exec, const Sum<n> error, StepTolerance tolerance, View<const double> before,
                View<const double> u, double* squares) {
  const double absolute = tolerance.absolute, relative = tolerance.relative;
  reduce_writing(
      exec, u.size(),
      [=] TESSERA_HD(Offset i) { return weighted_square(error.at(i), before[i], u[i], absolute, relative); }, squares);
}

}  // namespace detail

template <class Exec>
void combine_terms(Exec& exec, const Terms& terms, View<double> y) {
  detail::with_terms(terms.count, [&](auto n) { detail::combine(exec, detail::Sum<n>(terms), y); });
}

template <class Exec>
void combine_terms_checked(Exec& exec, const Terms& terms, View<double> y, double* not_finite) {
  detail::with_terms(terms.count, [&](auto n) { detail::combine_checked(exec, detail::Sum<n>(terms), y, not_finite); });
}

template <class Exec>
void combine_terms_keeping(Exec& exec, const Terms& terms, View<double> u, View<double> before) {
  assert(before.size() == u.size());
  detail::with_terms(terms.count, [&](auto n) { detail::combine_keeping(exec, detail::Sum<n>(terms), u, before); });
}

template <class Exec>
void finish_with_error(Exec& exec, const Terms& terms, const double* error, const StepTolerance& tolerance,
                       View<double> u, View<double> before, double* squares) {
  assert(before.size() == u.size());
  detail::with_terms(terms.count, [&](auto n) {
    detail::finish(exec, detail::Sum<n>(terms), detail::Sum<n>(terms, error), tolerance, u, before, squares);
  });
}

template <class Exec>
void error_squares(Exec& exec, const Terms& terms, const StepTolerance& tolerance, View<const double> before,
                   View<const double> u, double* squares) {
  assert(before.size() == u.size());
  detail::with_terms(terms.count,
                     [&](auto n) { detail::squares_of(exec, detail::Sum<n>(terms), tolerance, before, u, squares); });
}

template <class Exec>
void low_storage_stage(Exec& exec, double a, double b, View<const double> f, View<double> k, View<double> u,
                       double* not_finite) {
  assert(f.size() == u.size() && k.size() == u.size());
  // k is not read where a = 0: it may hold anything before the first stage.
  if (a == 0) {
    detail::reduce_writing(
        exec, u.size(),
        [=] TESSERA_HD(Offset i) {
          k[i] = f[i];
          u[i] += b * f[i];
          return detail::is_not_finite(u[i]);
        },
        not_finite);
    return;
  }
  detail::reduce_writing(
      exec, u.size(),
      [=] TESSERA_HD(Offset i) {
        const double rate = a * k[i] + f[i], value = u[i] + b * rate;
        k[i] = rate;
        u[i] = value;
        return detail::is_not_finite(value);
      },
      not_finite);
}

template <class Exec>
void newmark_predict(Exec& exec, double dv, double du, double du_a, View<const double> a, View<double> u,
                     View<double> v) {
  assert(a.size() == u.size() && v.size() == u.size());
  for_each(exec, u.size(), [=] TESSERA_HD(Offset i) {
    const double velocity = v[i], acceleration = a[i];
    v[i] = velocity + dv * acceleration;
    u[i] += du * velocity + du_a * acceleration;
  });
}

template <class Exec>
void count_not_finite(Exec& exec, View<const double> u, double* not_finite) {
  reduce(
      exec, u.size(), [=] TESSERA_HD(Offset i) { return detail::is_not_finite(u[i]); }, not_finite);
}

template <class Exec>
void square_of_difference(Exec& exec, View<const double> x, View<const double> y, double* result) {
  assert(y.empty() || x.size() == y.size());
  if (y.empty())
    reduce(
        exec, x.size(), [=] TESSERA_HD(Offset i) { return x[i] * x[i]; }, result);
  else
    reduce(
        exec, x.size(), [=] TESSERA_HD(Offset i) { return (x[i] - y[i]) * (x[i] - y[i]); }, result);
}

/// One line instantiates all of the above for a backend.
#define TESSERA_INSTANTIATE_STAGE_OPS(Exec)                                                                        \
  template void combine_terms(Exec&, const Terms&, View<double>);                                                  \
  template void combine_terms_checked(Exec&, const Terms&, View<double>, double*);                                 \
  template void combine_terms_keeping(Exec&, const Terms&, View<double>, View<double>);                            \
  template void finish_with_error(Exec&, const Terms&, const double*, const StepTolerance&, View<double>,          \
                                  View<double>, double*);                                                          \
  template void error_squares(Exec&, const Terms&, const StepTolerance&, View<const double>, View<const double>,   \
                              double*);                                                                            \
  template void low_storage_stage(Exec&, double, double, View<const double>, View<double>, View<double>, double*); \
  template void newmark_predict(Exec&, double, double, double, View<const double>, View<double>, View<double>);    \
  template void count_not_finite(Exec&, View<const double>, double*);                                              \
  template void square_of_difference(Exec&, View<const double>, View<const double>, double*)

}  // namespace tessera::solvers
