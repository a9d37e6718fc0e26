#pragma once
// What all steppers share, and which one a name stands for. It only calls declared functions: stepper.cpp and
// stepper_cuda.cpp instantiate it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/link.hpp"
#include "solvers/time/low_storage.hpp"
#include "solvers/time/rkc.hpp"
#include "solvers/time/runge_kutta.hpp"
#include "solvers/time/stepper.hpp"

namespace tessera::solvers {

template <class Exec>
Stepper<Exec>::Stepper(Exec& exec, Offset rows, bool adaptive)
    : exec_(exec),
      rows_(rows),
      adaptive_(adaptive),
      global_rows_(static_cast<double>(exec.link() ? tessera::sum(exec.link()->ranks(), rows) : rows)),
      sum_(1) {}

template <class Exec>
double Stepper<Exec>::step_with_error(RightHandSide<Exec>&, double, double, const StepTolerance&, View<double>) {
  throw Error(ExitCode::internal, "this scheme estimates no error");
}

template <class Exec>
void Stepper<Exec>::undo(View<double>) {
  throw Error(ExitCode::internal, "a step of this scheme cannot be taken back");
}

template <class Exec>
double Stepper<Exec>::first_step(RightHandSide<Exec>&, double, double, const StepTolerance&, View<const double>) {
  throw Error(ExitCode::internal, "this scheme estimates no error, from which a first step would follow");
}

template <class Exec>
double Stepper<Exec>::stable_step(RightHandSide<Exec>&, double, double dt, const StepTolerance&, View<const double>) {
  return dt;
}

template <class Exec>
double Stepper<Exec>::read_sum() {
  sum_over_ranks(exec_, {{sum()}});
  double value = 0;
  copy_bytes(Space{}, sum(), Host{}, &value, sizeof value);
  return value;
}

template <class Exec>
double Stepper<Exec>::read_norm() {
  return std::sqrt(read_sum() / std::max(global_rows_, 1.0));
}

template <class Exec>
double Stepper<Exec>::guess_first_step(RightHandSide<Exec>& f, double t, double longest, const StepTolerance& tolerance,
                                       View<const double> u, View<const double> rate, View<double> moved,
                                       View<double> rate_there) {
  const auto norm = [&](const Terms& terms) {
    error_squares(exec_, terms, tolerance, u, u, sum());
    return read_norm();
  };
  Terms value, slope, curvature, euler;
  value.add(1, u);
  slope.add(1, rate);
  // A step in which u would change by a hundredth of itself.
  const double size = norm(value), speed = norm(slope);
  const double tiny = 1e-6 * longest;
  const double trial = std::min(longest, size < 1e-5 || speed < 1e-5 ? tiny : 0.01 * size / speed);
  // Its Euler step shows u''; the local error of order q is taken for dt^q times the larger of u' and u''.
  euler.add(1, u);
  euler.add(trial, rate);
  combine_terms(exec_, euler, moved);
  evaluate(f, t + trial, moved, rate_there);
  curvature.add(1, rate_there);
  curvature.add(-1, rate);
  const double largest = std::max(speed, norm(curvature) / trial);
  const double step = largest > 1e-15 ? std::pow(0.01 / largest, 1.0 / error_order()) : std::max(tiny, 1e-3 * trial);
  const double first = std::min({100 * trial, step, longest});
  return first > 0 ? first : tiny;  // NaN is not: the first step will show where it comes from
}

namespace detail {

inline std::string schemes_with_estimates() {
  std::string names;
  for (const Scheme& scheme : schemes())
    if (scheme.estimates_error && scheme.kind != SchemeKind::implicit)
      names += (names.empty() ? "" : ", ") + scheme.name;
  return names;
}

inline void refuse_without_estimate(const std::string& name, bool has_estimate, const StepperParams& params) {
  if (params.adaptive && !has_estimate)
    throw Error(ExitCode::usage,
                fmt::format("the scheme '{}' does not estimate its error, so it cannot choose its "
                            "step for a tolerance",
                            name),
                "give a step, or one of the schemes that do: " + schemes_with_estimates(), params.where);
}

}  // namespace detail

template <class Exec>
std::unique_ptr<Stepper<Exec>> make_stepper(Exec& exec, Offset rows, const StepperParams& params) {
  const Scheme& scheme = find_scheme(params.scheme, params.where);
  if (scheme.kind != SchemeKind::explicit_ && scheme.kind != SchemeKind::stabilised)
    throw Error(ExitCode::usage,
                fmt::format("the scheme '{}' ({}) is none of the explicit ones for u' = f(t, u)", scheme.name,
                            name_of(scheme.kind)),
                "`tessera list schemes` shows the kind of each", params.where);
  detail::refuse_without_estimate(scheme.name, scheme.estimates_error, params);
  if (params.stages != 0 && (params.stages < 2 || params.stages > most_chebyshev_stages))
    throw Error(ExitCode::usage, fmt::format("rkc cannot have {} stages", params.stages),
                fmt::format("give 2 to {} stages, or 0 for as many as stability asks for", most_chebyshev_stages),
                params.where);
  if (scheme.name == "rkc") return std::make_unique<Rkc<Exec>>(exec, rows, params);
  if (scheme.name == "low_storage_rk45") return std::make_unique<LowStorage<Exec>>(exec, rows);
  if (scheme.name != "tableau")
    return std::make_unique<RungeKutta<Exec>>(exec, rows, tableau_of(scheme.name), params.adaptive);
  Tableau own = checked(params.tableau, params.where);
  detail::refuse_without_estimate(own.name, own.has_estimate(), params);
  return std::make_unique<RungeKutta<Exec>>(exec, rows, std::move(own), params.adaptive);
}

}  // namespace tessera::solvers
