#pragma once
#include "solvers/time/stepper.hpp"

namespace tessera::solvers {

/// The Runge-Kutta scheme of 5 stages and order 4 of Carpenter & Kennedy, NASA TM 109112 (1994), in Williamson's form
/// of two vectors:
///   k = A_i k + f(t + c_i dt, u),   u += dt B_i k.
/// Beside u it keeps k, and a vector for f unless f can be added to k (`RightHandSide::evaluate_onto`). Bytes of a row
/// and stage: 40; with evaluate_onto 24.
template <class Exec>
class LowStorage final : public Stepper<Exec> {
  using Base = Stepper<Exec>;
  using typename Base::Vector;

 public:
  LowStorage(Exec& exec, Offset rows) : Base(exec, rows, false), k_(rows) {}

  void step(RightHandSide<Exec>& f, double t, double dt, View<double> u, double* not_finite) override {
    if (!f.has_evaluate_onto() && f_.empty()) f_ = Vector(rows_);
    for (int i = 0; i < stages; ++i) {
      if (f.has_evaluate_onto()) {
        // Before the first stage k may hold anything, NaN included, which A_1 = 0 would not take out.
        if (i == 0)
          this->evaluate(f, t, u, k_);
        else
          add(f, t + c[i] * dt, u, A[i]);
        Terms terms;
        terms.add(1, u);
        terms.add(dt * B[i], k_);
        combine_terms_checked(exec_, terms, u, not_finite);
      } else {
        this->evaluate(f, t + c[i] * dt, u, f_);
        low_storage_stage(exec_, A[i], dt * B[i], f_, k_, u, not_finite);
      }
    }
  }

  int vectors() const override { return f_.empty() ? 1 : 2; }
  double bytes_per_step(Offset rows) const override {
    return (f_.empty() ? 24.0 : 40.0) * stages * static_cast<double>(rows);
  }

 private:
  using Base::exec_, Base::rows_;

  static constexpr int stages = 5;
  static constexpr double A[stages] = {0, -567301805773.0 / 1357537059087, -2404267990393.0 / 2016746695238,
                                       -3550918686646.0 / 2091501179385, -1275806237668.0 / 842570457699};
  static constexpr double B[stages] = {1432997174477.0 / 9575080441755, 5161836677717.0 / 13612068292357,
                                       1720146321549.0 / 2090206949498, 3134564353537.0 / 4481467310338,
                                       2277821191437.0 / 14882151754819};
  static constexpr double c[stages] = {0, 1432997174477.0 / 9575080441755, 2526269341429.0 / 6820363962896,
                                       2006345519317.0 / 3224310063776, 2802321613138.0 / 2924317926251};

  void add(RightHandSide<Exec>& f, double t, View<const double> u, double factor) {
    f.evaluate_onto(t, u, factor, k_);
    ++this->evaluations_;
  }

  Vector k_, f_;
};

}  // namespace tessera::solvers
