#pragma once
// Implicit schemes of M u' = b(t) - A u, as stages that somebody solves.
#include <string>
#include <vector>

#include "base/array.hpp"
#include "base/backend.hpp"

namespace tessera::solvers {

/// A scheme and what it can be told.
struct ImplicitParams {
  std::string scheme = "bdf2";  ///< backward_euler, theta, crank_nicolson, bdf2 or sdirk2
  double theta = 0.5;           ///< of "theta": 1/2 is crank_nicolson, 1 backward_euler
  /// Somebody else changes u between steps, so that the rate at the end of one is not that at the beginning of the
  /// next.
  bool u_changes = false;
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
/// Vectors, besides u: theta 3, bdf2 4, sdirk2 4, of 8 B a row.
template <class Exec>
class ImplicitStepper {
 public:
  using Space = typename Exec::Space;
  ImplicitStepper(Exec& exec, const ImplicitParams& params, Offset rows);

  /// From u at time t to u at `end`, which is t + dt but for rounding. False where a stage cannot be solved; u is then
  /// as it was. Steps of one dt have one sigma.
  bool step(StageEquation<Exec>& equation, double t, double dt, double end, View<double> u);
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

  Exec& exec_;
  Kind kind_;
  double theta_;
  bool u_changes_;
  Array<double, Space> w_, next_;
  Array<double, Space> rate_;
  Array<double, Space> before_;  ///< u of the time before, of bdf2; a stage's rate, of sdirk2
  Offset steps_ = 0, stages_ = 0;
  double last_ = 0;  ///< length of the last step
};

}  // namespace tessera::solvers
