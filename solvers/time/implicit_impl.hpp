#pragma once
#include <cmath>
#include <utility>

#include "base/error.hpp"
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
      w_(rows),
      next_(rows),
      rate_(rows),
      before_(kind_ == Kind::theta ? 0 : rows) {
  if (find_scheme(params.scheme).kind != SchemeKind::implicit)
    throw Error(ExitCode::internal, "no implicit scheme: " + params.scheme);
  if (u_changes_ && kind_ == Kind::bdf2)
    throw Error(ExitCode::internal, "bdf2 cannot go on from a state that was changed");
  linalg::fill(exec_, rate_.view(), 0);
  if (!before_.empty()) linalg::fill(exec_, before_.view(), 0);
}

template <class Exec>
typename ImplicitStepper<Exec>::Kept ImplicitStepper<Exec>::kept() const {
  Kept result{{to_vector(rate_)}, {static_cast<double>(steps_), last_}};
  if (kind_ == Kind::bdf2) result.vectors.push_back(to_vector(before_));
  return result;
}

template <class Exec>
void ImplicitStepper<Exec>::restore(const Kept& kept) {
  rate_ = to_space<Space>(kept.vectors.at(0));
  if (kind_ == Kind::bdf2) before_ = to_space<Space>(kept.vectors.at(1));
  steps_ = static_cast<Offset>(kept.numbers.at(0));
  last_ = kept.numbers.at(1);
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
  if (!solve(equation, t + gamma * dt, sigma, u, before_.view())) return false;
  // U_2 = u + (1 - gamma) dt k_1 + gamma dt k_2
  linalg::combine(exec_, w_.view(), {}, {{sigma}, u}, {{(1 - gamma) / gamma}, before_.view()});
  linalg::combine(exec_, next_.view(), {}, {{1.0}, u}, {{dt}, before_.view()});
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

}  // namespace tessera::solvers
