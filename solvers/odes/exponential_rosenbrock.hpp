#pragma once
#include "solvers/odes/matrix_exponential.hpp"
#include "solvers/odes/node_steps.hpp"

namespace tessera::solvers {

/// The exponential Rosenbrock pair of orders 3 and 2, exprb32 of Hochbruck, Ostermann & Schweitzer, SIAM J. Numer.
/// Anal. 47 (2009) 786: with J and f_t of the state at t, and N what f has beside f + J (U - u) + f_t s,
///   U     = u + h phi_1(h J) f + h^2 phi_2(h J) f_t,
///   u_new = U + 2 h phi_3(h J) N(t + h, U),            error = u_new - U.
/// Linear reactions have N = 0 and are exact for steps of any length. phi_k(A) b are columns of the exponential of A
/// with up to three more rows and columns (Al-Mohy & Higham, SIAM J. Sci. Comput. 33 (2011) 488, theorem 2.1). Nine
/// matrices of size n + 3.
template <class Reaction>
class ExponentialStep {
 public:
  static constexpr double rejected_exponent = 1.0 / 3, accepted_exponent = 1.0 / 3;

  TESSERA_HD void begin(const Reaction& reaction, double t, const double* u) {
    reaction.rates(u, t, rates_);
    reaction.jacobian(u, t, jacobian_);
    if constexpr (Reaction::needs_time) reaction.time_derivative(u, t, in_time_);
  }

  TESSERA_HD double attempt(const Reaction& reaction, double t, double h, const double* u,
                            const StepTolerance& tolerance, double* next) {
    const int n = reaction.species();
    double change[most], rest[most];
    // U - u
    double columns[2][most];
    for (int i = 0; i < n; ++i) {
      columns[0][i] = h * h * in_time(i);
      columns[1][i] = h * rates_[i];
    }
    const bool first = Reaction::needs_time ? phi_sum<2>(n, h, columns, change) : phi_sum<1>(n, h, columns + 1, change);
    if (!first) return NAN;

    // rest = 2 h N(t + h, U)
    for (int i = 0; i < n; ++i) next[i] = u[i] + change[i];
    reaction.rates(next, t + h, rest);
    for (int i = 0; i < n; ++i) {
      double linear = rates_[i] + h * in_time(i);
      for (int j = 0; j < n; ++j) linear += jacobian_[i * n + j] * change[j];
      rest[i] = 2 * h * (rest[i] - linear);
    }
    double third[3][most];
    for (int i = 0; i < n; ++i) {
      third[0][i] = rest[i];
      third[1][i] = third[2][i] = 0;
    }
    if (!phi_sum<3>(n, h, third, change)) return NAN;

    double largest = 0;
    for (int i = 0; i < n; ++i) {
      next[i] += change[i];
      largest = larger_ratio(largest, change[i], std::fmax(std::abs(u[i]), std::abs(next[i])), tolerance);
    }
    return largest;
  }

  TESSERA_HD const double* rates() const { return rates_; }
  TESSERA_HD double longest() const { return HUGE_VAL; }

 private:
  static constexpr int most = Reaction::most_species;
  static constexpr int bound = most + 3;

  TESSERA_HD double in_time([[maybe_unused]] int i) const {
    if constexpr (Reaction::needs_time) return in_time_[i];
    return 0;
  }

  /// result = sum_k phi_k(h J) b_{p - k}, k = 1 .. p. False where it is not finite.
  template <int p>
  TESSERA_HD bool phi_sum(int n, double h, const double (*b)[most], double* result) {
    const int size = n + p;
    // The columns are made about 1, so that they do not add to the squarings.
    double largest = 0;
    for (int k = 0; k < p; ++k)
      for (int i = 0; i < n; ++i) largest = std::fmax(largest, std::abs(b[k][i]));
    const double scale = largest > 1e-300 ? std::exp2(-std::ceil(std::log2(largest))) : 1;
    for (int i = 0; i < size * size; ++i) augmented_[i] = 0;
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) augmented_[i * size + j] = h * jacobian_[i * n + j];
      for (int k = 0; k < p; ++k) augmented_[i * size + n + k] = scale * b[k][i];
    }
    for (int k = 0; k + 1 < p; ++k) augmented_[(n + k) * size + n + k + 1] = 1;
    if (!matrix_exponential<bound>(size, augmented_, work_)) return false;
    for (int i = 0; i < n; ++i) result[i] = augmented_[i * size + size - 1] / scale;
    return true;
  }

  double rates_[most], jacobian_[most * most];
  double in_time_[Reaction::needs_time ? most : 1];
  double augmented_[bound * bound];
  ExponentialScratch<bound> work_;
};

}  // namespace tessera::solvers
