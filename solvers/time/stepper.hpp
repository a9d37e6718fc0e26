#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/array.hpp"
#include "base/backend.hpp"
#include "solvers/time/right_hand_side.hpp"
#include "solvers/time/scheme.hpp"
#include "solvers/time/stage_ops.hpp"
#include "solvers/time/tableau.hpp"

namespace tessera::solvers {

/// Which explicit scheme for u' = f(t, u), and what it needs to know beforehand.
struct StepperParams {
  std::string scheme = "rk4";
  Tableau tableau = {};    ///< of scheme = "tableau"
  bool adaptive = false;   ///< whether steps will be taken with an estimate of their error
  int stages = 0;          ///< of rkc; 0: as many as stability asks for
  deck::Where where = {};  ///< of the scheme's name or of the tableau in the deck
};

/// One step after the other of u' = f(t, u). Vectors of the stages are made once and kept.
///
/// A stepper keeps evaluations of f from step to step where a step begins at the time at which the last one ended: call
/// `forget` whenever something else has changed u or f.
template <class Exec>
class Stepper {
 public:
  virtual ~Stepper() = default;
  Stepper(const Stepper&) = delete;

  /// u(t) -> u(t + dt) in u. *not_finite, where the vectors live: how many entries of this rank's new u are not finite.
  /// Nothing waits for it (but where rkc estimates a spectral radius).
  virtual void step(RightHandSide<Exec>& f, double t, double dt, View<double> u, double* not_finite) = 0;

  /// The same, and returns the estimated error e in the norm sqrt(mean_i (e_i / (absolute + relative max(|u_i| before,
  /// |u_i|)))^2) over all rows of all ranks: 1 is as large as the tolerance. Waits for it. Only where the stepper was
  /// made with `adaptive`.
  virtual double step_with_error(RightHandSide<Exec>& f, double t, double dt, const StepTolerance& tolerance,
                                 View<double> u);
  /// Takes the last `step_with_error` back: u is bitwise what it was (16 B a row).
  virtual void undo(View<double> u);
  /// A first step from (t, u) that should meet the tolerance, at most `longest`: Hairer, Norsett & Wanner I, section
  /// II.4; two evaluations, of which the step uses one.
  virtual double first_step(RightHandSide<Exec>& f, double t, double longest, const StepTolerance& tolerance,
                            View<const double> u);
  /// The step nearest to dt, and not longer, that `step_with_error` can take with a stable scheme and rounding well
  /// below the tolerance. rkc limits it, by its number of stages.
  virtual double stable_step(RightHandSide<Exec>& f, double t, double dt, const StepTolerance& tolerance,
                             View<const double> u);

  /// u or f is not what it was at the end of the last step.
  virtual void forget() {}

  /// What it keeps from step to step that a step cannot make again from u: for a checkpoint. Vectors [rows], and
  /// numbers; `restore` takes them back.
  struct Kept {
    std::vector<std::vector<double>> vectors = {};
    std::vector<double> numbers = {};
  };
  virtual Kept kept() const { return {}; }
  virtual void restore(const Kept& kept) { (void)kept; }

  bool adaptive() const { return adaptive_; }
  /// q: errors of a step that it estimates go with dt^q.
  virtual int error_order() const { return 0; }
  /// How often f was evaluated.
  Offset evaluations() const { return evaluations_; }
  /// Vectors of [rows] that it keeps, beside u.
  virtual int vectors() const = 0;
  /// What one step with so many rows reads and writes beside the evaluations of f.
  virtual double bytes_per_step(Offset rows) const = 0;

 protected:
  using Space = typename Exec::Space;
  using Vector = Array<double, Space>;

  /// Collective where ranks share the vectors.
  Stepper(Exec& exec, Offset rows, bool adaptive);

  void evaluate(RightHandSide<Exec>& f, double t, View<const double> u, View<double> result) {
    f.evaluate(t, u, result);
    ++evaluations_;
  }
  /// The sum over all ranks of what a pass has left in `sum()`, on the host.
  double read_sum();
  double* sum() { return sum_.data(); }
  /// The norm of an error of which `sum()` has the squares.
  double read_norm();
  /// Whether what was kept at that time belongs to t; `took` says how long steps are.
  bool is_now(const std::optional<double>& kept, double t) const { return is_same_time(kept, t, last_step_); }
  void took(double dt) { last_step_ = dt; }
  /// `first_step`, with f at (t, u) and two vectors of scratch.
  double guess_first_step(RightHandSide<Exec>& f, double t, double longest, const StepTolerance& tolerance,
                          View<const double> u, View<const double> rate, View<double> moved, View<double> rate_there);

  Exec& exec_;
  Offset rows_;
  bool adaptive_;
  Offset evaluations_ = 0;

 private:
  double global_rows_;
  double last_step_ = 0;
  Vector sum_;  ///< [1]
};

/// The stepper that `params` name, for `rows` rows of this rank. Throws Error(usage) for unknown names, for schemes
/// that are not explicit or not for u' = f, for a tableau that `checked` refuses, and where params.adaptive asks for an
/// estimate that the scheme has not. `exec` must outlive it. Collective.
template <class Exec>
std::unique_ptr<Stepper<Exec>> make_stepper(Exec& exec, Offset rows, const StepperParams& params);

}  // namespace tessera::solvers
