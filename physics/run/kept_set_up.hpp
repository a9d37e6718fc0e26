#pragma once
#include <algorithm>

#include "solvers/method.hpp"

namespace tessera::physics {

/// Whether an iteration missed its tolerance, and rounding excused it: the solver has then given back what it kept.
inline bool is_excused(const solvers::Report& report, const solvers::SolverParams& params) {
  return report.converged && report.backward_error > 0 && !solvers::is_direct(params);
}

/// How long the set-up of a solver serves: what a preconditioner or factor has found of the matrix that it was made of
/// (aggregates, an order of elimination) stays for later ones, of which it takes the values alone, until a system takes
/// half as many iterations again as the first one did, and five more.
class KeptSetUp {
 public:
  KeptSetUp() = default;
  /// Of a run that was left with these numbers.
  KeptSetUp(double first, bool is_worn) : first_(first), is_worn_(is_worn), is_there_(true) {}

  /// Of the next matrix.
  solvers::Reuse next() {
    is_refilled_ = is_there_ && !is_worn_;
    if (is_refilled_) return solvers::Reuse::pattern;
    *this = {};
    is_there_ = true;
    return solvers::Reuse::nothing;
  }
  /// A system took so many iterations for so many digits, 1 where all are solved from good guesses to one tolerance.
  /// One that took none says nothing.
  void judge(int iterations, double digits = 1) {
    constexpr double most_growth = 1.5, more = 5;
    if (iterations == 0) return;
    digits = std::max(digits, 1.0);
    if (first_ < 0) first_ = iterations / digits;
    is_worn_ |= iterations > most_growth * first_ * digits + more;
  }

  bool is_there() const { return is_there_; }
  bool is_refilled() const { return is_refilled_; }  ///< of a matrix after its first one
  bool is_worn() const { return is_worn_; }
  double first() const { return first_; }

 private:
  double first_ = -1;  ///< iterations a digit of its own first system; -1: not solved yet
  bool is_worn_ = false, is_there_ = false, is_refilled_ = false;
};

}  // namespace tessera::physics
