#pragma once
#include <optional>
#include <utility>
#include <vector>

#include "linalg/vector_ops.hpp"
#include "solvers/time/stepper.hpp"

namespace tessera::solvers {

/// Any explicit Runge-Kutta scheme, from its tableau.
///
/// Vectors: k_1 ... k_s, and y, the argument of a stage, in which steps that may be undone keep the old u. Bytes of a
/// row and step: 8 (n_i + 2) for stage i with n_i entries a_ij, and 8 (n + 2) for the last pass with n weights; with an
/// estimate 8 (n + 3), where the error is formed in that pass. If the last stage is the first of the next step, it
/// needs a pass of its own: 8 (n + 2) more, n the differences of weights.
template <class Exec>
class RungeKutta final : public Stepper<Exec> {
  using Base = Stepper<Exec>;
  using typename Base::Vector;

 public:
  RungeKutta(Exec& exec, Offset rows, Tableau tableau, bool adaptive)
      : Base(exec, rows, adaptive),
        tableau_(std::move(tableau)),
        last_is_first_(tableau_.last_is_first()),
        stages_(tableau_.stages() - (last_is_first_ ? 1 : 0)) {
    for (int i = 0; i < stages_ + (last_is_first_ && adaptive ? 1 : 0); ++i) k_.emplace_back(rows);
    if (adaptive || stages_ > 1) y_ = Vector(rows);
  }

  void step(RightHandSide<Exec>& f, double t, double dt, View<double> u, double* not_finite) override {
    evaluate_stages(f, t, dt, u);
    // u += dt sum b_i k_i
    Terms terms = argument(u, tableau_.b, stages_, dt);
    combine_terms_checked(exec_, terms, u, not_finite);
    rate_at_.reset();
  }

  double step_with_error(RightHandSide<Exec>& f, double t, double dt, const StepTolerance& tolerance,
                         View<double> u) override {
    evaluate_stages(f, t, dt, u);
    before_ = t;
    this->took(dt);
    if (last_is_first_) {
      // y = u ; u += dt sum b_i k_i ; k_s = f(t + dt, u) ; e = dt sum (b_i - b*_i) k_i
      combine_terms_keeping(exec_, argument(u, tableau_.b, stages_, dt), u, y_);
      this->evaluate(f, t + dt, u, k_.back());
      Terms error;
      for (int i = 0; i <= stages_; ++i) error.add_unless_zero(dt * difference(i), k_[i]);
      error_squares(exec_, error, tolerance, y_, u, this->sum());
      std::swap(k_.front(), k_.back());
      rate_at_ = t + dt;
    } else {
      // y = u ; u += dt sum b_i k_i ; e = dt sum (b_i - b*_i) k_i
      Terms terms;
      double error[Terms::most] = {};
      for (int i = 0; i < stages_; ++i)
        if (tableau_.b[i] != 0 || difference(i) != 0) {
          error[terms.count] = dt * difference(i);
          terms.add(dt * tableau_.b[i], k_[i]);
        }
      finish_with_error(exec_, terms, error, tolerance, u, y_, this->sum());
      rate_at_.reset();
    }
    return this->read_norm();
  }

  void undo(View<double> u) override {
    linalg::copy(exec_, y_, u);
    if (last_is_first_) std::swap(k_.front(), k_.back());
    rate_at_ = before_;  // k_1 is that of the old u
  }

  double first_step(RightHandSide<Exec>& f, double t, double longest, const StepTolerance& tolerance,
                    View<const double> u) override {
    evaluate_first(f, t, u);
    return this->guess_first_step(f, t, longest, tolerance, u, k_.front(), y_, k_.back());
  }

  void forget() override { rate_at_.reset(); }

  int error_order() const override { return std::min(tableau_.order, tableau_.embedded_order) + 1; }
  int vectors() const override { return static_cast<int>(k_.size()) + (y_.empty() ? 0 : 1); }

  double bytes_per_step(Offset rows) const override {
    int vectors = 0, weights = 0, differences = 0, either = 0;
    for (int i = 0; i < stages_; ++i) {
      const int entries = non_zeros(tableau_.a[i]);
      if (entries > 0) vectors += entries + 2;
      weights += tableau_.b[i] != 0;
      either += tableau_.b[i] != 0 || (this->adaptive() && difference(i) != 0);
    }
    if (this->adaptive() && last_is_first_)
      for (int i = 0; i <= stages_; ++i) differences += difference(i) != 0;
    if (!this->adaptive())
      vectors += weights + 2;
    else
      vectors += last_is_first_ ? weights + 3 + differences + 2 : either + 3;
    return 8.0 * vectors * static_cast<double>(rows);
  }

 private:
  using Base::exec_;

  static int non_zeros(const std::vector<double>& row) {
    int count = 0;
    for (double value : row) count += value != 0;
    return count;
  }
  double difference(int i) const { return tableau_.b[i] - tableau_.b_embedded[i]; }

  /// u + dt sum_{j<count} factors_j k_j.
  Terms argument(View<const double> u, const std::vector<double>& factors, int count, double dt) const {
    Terms terms;
    terms.add(1, u);
    for (int j = 0; j < count; ++j) terms.add_unless_zero(dt * factors[j], k_[j]);
    return terms;
  }

  void evaluate_first(RightHandSide<Exec>& f, double t, View<const double> u) {
    if (this->is_now(rate_at_, t)) return;
    this->evaluate(f, t, u, k_.front());
    rate_at_ = t;
  }

  void evaluate_stages(RightHandSide<Exec>& f, double t, double dt, View<const double> u) {
    evaluate_first(f, t, u);
    for (int i = 1; i < stages_; ++i) {
      // y = u + dt sum a_ij k_j ; k_i = f(t + c_i dt, y)
      const Terms terms = argument(u, tableau_.a[i], i, dt);
      if (terms.count > 1) combine_terms(exec_, terms, y_.view());
      this->evaluate(f, t + tableau_.c[i] * dt, terms.count > 1 ? View<const double>(y_) : u, k_[i]);
    }
  }

  Tableau tableau_;
  bool last_is_first_;
  int stages_;  ///< evaluated before the new u is known
  std::vector<Vector> k_;
  Vector y_;
  std::optional<double> rate_at_;  ///< k_1 is f at this time and the u of that time
  double before_ = 0;              ///< the time before the last step with an error
};

}  // namespace tessera::solvers
