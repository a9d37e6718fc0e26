#pragma once
// M^-1 (b - A u), or M^-1 R(u), with a lumped mass, for explicit schemes.
#include <cmath>
#include <limits>
#include <memory>
#include <string>

#include "linalg/rank_rows.hpp"
#include "linalg/shift_ops.hpp"
#include "physics/run/evolving.hpp"
#include "physics/run/rough_start.hpp"
#include "solvers/time/right_hand_side.hpp"

namespace tessera::physics {

/// u' = M^-1 (b - A u) of the rows that this rank owns; where u is prescribed, du/dt is that of the values. The product
/// is one with A in the format that the deck asks for, over ranks with A as they share it, so that ghosts travel beside
/// it; where A changes in time each rank has all rows that it sees, and brings ghosts before. Where coefficients depend
/// on u, b - A u is the residual R(u).
template <class Exec>
class ExplicitRates final : public solvers::RightHandSide<Exec> {
 public:
  using Space = typename Exec::Space;

  ExplicitRates(Exec& exec, Evolving<Exec>& problem, const CommonParams& params, Context& context)
      : exec_(exec),
        problem_(problem),
        params_(params),
        context_(context),
        rates_(problem.space().rows()),
        inverse_mass_(problem.space().rows()),
        sums_(1) {
    make_operator();
  }

  void evaluate(double t, View<const double> u, View<double> f) override {
    problem_.move_to(t);
    if (matrices_ != problem_.matrices()) make_operator();
    divide_by_mass([&](View<const double> x) { form_rates(x); }, u, f);
    if (!problem_.varying().prescribed) return;
    const auto rates = to_space<Space>(problem_.prescribed_rates());
    linalg::set_entries(exec_, problem_.own_fixed(), View<const double>(rates.view()), f);
  }

  bool spectral_radius_varies() const override {
    const Varying& varying = problem_.varying();
    return varying.mass || varying.stiffness || problem_.nonlinear();
  }

  bool start_of_power(View<double> v) override {
    start_roughly<Space>(problem_.space(), v);
    return true;
  }

  /// The prescribed values of time t, in u [own rows].
  void prescribe(double t, View<double> u) {
    problem_.move_to(t);
    linalg::set_entries(exec_, problem_.own_fixed(), problem_.own_values(), u);
  }

  /// u [own rows] with the ghosts behind it, until the next evaluation; on one rank u itself.
  View<const double> seen(View<const double> u) {
    if (!problem_.ranks()) return u;
    if (seen_.empty()) seen_ = Array<double, Space>(problem_.space().rows());
    linalg::copy(exec_, u, seen_.view().part(0, u.size()));
    problem_.ranks().update_ghosts(seen_.view());
    return seen_.view();
  }

  /// A number above the largest eigenvalue of M^-1 A on free rows, at the time at hand: that of a power iteration,
  /// which comes from below, and a twentieth more. Of R its tangent at the state u [rows that are seen] counts.
  double eigenvalue_bound(std::span<const double> u) {
    constexpr int most = 300;
    constexpr double enough = 1e-4, safety = 1.05;
    System<Exec> tangent;
    if (problem_.nonlinear()) {
      problem_.ranks().each([&] {
        problem_.move_to_state(u);
        problem_.nonlinear()->tangent(tangent);
      });
      A_ = in_format(exec_, params_, tangent.matrix, context_.summary);
      nnz_ = tangent.matrix.nnz();
    }
    const Linked linked(exec_, problem_.ranks().link());
    const Index rows = problem_.ranks().rows();
    Array<double, Space> v(rows), w(rows);
    start_of_power(v.view());
    double eigenvalue = 0;
    for (int i = 0; i < most; ++i) {
      const double size = norm(v);
      if (!(size > 0)) return 0;
      linalg::scale(exec_, 1 / size, v.view());
      divide_by_mass([&](View<const double> x) { multiply(x); }, v.view(), w.view());
      const double next = norm(w);
      std::swap(v, w);
      const bool same = std::abs(next - eigenvalue) <= enough * next;
      eigenvalue = next;
      if (same) break;
    }
    return safety * eigenvalue;
  }

  Offset nnz() const { return problem_.nonlinear() ? nnz_ : problem_.stiffness().nnz(); }

  /// Why rates had no value, the first time since it was forgotten; empty: they had. They are no numbers then, so that
  /// a scheme that chooses its steps tries shorter ones.
  const std::string& refused() const { return refused_; }
  void forget_refused() { refused_.clear(); }

 private:
  /// rates_ = A x.
  void multiply(View<const double> x) {
    if (shared_)
      shared_->apply(exec_, x, own_rates());
    else
      A_->apply(exec_, x, rates_.view());
  }
  View<double> own_rates() { return rates_.view().part(0, problem_.ranks().rows()); }

  /// rates_ = b - A x or R(x).
  void form_rates(View<const double> x) {
    if (shared_) return shared_->residual(exec_, x, problem_.loads().part(0, x.size()), own_rates(), sums_.data());
    if (!problem_.nonlinear()) return A_->residual(exec_, x, problem_.loads(), rates_.view(), sums_.data());
    std::vector<double> u(static_cast<std::size_t>(x.size()));
    copy_bytes(Space{}, x.data(), Host{}, u.data(), u.size() * sizeof(double));
    try {
      problem_.ranks().each([&] { problem_.move_to_state(u); });
    } catch (const Error& error) {
      if (error.code() != ExitCode::usage) throw;
      if (refused_.empty()) refused_ = error.what();
      return linalg::fill(exec_, rates_.view(), std::numeric_limits<double>::quiet_NaN());
    }
    problem_.nonlinear()->residual(rates_.view());
    if (problem_.varying().mass_of_solution) invert_mass();
  }

  /// f = M^-1 of what `form` leaves in rates_ of u, with its ghosts where they do not travel meanwhile; 0 in fixed
  /// rows.
  template <class Form>
  void divide_by_mass(Form form, View<const double> u, View<double> f) {
    const Index rows = problem_.ranks().rows();
    const View<const double> x = shared_ ? u : seen(u);
    const Linked alone(exec_, nullptr);
    form(x);
    linalg::multiply(exec_, inverse_mass_.view().part(0, rows), rates_.view().part(0, rows), f);
    linalg::set_entries(exec_, problem_.own_fixed(), 0.0, f);
  }

  void make_operator() {
    matrices_ = problem_.matrices();
    if (problem_.ranks() && !problem_.nonlinear() && !problem_.varying().stiffness) {
      if (!shared_) share_rows();
    } else if (!problem_.nonlinear()) {
      A_ = in_format(exec_, params_, problem_.stiffness(), context_.summary);
    }
    invert_mass();
  }

  void share_rows() {
    const OverRanks<Exec>& ranks = problem_.ranks();
    const std::vector<Index> boundary = to_vector(ranks.halo()->boundary());
    shared_ = std::make_unique<linalg::RankRows<Exec>>(
        ranks.halo(), linalg::split_ghosts(exec_, problem_.stiffness(), boundary, ranks.rows()));
    std::unique_ptr<linalg::Operator<Exec>> own;
    ranks.each([&] { own = in_format(exec_, params_, shared_->own(), context_.summary); });
    shared_->take(std::move(own));
  }

  void invert_mass() {
    linalg::extract_diagonal(exec_, std::as_const(problem_.mass()).view(), inverse_mass_.view());
    const Linked alone(exec_, nullptr);
    linalg::invert_diagonal(exec_, inverse_mass_.view(), sums_.data());
  }

  double norm(const Array<double, Space>& x) {
    linalg::dot(exec_, x.view(), x.view(), sums_.data());
    return std::sqrt(to_vector(sums_)[0]);
  }

  Exec& exec_;
  Evolving<Exec>& problem_;
  const CommonParams& params_;
  Context& context_;
  std::unique_ptr<linalg::Operator<Exec>> A_;
  std::unique_ptr<linalg::RankRows<Exec>> shared_;
  Array<double, Space> seen_, rates_;  ///< of all rows that are seen; seen_ where it is asked for
  Array<double, Space> inverse_mass_, sums_;
  Offset nnz_ = 0;     ///< of the tangent
  long matrices_ = 0;  ///< those that A_ and the mass are made of
  std::string refused_;
};

}  // namespace tessera::physics
