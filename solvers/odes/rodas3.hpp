#pragma once
#include <cfloat>
#include <cmath>

#include "solvers/odes/node_steps.hpp"
#include "solvers/odes/small_lu.hpp"

namespace tessera::solvers {

/// Where the columns of A [n, n] add up to zero, each to the rounding of its entries, the row with the largest diagonal
/// entry; otherwise -1.
TESSERA_HD inline int row_for_sum(int n, const double* a) {
  constexpr double rounding = 8 * DBL_EPSILON;
  int row = 0;
  double largest = 0;
  for (int j = 0; j < n; ++j) {
    double sum = 0, size = 0;
    for (int i = 0; i < n; ++i) {
      sum += a[i * n + j];
      size += std::abs(a[i * n + j]);
    }
    if (!(std::abs(sum) <= rounding * size)) return -1;
    const double diagonal = std::abs(a[j * n + j]);
    if (diagonal > largest) row = j;
    largest = std::fmax(largest, diagonal);
  }
  return row;
}

/// Rodas3, a Rosenbrock method of four stages and order 3 with an embedded one of order 2, both L-stable and stiffly
/// accurate: Sandu, Verwer, Blom, Spee, Carmichael & Potra, Atmospheric Environment 31 (1997) 3459. In the variables
/// of Hairer & Wanner II, (IV.7.25), one matrix serves all stages and none multiplies a vector:
///   (1 / (h gamma) - J) K_i = f(t + alpha_i h, u + sum_j a_ij K_j) + sum_j c_ij / h K_j + gamma_i h f_t,  gamma = 1/2,
///   u_new = u + 2 K_1 + K_3 + K_4,   error = K_4.
/// The second stage evaluates f where the first one does. Two matrices and six vectors; 2/3 n^3 + 8 n^2 operations a
/// step beside three evaluations of f and one of J.
/// What a step makes of e^z is a rational function with its pole at z = 2: for an eigenvalue beyond 2 / h what grows
/// comes out with the wrong sign. So u' = u^2 would be solved on the other side of the time at which it is infinite,
/// without an error that shows. Steps that may have done so are rejected.
/// Where the reactions keep the sum of the species, the columns of J add up to zero, and those of the matrix to
/// 1 / (h gamma). The row in which J is largest then is this sum of all rows, without J: late in a stiff reaction J is
/// 1e12 times as large as 1 / h, which the diagonal would lose, and the slowest changes hang on it.
template <class Reaction>
class Rodas3Step {
 public:
  static constexpr double rejected_exponent = 1.0 / 3, accepted_exponent = 1.0 / 3;

  TESSERA_HD void begin(const Reaction& reaction, double t, const double* u) {
    reaction.rates(u, t, rates_);
    reaction.jacobian(u, t, jacobian_);
    sum_row_ = row_for_sum(reaction.species(), jacobian_);
    if constexpr (Reaction::needs_time) reaction.time_derivative(u, t, in_time_);
  }

  TESSERA_HD double attempt(const Reaction& reaction, double t, double h, const double* u,
                            const StepTolerance& tolerance, double* next) {
    const int n = reaction.species();
    const double over_h = 1 / h;
    double matrix[most * most], k1[most], k2[most], k3[most], k4[most];
    int pivot[most] = {};
    double size_of_jacobian = 0;
    for (int i = 0; i < n * n; ++i) {
      matrix[i] = -jacobian_[i];
      size_of_jacobian = std::fmax(size_of_jacobian, std::abs(jacobian_[i]));
    }
    for (int i = 0; i < n; ++i) matrix[i * n + i] += 2 * over_h;
    // The row is found by comparing, as in lu_factor. The determinant stays.
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        if (i == sum_row_) matrix[i * n + j] = 2 * over_h;
    if (!lu_factor<most>(n, matrix, pivot)) return NAN;
    // Where 2 / h is far below J, rounding alone says on which side of it an eigenvalue of about 0 is.
    const bool beyond = 2 * over_h > rounding * size_of_jacobian && negative_determinant(n, matrix, pivot);

    for (int i = 0; i < n; ++i) k1[i] = rates_[i] + with_time(0.5 * h, i);
    solve(n, matrix, pivot, k1);
    for (int i = 0; i < n; ++i) k2[i] = rates_[i] + 4 * over_h * k1[i] + with_time(1.5 * h, i);
    solve(n, matrix, pivot, k2);

    for (int i = 0; i < n; ++i) next[i] = u[i] + 2 * k1[i];
    reaction.rates(next, t + h, k3);
    for (int i = 0; i < n; ++i) k3[i] += over_h * (k1[i] - k2[i]);
    solve(n, matrix, pivot, k3);

    for (int i = 0; i < n; ++i) next[i] += k3[i];
    reaction.rates(next, t + h, k4);
    for (int i = 0; i < n; ++i) k4[i] += over_h * (k1[i] - k2[i] - (8.0 / 3) * k3[i]);
    solve(n, matrix, pivot, k4);

    double largest = 0;
    bool too_long = false;
    for (int i = 0; i < n; ++i) {
      next[i] += k4[i];
      const double size = std::fmax(std::abs(u[i]), std::abs(next[i]));
      largest = larger_ratio(largest, k4[i], size, tolerance);
      const double change = next[i] - u[i];
      // An eigenvalue of J is beyond 2 / h, or what this species makes of itself is, and it moved against its rate. At
      // rest nothing moves, however unstable it is.
      const bool other_side = beyond || (jacobian_[i * n + i] > 2 * over_h && change * rates_[i] < 0);
      too_long = too_long || (other_side && larger_ratio(0, change, size, tolerance) > 1);
    }
    return too_long && largest <= 1 ? far_off : largest;
  }

  TESSERA_HD const double* rates() const { return rates_; }
  TESSERA_HD double longest() const { return HUGE_VAL; }

 private:
  static constexpr int most = Reaction::most_species;
  static constexpr double rounding = 1e-8;
  static constexpr double far_off = 1000;  ///< an error for which the next attempt is a tenth as long

  TESSERA_HD void solve(int n, const double* matrix, const int* pivot, double* k) const {
    if (sum_row_ >= 0) {
      double sum = 0;
      for (int i = 0; i < n; ++i) sum += k[i];
      for (int i = 0; i < n; ++i)
        if (i == sum_row_) k[i] = sum;
    }
    lu_solve(n, matrix, pivot, k);
  }

  /// factor f_t, nothing where f does not depend on t.
  TESSERA_HD double with_time([[maybe_unused]] double factor, [[maybe_unused]] int i) const {
    if constexpr (Reaction::needs_time) return factor * in_time_[i];
    return 0;
  }

  double rates_[most], jacobian_[most * most];
  double in_time_[Reaction::needs_time ? most : 1];
  int sum_row_ = -1;  ///< whose equation is that of the sum; -1: none
};

}  // namespace tessera::solvers
