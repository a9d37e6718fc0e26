#pragma once
// preconditioner = "auto" where systems follow one another: of steps through time, and of Newton's method.
#include <array>
#include <span>
#include <string>

#include "physics/model.hpp"
#include "physics/module.hpp"
#include "physics/run/fallen_back.hpp"
#include "solvers/automatic.hpp"
#include "solvers/report.hpp"

namespace tessera::physics {

/// Whether such a run begins with jacobi because the deck leaves the choice to it, and may take amg later.
bool may_choose_on_the_way(const CommonParams& params, const Discretisation& space);

/// Decimal digits of the residual that a solve has won.
double digits_of(const solvers::Report& report);

/// The solver of a run that begins with jacobi, counts what its systems take, and goes on with amg where that costs
/// less for those to come: once, and back for good where amg does not do. What it decides follows from numbers of
/// iterations and sizes, and from free memory where amg is about to be taken, so that runs repeat and ranks agree.
class ChosenOnTheWay {
 public:
  /// What the next decisions follow from: numbers of a checkpoint.
  using Kept = std::array<double, 7>;

  /// Collective where ranks share the space, as `decide` is.
  ChosenOnTheWay(const CommonParams& params, const Discretisation& space, output::Summary& summary);

  /// Those of the run, with the preconditioner that is taken now.
  const CommonParams& params() const { return params_; }
  /// Whether it is amg that nobody has asked for.
  bool is_multigrid() const { return counted_.now == Now::amg; }

  /// A matrix of new values, as those to come will have them.
  void count_matrix() { counted_.matrices += 1; }
  /// A system was solved by so many iterations, which have won so many digits.
  void count(int iterations, double digits);
  /// Before a step: what the last one took decides. `steps`: such ones that are to come, this one among them, which the
  /// log calls `name`; `unit`: "step", "system". True where another preconditioner is taken from now on.
  bool decide(double steps, const std::string& name, const char* unit);
  /// amg has failed in this attempt: jacobi is taken for good.
  void fall_back(const FirstAttempt& attempt);

  Kept kept() const;
  /// Of a checkpoint that knows of no choice: nothing.
  void restore(std::span<const double> kept);

 private:
  enum class Now { jacobi, amg, jacobi_for_good };
  /// Of the step at hand, but for `now`, `lost` and `of_digit`.
  struct Counted {
    Now now = Now::jacobi;
    double iterations = 0, with_amg = 0, digits = 0, matrices = 0;
    double lost = 0;      ///< see solvers::Following, and never less than nothing
    double of_digit = 0;  ///< iterations a digit of jacobi in its last step
  };

  void fall_back(const std::string& why_not, bool lacked_memory);
  void take(Now now);
  bool serves_no_more() const;

  CommonParams params_;
  const Discretisation& space_;
  output::Summary& summary_;
  bool open_;  ///< the deck leaves the choice to the run
  bool symmetric_;
  solvers::OneSystem system_;
  Counted counted_;
  bool has_said_why_ = false;
};

}  // namespace tessera::physics
