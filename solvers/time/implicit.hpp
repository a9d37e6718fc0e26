#pragma once
// Implicit schemes of M u' = b(t) - A u, as stages that somebody solves.
#include <string>
#include <vector>

#include "base/array.hpp"
#include "base/backend.hpp"
#include "solvers/time/stage_ops.hpp"

namespace tessera::solvers {

/// A scheme and what it can be told.
struct ImplicitParams {
  std::string scheme = "bdf2";  ///< backward_euler, theta, crank_nicolson, bdf2 or sdirk2
  double theta = 0.5;           ///< of "theta": 1/2 is crank_nicolson, 1 backward_euler
  /// Somebody else changes u between steps, so that the rate at the end of one is not that at the beginning of the
  /// next.
  bool u_changes = false;
  bool adaptive = false;  ///< steps are tried, and taken back where their error is too large
};

/// A stage of an implicit scheme: U with
///   (sigma M + A(t)) U = b(t) + M w.
/// The rate of change there, M^-1 (b - A U), is sigma U - w.
template <class Exec>
class StageEquation {
 public:
  virtual ~StageEquation() = default;
  /// U [rows] holds a guess and receives the solution, with the prescribed values of time t; where the guess does not
  /// lead there, `before`, the state that the step began with, may. False where it cannot be had.
  virtual bool solve(double t, double sigma, View<const double> w, View<const double> before, View<double> U) = 0;
};

/// Goes from a time to the next by an implicit scheme:
///   theta            u1 = u0 + dt (theta k1 + (1 - theta) k0): Euler's and Crank-Nicolson's methods
///   bdf2             the derivative of the parabola through u of three times, for steps that may change
///   sdirk2           two stages with gamma = 1 - 1/sqrt(2), the last of which is u1: L-stable
/// Hairer & Wanner, Solving Ordinary Differential Equations II, sections IV.6 and V.1. bdf2 begins with a step of
/// Euler's method. theta < 1 needs the rate at the beginning: its first step is two of Euler's method of half the
/// length, which damp what is not smooth in the data (R. Rannacher, Numer. Math. 43 (1984) 309-327). Where u changes
/// between steps that rate is not known, and the others are steps of one stage of the same order and stability, with
/// theta = 1/2 of the implicit midpoint rule (Hairer & Wanner, (V.6.6)),
///   U = u0 + theta dt f(t + theta dt, U),   u1 = u0 + (U - u0) / theta,
/// after which prescribed values are those of no time: who changes u sets them anew. bdf2 goes on from two states, and
/// must not be asked then.
///
/// Steps that may be taken back estimate their error by what foretells u from the state before,
///   u_p = u0 + (1 + r) dt k0 - r^2 (u0 - u_-1),   r = dt / dt_-1,   u_p - u = -(1 + 1/r) dt^3 u'''/6 + ...,
/// for k0 is exact: where a scheme's own error is c dt^3 u''', it is c / (c + (1 + 1/r)/6) of u1 - u_p (P. M. Gresho
/// and R. L. Sani, Incompressible Flow and the Finite Element Method, section 3.16.4), and of schemes of one step,
/// whose last step has left -r^2 c dt_-1^3 u''' in u_p, c / (c + (1 + 1/r)/6 + c/r). Of bdf2 it is up to half too
/// large. The first step of all schemes is then one of sdirk2, whose error is taken to be that of its first stage gone
/// on with, gamma dt (k2 - k1). Vectors, besides u: theta 3, bdf2 4, sdirk2 4, and where steps may be taken back 6, of
/// 8 B a row.
template <class Exec>
class ImplicitStepper {
 public:
  using Space = typename Exec::Space;
  ImplicitStepper(Exec& exec, const ImplicitParams& params, Offset rows);

  /// From u at time t to u at `end`, which is t + dt but for rounding. False where a stage cannot be solved; u is then
  /// as it was. Steps of one dt have one sigma.
  bool step(StageEquation<Exec>& equation, double t, double dt, double end, View<double> u);
  /// The same, of `adaptive`, but that u stays, until `accept` makes the end of the step of it or `reject` forgets it.
  /// Where it cannot be solved it is forgotten.
  bool attempt(StageEquation<Exec>& equation, double t, double dt, double end, View<const double> u);
  /// The error of what was tried, in the mean over all `global` rows, of which this rank owns the first `own`: 1 is as
  /// large as the tolerance. Prescribed rows count: where their values change, stages between times lose an order near
  /// them. Over ranks the execution has their link, and the call is collective.
  double error(const StepTolerance& tolerance, View<const double> u, Offset own, Offset global);
  /// It goes with dt^order.
  int error_order() const { return steps_ == 0 ? 2 : 3; }
  void accept(View<double> u);
  void reject();
  /// By which factor a step may be longer than the one before: bdf2 is stable up to 2.41.
  double most_growth() const { return kind_ == Kind::bdf2 ? 2 : 5; }

  /// M^-1 (b - A u) at the time of u, [rows]; 0 before the first step.
  const Array<double, Space>& rate() const { return rate_; }
  /// Stages that were solved.
  Offset stages() const { return stages_; }

  /// What the next step needs beside u, for a checkpoint: vectors [rows], and numbers; `restore` takes them back.
  struct Kept {
    std::vector<std::vector<double>> vectors = {};
    std::vector<double> numbers = {};
  };
  Kept kept() const;
  void restore(const Kept& kept);

 private:
  enum class Kind { theta, bdf2, sdirk2 };
  struct Interval {
    double t, dt, end;
  };

  /// next_ = the solution of the stage at time t with w in w_, and its rate, to_rate. next_ is the guess, u another.
  bool solve(StageEquation<Exec>& equation, double t, double sigma, View<const double> u, View<double> to_rate);
  bool euler(StageEquation<Exec>& equation, const Interval& step, View<const double> u);
  bool theta_step(StageEquation<Exec>& equation, const Interval& step, View<const double> u);
  bool bdf2_step(StageEquation<Exec>& equation, const Interval& step, View<const double> u);
  bool sdirk2_step(StageEquation<Exec>& equation, const Interval& step, View<const double> u);
  bool remembers() const { return kind_ == Kind::bdf2 || adaptive_; }

  Exec& exec_;
  Kind kind_;
  double theta_;
  bool u_changes_, adaptive_;
  Array<double, Space> w_, next_;
  Array<double, Space> rate_;
  Array<double, Space> before_;       ///< u of the time before, of bdf2 and of steps that may be taken back
  Array<double, Space> stage_;        ///< rate of the first stage, of sdirk2
  Array<double, Space> rate_before_;  ///< rate_ at the beginning of what is tried
  Array<double, Space> sum_;
  Offset steps_ = 0, stages_ = 0;
  double last_ = 0;   ///< length of the last step
  double tried_ = 0;  ///< of what is tried
};

}  // namespace tessera::solvers
