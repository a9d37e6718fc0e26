#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "solvers/time/stage_ops.hpp"

namespace tessera::solvers {

/// Chooses steps from estimated errors: the proportional-integral control of Gustafsson as in Hairer, Norsett & Wanner
/// II (Stiff and Differential-Algebraic Problems), section IV.2, and their DOPRI5 (volume I, section II.4). It may be
/// kept from one time span to the next.
struct StepControl {
  StepTolerance tolerance = {};
  double dt = 0;       ///< the next step; 0: chosen from f. Updated by `decide`.
  double longest = 0;  ///< 0: no limit
  double safety = 0.9;
  double least = 0.2, most = 5;  ///< factors between two steps
  double worth = 1;  ///< a step that may become longer by less than this factor stays, and so does its matrix

  /// What becomes of a step of length `taken` with this error (1: as large as the tolerance), whose errors go with
  /// dt^q. Returns whether it is accepted, and sets dt. An error that is not a number is too large.
  bool decide(double error, double taken, int q);

  /// Throws Error(usage) in words where a number has no meaning (a negative tolerance, an absolute one of 0, ...).
  void check() const;

  // What `decide` remembers.
  double last_error = 1e-4;   ///< of the last step that was accepted
  bool was_rejected = false;  ///< the step before this one
};

namespace detail {

/// A step of at most dt that leaves no crumb before `end`.
inline double fitted(double t, double end, double dt) {
  const double rest = end - t;
  if (rest <= dt) return rest;
  return rest < 2 * dt ? rest / 2 : dt;
}

/// Shorter steps do not move t.
inline double shortest_step(double t, double end) {
  constexpr double epsilon = std::numeric_limits<double>::epsilon();
  return 16 * epsilon * std::max(std::abs(t), epsilon * std::abs(end));
}

}  // namespace detail

}  // namespace tessera::solvers
