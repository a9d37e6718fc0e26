#pragma once
#include "solvers/odes/node_steps.hpp"

namespace tessera::solvers {

/// The Runge-Kutta pair of orders 5 and 4 of Cash & Karp, ACM Trans. Math. Softw. 16 (1990) 201; Numerical Computations
/// with GPUs, table 8.1 and section 8.2. An error is measured against absolute + relative (|u_i| + |h f_i|), and the
/// largest ratio of all entries counts: (8.12) has its inverse, of which the smallest one counts. Seven vectors.
template <class Reaction>
class CashKarpStep {
 public:
  static constexpr double rejected_exponent = 1.0 / 4, accepted_exponent = 1.0 / 5;

  TESSERA_HD void begin(const Reaction& reaction, double t, const double* u) { reaction.rates(u, t, k1_); }

  TESSERA_HD double attempt(const Reaction& reaction, double t, double h, const double* u,
                            const StepTolerance& tolerance, double* next) {
    const int n = reaction.species();
    double k2[most], k3[most], k4[most], k5[most], k6[most];
    for (int i = 0; i < n; ++i) next[i] = u[i] + h * (1.0 / 5) * k1_[i];
    reaction.rates(next, t + h * (1.0 / 5), k2);
    for (int i = 0; i < n; ++i) next[i] = u[i] + h * (3.0 / 40 * k1_[i] + 9.0 / 40 * k2[i]);
    reaction.rates(next, t + h * (3.0 / 10), k3);
    for (int i = 0; i < n; ++i) next[i] = u[i] + h * (3.0 / 10 * k1_[i] - 9.0 / 10 * k2[i] + 6.0 / 5 * k3[i]);
    reaction.rates(next, t + h * (3.0 / 5), k4);
    for (int i = 0; i < n; ++i)
      next[i] = u[i] + h * (-11.0 / 54 * k1_[i] + 5.0 / 2 * k2[i] - 70.0 / 27 * k3[i] + 35.0 / 27 * k4[i]);
    reaction.rates(next, t + h, k5);
    for (int i = 0; i < n; ++i)
      next[i] = u[i] + h * (1631.0 / 55296 * k1_[i] + 175.0 / 512 * k2[i] + 575.0 / 13824 * k3[i] +
                            44275.0 / 110592 * k4[i] + 253.0 / 4096 * k5[i]);
    reaction.rates(next, t + h * (7.0 / 8), k6);

    double largest = 0;
    for (int i = 0; i < n; ++i) {
      next[i] = u[i] + h * (37.0 / 378 * k1_[i] + 250.0 / 621 * k3[i] + 125.0 / 594 * k4[i] + 512.0 / 1771 * k6[i]);
      const double error =
          h * ((37.0 / 378 - 2825.0 / 27648) * k1_[i] + (250.0 / 621 - 18575.0 / 48384) * k3[i] +
               (125.0 / 594 - 13525.0 / 55296) * k4[i] - 277.0 / 14336 * k5[i] + (512.0 / 1771 - 1.0 / 4) * k6[i]);
      largest = larger_ratio(largest, error, std::abs(u[i]) + std::abs(h * k1_[i]), tolerance);
    }
    return largest;
  }

  TESSERA_HD const double* rates() const { return k1_; }
  TESSERA_HD double longest() const { return HUGE_VAL; }

 private:
  static constexpr int most = Reaction::most_species;
  double k1_[most];
};

}  // namespace tessera::solvers
