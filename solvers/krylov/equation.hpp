#pragma once
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/link.hpp"
#include "linalg/operator.hpp"
#include "solvers/reference_norm.hpp"

namespace tessera::solvers {

/// A x = b as an iterative method of type T sees it: where its residual comes from and where what it finds goes. Host
/// code; only calls declared functions.
template <class Exec, class T>
class Equation {
 public:
  virtual ~Equation() = default;

  /// ||b||.
  virtual double norm_b() = 0;
  /// Why ||b|| is no number to work with; empty where b is plainly zero.
  virtual std::string bad_right_hand_side() = 0;
  /// The unknown that the method adds to; before the first residual() it is not to be touched.
  virtual View<T> x() = 0;
  virtual void set_solution_to_zero() = 0;
  /// r = (b - A x) / scale(), with the x of the outside; what the method has found so far has been added to it.
  /// Returns ||b - A x||, computed and not recurred.
  virtual double residual(View<T> r) = 0;
  /// What ||b - A x|| is relative to, with the x of the last residual(): see reference_norm.
  virtual double reference(double norm_b, double tolerance) = 0;
  virtual double scale() const { return 1; }
  /// The method should ask for a new residual once its own has fallen by this factor: below, rounding takes over.
  virtual double reach() const { return 0; }
};

/// "entry 7 of the right-hand side is nan", or what else a norm that is not a positive number means; empty: b = 0.
template <class Exec, class T>
std::string describe_bad_right_hand_side(const Exec& exec, View<const T> b) {
  std::vector<T> host(static_cast<std::size_t>(b.size()));
  copy_bytes(typename Exec::Space{}, b.data(), Host{}, host.data(), host.size() * sizeof(T));
  const auto bad = std::find_if(host.begin(), host.end(), [](T value) { return !std::isfinite(value); });
  std::string entry;
  if (bad != host.end()) entry = fmt::format("entry {} of the right-hand side is {}", bad - host.begin(), *bad);
  if (entry = on_any_rank(exec, entry); !entry.empty()) return entry;
  const bool zero = std::all_of(host.begin(), host.end(), [](T value) { return value == 0; });
  return on_any_rank(
      exec,
      zero ? "" : "the square of the right-hand side leaves the range of double; choose units that scale the problem");
}

/// All in one precision: the method works on the solution itself, and its residual needs no vector beside its own.
template <class Exec, class T>
class PlainEquation final : public Equation<Exec, T> {
  using Space = typename Exec::Space;

 public:
  explicit PlainEquation(Exec& exec) : exec_(exec), sums_(2) {}
  void set(const linalg::Operator<Exec, T>& A, View<const T> b, View<T> x, View<const double> row_sums) {
    A_ = &A;
    b_ = b;
    x_ = x;
    row_sums_ = row_sums;
  }

  double norm_b() override {
    linalg::dot(exec_, b_, b_, sums_.data());
    return std::sqrt(to_vector(sums_)[0]);
  }
  std::string bad_right_hand_side() override { return describe_bad_right_hand_side(exec_, b_); }
  View<T> x() override { return x_; }
  void set_solution_to_zero() override { linalg::fill(exec_, x_, 0); }
  double residual(View<T> r) override {
    A_->residual(exec_, x_, b_, r, sums_.data());
    return std::sqrt(to_vector(sums_)[0]);
  }
  double reference(double norm_b, double tolerance) override {
    return reference_norm(exec_, b_, row_sums_, View<const T>(x_), norm_b, tolerance, sums_.data());
  }

 private:
  Exec& exec_;
  const linalg::Operator<Exec, T>* A_ = nullptr;
  View<const T> b_;
  View<T> x_;
  View<const double> row_sums_;
  Array<double, Space> sums_;
};

/// Iterative refinement: the method solves A d = r in float, with r scaled to norm 1, and x += d happens in double, as
/// does the residual. 12 B a row beside the vectors of the method. Wilkinson 1963; Langou et al. 2006.
template <class Exec>
class RefinedEquation final : public Equation<Exec, float> {
  using Space = typename Exec::Space;

 public:
  RefinedEquation(Exec& exec, Index rows) : exec_(exec), r_(rows), d_(rows), sums_(2) {}
  void set(const linalg::Operator<Exec>& A, View<const double> b, View<double> x, View<const double> row_sums) {
    A_ = &A;
    b_ = b;
    x_ = x;
    row_sums_ = row_sums;
    scale_ = 0;
  }

  double norm_b() override {
    linalg::dot(exec_, b_, b_, sums_.data());
    return std::sqrt(to_vector(sums_)[0]);
  }
  std::string bad_right_hand_side() override { return describe_bad_right_hand_side(exec_, b_); }
  View<float> x() override { return d_; }
  void set_solution_to_zero() override { linalg::fill(exec_, x_, 0); }
  double residual(View<float> r) override {
    // x += scale d ; d = 0 ; r = b - A x
    if (scale_ > 0) linalg::add_scaled(exec_, scale_, View<const float>(d_), x_);
    linalg::fill(exec_, d_.view(), 0);
    A_->residual(exec_, x_, b_, r_, sums_.data());
    const double norm = std::sqrt(to_vector(sums_)[0]);
    scale_ = norm > 0 && std::isfinite(norm) ? norm : 1;
    linalg::convert_scaled(exec_, 1 / scale_, View<const double>(r_), r);
    return norm;
  }
  double reference(double norm_b, double tolerance) override {
    return reference_norm(exec_, b_, row_sums_, View<const double>(x_), norm_b, tolerance, sums_.data());
  }
  double scale() const override { return scale_; }
  /// Rounding A to float alone moves the residual by 6e-8 ||A|| ||d||: with a condition of 1e6 that is a few percent of
  /// where the correction started, so more than a digit at a time would be won in vain.
  double reach() const override { return 0.1; }

 private:
  Exec& exec_;
  const linalg::Operator<Exec>* A_ = nullptr;
  View<const double> b_;
  View<double> x_;
  View<const double> row_sums_;
  Array<double, Space> r_;
  Array<float, Space> d_;
  Array<double, Space> sums_;
  double scale_ = 0;  ///< what one of the method's residual is; 0: no residual yet, so d holds nothing
};

}  // namespace tessera::solvers
