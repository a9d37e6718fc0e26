#pragma once
#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.hpp"
#include "base/link.hpp"
#include "linalg/vector_ops.hpp"
#include "solvers/time/implicit.hpp"
#include "solvers/time/scheme.hpp"

namespace tessera::solvers {

template <class Exec>
ImplicitStepper<Exec>::ImplicitStepper(Exec& exec, const ImplicitParams& params, Offset rows)
    : exec_(exec),
      kind_(params.scheme == "bdf2"     ? Kind::bdf2
            : params.scheme == "sdirk2" ? Kind::sdirk2
                                        : Kind::theta),
      theta_(params.scheme == "backward_euler"   ? 1
             : params.scheme == "crank_nicolson" ? 0.5
                                                 : params.theta),
      u_changes_(params.u_changes),
      adaptive_(params.adaptive),
      w_(rows),
      next_(rows),
      rate_(rows),
      before_(remembers() ? rows : 0),
      stage_(kind_ == Kind::sdirk2 || adaptive_ ? rows : 0),
      rate_before_(adaptive_ ? rows : 0),
      sum_(adaptive_ ? 1 : 0) {
  if (find_scheme(params.scheme).kind != SchemeKind::implicit)
    throw Error(ExitCode::internal, "no implicit scheme: " + params.scheme);
  if (u_changes_ && kind_ == Kind::bdf2)
    throw Error(ExitCode::internal, "bdf2 cannot go on from a state that was changed");
  if (adaptive_ && !find_scheme(params.scheme).estimates_error)
    throw Error(ExitCode::internal, "this scheme estimates no error: " + params.scheme);
  linalg::fill(exec_, rate_.view(), 0);
  if (!before_.empty()) linalg::fill(exec_, before_.view(), 0);
}

template <class Exec>
typename ImplicitStepper<Exec>::Kept ImplicitStepper<Exec>::kept() const {
  Kept result{{to_vector(rate_)}, {static_cast<double>(steps_), last_}};
  if (remembers()) result.vectors.push_back(to_vector(before_));
  return result;
}

template <class Exec>
void ImplicitStepper<Exec>::restore(const Kept& kept) {
  if (kept.vectors.size() < (remembers() ? 2 : 1) || kept.numbers.size() < 2)
    throw Error(ExitCode::file_system, "the checkpoint lacks what the scheme keeps from step to step",
                "go on from an older checkpoint, or run the deck from its start");
  rate_ = to_space<Space>(kept.vectors[0]);
  if (remembers()) before_ = to_space<Space>(kept.vectors[1]);
  steps_ = static_cast<Offset>(kept.numbers[0]);
  last_ = kept.numbers[1];
}

template <class Exec>
bool ImplicitStepper<Exec>::solve(StageEquation<Exec>& equation, double t, double sigma, View<const double> u,
                                  View<double> to_rate) {
  ++stages_;
  if (!equation.solve(t, sigma, w_.view(), u, next_.view())) return false;
  // k = sigma U - w
  linalg::combine(exec_, to_rate, {}, {{sigma}, next_.view()}, {{-1.0}, w_.view()});
  return true;
}

/// U = u + dt k(U)
template <class Exec>
bool ImplicitStepper<Exec>::euler(StageEquation<Exec>& equation, const Interval& step, View<const double> u) {
  const double dt = step.dt;
  linalg::combine(exec_, w_.view(), {}, {{1 / dt}, u});
  linalg::copy(exec_, u, next_.view());
  return solve(equation, step.end, 1 / dt, u, rate_.view());
}

template <class Exec>
bool ImplicitStepper<Exec>::theta_step(StageEquation<Exec>& equation, const Interval& step, View<const double> u) {
  const auto [t, dt, end] = step;
  if (theta_ == 1) return euler(equation, step, u);
  if (steps_ == 0) {
    const double middle = t + 0.5 * dt;
    if (!euler(equation, {t, 0.5 * dt, middle}, u)) return false;
    Array<double, Space> half(u.size());
    linalg::copy(exec_, next_.view(), half.view());
    return euler(equation, {middle, 0.5 * dt, end}, half.view());
  }
  const double sigma = 1 / (theta_ * dt);
  if (u_changes_) {
    linalg::combine(exec_, w_.view(), {}, {{sigma}, u});
    linalg::combine(exec_, next_.view(), {}, {{1.0}, u}, {{theta_ * dt}, rate_.view()});
    if (!solve(equation, t + theta_ * dt, sigma, u, rate_.view())) return false;
    // u1 = u + dt k, k = (U - u) / (theta dt)
    linalg::combine(exec_, next_.view(), {}, {{1.0}, u}, {{dt}, rate_.view()});
    return true;
  }
  // w = (u + (1 - theta) dt k) / (theta dt); the guess is u + dt k.
  linalg::combine(exec_, w_.view(), {}, {{sigma}, u}, {{(1 - theta_) / theta_}, rate_.view()});
  linalg::combine(exec_, next_.view(), {}, {{1.0}, u}, {{dt}, rate_.view()});
  return solve(equation, end, sigma, u, rate_.view());
}

template <class Exec>
bool ImplicitStepper<Exec>::bdf2_step(StageEquation<Exec>& equation, const Interval& step, View<const double> u) {
  const auto [t, dt, end] = step;
  if (steps_ == 0) return euler(equation, step, u);
  // Of the parabola through u_-1, u_0 and U, with r = dt / dt_-1:
  //   dt U' = (1 + 2 r) / (1 + r) U - (1 + r) u_0 + r^2 / (1 + r) u_-1
  const double r = dt / last_, sigma = (1 + 2 * r) / ((1 + r) * dt);
  linalg::combine(exec_, w_.view(), {}, {{(1 + r) / dt}, u}, {{-r * r / ((1 + r) * dt)}, before_.view()});
  // The guess goes on along a line: u_0 + r (u_0 - u_-1).
  linalg::combine(exec_, next_.view(), {}, {{1 + r}, u}, {{-r}, before_.view()});
  return solve(equation, end, sigma, u, rate_.view());
}

template <class Exec>
bool ImplicitStepper<Exec>::sdirk2_step(StageEquation<Exec>& equation, const Interval& step, View<const double> u) {
  const auto [t, dt, end] = step;
  const double gamma = 1 - 1 / std::sqrt(2.0), sigma = 1 / (gamma * dt);
  // U_1 = u + gamma dt k_1
  linalg::combine(exec_, w_.view(), {}, {{sigma}, u});
  linalg::combine(exec_, next_.view(), {}, {{1.0}, u}, {{gamma * dt}, rate_.view()});
  if (!solve(equation, t + gamma * dt, sigma, u, stage_.view())) return false;
  // U_2 = u + (1 - gamma) dt k_1 + gamma dt k_2
  linalg::combine(exec_, w_.view(), {}, {{sigma}, u}, {{(1 - gamma) / gamma}, stage_.view()});
  linalg::combine(exec_, next_.view(), {}, {{1.0}, u}, {{dt}, stage_.view()});
  return solve(equation, end, sigma, u, rate_.view());
}

template <class Exec>
bool ImplicitStepper<Exec>::step(StageEquation<Exec>& equation, double t, double dt, double end, View<double> u) {
  const Interval interval{t, dt, end};
  const View<const double> from = u;
  const bool solved = kind_ == Kind::bdf2     ? bdf2_step(equation, interval, from)
                      : kind_ == Kind::sdirk2 ? sdirk2_step(equation, interval, from)
                                              : theta_step(equation, interval, from);
  if (!solved) return false;
  if (kind_ == Kind::bdf2) linalg::copy(exec_, from, before_.view());
  linalg::copy(exec_, next_.view(), u);
  last_ = dt;
  ++steps_;
  return true;
}

template <class Exec>
bool ImplicitStepper<Exec>::attempt(StageEquation<Exec>& equation, double t, double dt, double end,
                                    View<const double> u) {
  const Interval interval{t, dt, end};
  linalg::copy(exec_, View<const double>(rate_.view()), rate_before_.view());
  const bool solved = kind_ == Kind::sdirk2 || steps_ == 0 ? sdirk2_step(equation, interval, u)
                      : kind_ == Kind::bdf2                ? bdf2_step(equation, interval, u)
                                                           : theta_step(equation, interval, u);
  tried_ = dt;
  if (!solved) reject();
  return solved;
}

template <class Exec>
double ImplicitStepper<Exec>::error(const StepTolerance& tolerance, View<const double> u, Offset own, Offset global) {
  const auto part = [own](const Array<double, Space>& x) { return View<const double>(x.view()).part(0, own); };
  const double gamma = 1 - 1 / std::sqrt(2.0);
  Terms terms;
  if (steps_ == 0) {
    terms.add(gamma * tried_, part(rate_));
    terms.add(-gamma * tried_, part(stage_));
  } else {
    // c of the scheme; of sdirk2 that of linear equations.
    const double r = tried_ / last_;
    const double c = kind_ == Kind::bdf2     ? (1 + r) * (1 + r) / (6 * r * (1 + 2 * r))
                     : kind_ == Kind::sdirk2 ? 1.0 / 3 - gamma
                                             : 1.0 / 12;
    const double of_last = kind_ == Kind::bdf2 ? 0 : c / r;
    const double factor = c / (c + (1 + 1 / r) / 6 + of_last);
    terms.add(factor, part(next_));
    terms.add(factor * (r * r - 1), u.part(0, own));
    terms.add(-factor * (1 + r) * tried_, part(rate_before_));
    terms.add(-factor * r * r, part(before_));
  }
  error_squares(exec_, terms, tolerance, u.part(0, own), part(next_), sum_.data());
  sum_over_ranks(exec_, {{sum_.data()}});
  return std::sqrt(to_vector(sum_)[0] / static_cast<double>(std::max<Offset>(global, 1)));
}

template <class Exec>
void ImplicitStepper<Exec>::accept(View<double> u) {
  linalg::copy(exec_, View<const double>(u), before_.view());
  linalg::copy(exec_, View<const double>(next_.view()), u);
  last_ = tried_;
  ++steps_;
}

template <class Exec>
void ImplicitStepper<Exec>::reject() {
  linalg::copy(exec_, View<const double>(rate_before_.view()), rate_.view());
}

}  // namespace tessera::solvers
