#pragma once
// Bodies of batched.hpp, written once; instantiated by batched_threads.cpp and batched_cuda.cu.
#include <limits>
#include <string>

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "solvers/odes/batched.hpp"
#include "solvers/odes/matrix_exponential.hpp"

namespace tessera::solvers {
namespace detail {

inline void check_batch(const std::string& what, int n, int most, Offset count, Offset first, Offset expected_first,
                        Offset second, Offset expected_second) {
  if (n < 1 || n > most)
    throw Error(ExitCode::usage, what + " of many matrices of size " + std::to_string(n) + " at once",
                "sizes 1 to " + std::to_string(most) + " are supported: each thread keeps a matrix");
  if (count < 0 || first != expected_first || second != expected_second)
    throw Error(ExitCode::usage,
                what + " of " + std::to_string(count) + " matrices of size " + std::to_string(n) +
                    " was given arrays of " + std::to_string(first) + " and " + std::to_string(second) + " numbers",
                "they must have " + std::to_string(expected_first) + " and " + std::to_string(expected_second));
}

template <int bound, class Exec>
void solve_each(Exec& exec, int n, Offset count, View<const double> a, View<double> x, double* singular) {
  reduce(
      exec, count,
      [=] TESSERA_HD(Offset k) {
        double matrix[bound * bound], solution[bound];
        int pivot[bound];
        for (int i = 0; i < n * n; ++i) matrix[i] = a[i * count + k];
        for (int i = 0; i < n; ++i) solution[i] = x[i * count + k];
        const bool regular = lu_factor<bound>(n, matrix, pivot);
        if (regular) lu_solve(n, matrix, pivot, solution);
        for (int i = 0; i < n; ++i) x[i * count + k] = regular ? solution[i] : std::numeric_limits<double>::quiet_NaN();
        return regular ? 0.0 : 1.0;
      },
      singular);
}

template <int bound, class Exec>
void exponential_of_each(Exec& exec, int n, Offset count, double factor, View<const double> a, View<double> result,
                         double* not_finite) {
  reduce(
      exec, count,
      [=] TESSERA_HD(Offset k) {
        double matrix[bound * bound];
        ExponentialScratch<bound> work;
        for (int i = 0; i < n * n; ++i) matrix[i] = factor * a[i * count + k];
        const bool finite = matrix_exponential<bound>(n, matrix, work);
        for (int i = 0; i < n * n; ++i) result[i * count + k] = matrix[i];
        return finite ? 0.0 : 1.0;
      },
      not_finite);
}

}  // namespace detail

template <class Exec>
void solve_batch(Exec& exec, int n, Offset count, View<const double> a, View<double> x, double* singular) {
  detail::check_batch("the solution", n, most_solve_size, count, a.size(), count * n * n, x.size(), count * n);
  if (n <= 4) return detail::solve_each<4>(exec, n, count, a, x, singular);
  if (n <= 8) return detail::solve_each<8>(exec, n, count, a, x, singular);
  if (n <= 16) return detail::solve_each<16>(exec, n, count, a, x, singular);
  detail::solve_each<most_solve_size>(exec, n, count, a, x, singular);
}

template <class Exec>
void matrix_exponentials(Exec& exec, int n, Offset count, double factor, View<const double> a, View<double> result,
                         double* not_finite) {
  const Offset entries = count * n * n;
  detail::check_batch("the exponential", n, most_exponential_size, count, a.size(), entries, result.size(), entries);
  if (n <= 4) return detail::exponential_of_each<4>(exec, n, count, factor, a, result, not_finite);
  if (n <= 8) return detail::exponential_of_each<8>(exec, n, count, factor, a, result, not_finite);
  detail::exponential_of_each<most_exponential_size>(exec, n, count, factor, a, result, not_finite);
}

/// One line instantiates all of the above for a backend.
#define TESSERA_INSTANTIATE_BATCHED(Exec)                                                   \
  template void solve_batch(Exec&, int, Offset, View<const double>, View<double>, double*); \
  template void matrix_exponentials(Exec&, int, Offset, double, View<const double>, View<double>, double*)

}  // namespace tessera::solvers
