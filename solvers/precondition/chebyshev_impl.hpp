#pragma once
// The Chebyshev preconditioner for one backend; only calls declared functions, so any compiler instantiates it.
#include <algorithm>
#include <cmath>

#include "solvers/precondition/chebyshev.hpp"
#include "solvers/precondition/entries.hpp"

namespace tessera::solvers {

/// The largest eigenvalue of the symmetric tridiagonal matrix with this diagonal and off-diagonal, by bisection on the
/// number of eigenvalues below (Sturm's sequence).
inline double largest_eigenvalue(const std::vector<double>& diagonal, const std::vector<double>& off) {
  double low = diagonal[0], high = diagonal[0];
  for (std::size_t i = 0; i < diagonal.size(); ++i) {  // Gershgorin
    const double radius = (i > 0 ? std::abs(off[i - 1]) : 0) + (i < off.size() ? std::abs(off[i]) : 0);
    low = std::min(low, diagonal[i] - radius);
    high = std::max(high, diagonal[i] + radius);
  }
  for (int step = 0; step < 60; ++step) {
    const double middle = 0.5 * (low + high);
    bool all_below = true;
    double pivot = 1;
    for (std::size_t i = 0; i < diagonal.size() && all_below; ++i) {
      pivot = diagonal[i] - middle - (i > 0 ? off[i - 1] * off[i - 1] / pivot : 0);
      all_below = pivot < 0;
    }
    (all_below ? high : low) = middle;
  }
  return high;
}

/// Vectors of the Lanczos process, [rows], overwritten.
template <class T>
struct LanczosVectors {
  View<T> x, r, p, q;
};

/// The largest Ritz value of D^-1 A after some steps of the Lanczos process, which Jacobi-CG runs (Golub & Van Loan,
/// section 11.3.8): with T_jj = 1/alpha_j + beta_{j-1}/alpha_{j-1}, T_{j,j+1} = sqrt(beta_j)/alpha_j. 0 where A is not
/// positive definite. All steps are queued; the host looks at their scalars when they are done, and no further than to
/// the one that has explored the whole space.
template <class Exec, class T>
double largest_ritz_value(Exec& exec, const linalg::Operator<Exec, T>& A, View<const T> inverse_diagonal,
                          const LanczosVectors<T>& vectors, int steps) {
  constexpr double explored = std::is_same_v<T, float> ? 1e-12 : 1e-24;
  const auto& [x, r, p, q] = vectors;
  steps = static_cast<int>(std::min<Offset>(steps, A.global_rows()));
  Array<double, typename Exec::Space> scalars(2 * steps + 2);
  double *const rz = scalars.data(), *const pq = rz + steps + 1, *const rr = pq + steps;  // rz: one more than steps
  linalg::fill(exec, x, 0);
  linalg::fill_random(exec, r, 3, A.first_row());
  linalg::multiply(exec, inverse_diagonal, View<const T>(r), p);
  linalg::dot(exec, r, View<const T>(p), rz);
  for (int step = 0; step < steps; ++step) {
    A.apply_dot(exec, View<const T>(p), q, pq + step);
    linalg::update_r_dot(exec, {rz + step, pq + step}, View<const T>(q), inverse_diagonal, r, rr, rz + step + 1);
    linalg::update_x_p(exec, {rz + step, pq + step}, {rz + step + 1, rz + step}, View<const T>(r), inverse_diagonal, x,
                       p);
  }
  const auto host = to_vector(scalars);
  std::vector<double> diagonal, off;
  double beta_over_alpha = 0;
  for (int step = 0; step < steps; ++step) {
    const double before = host[step], after = host[step + 1], square = host[steps + 1 + step];
    if (!(square > 0) || !std::isfinite(after) || !std::isfinite(before)) return 0;
    const double alpha = before / square, beta = after / before;
    diagonal.push_back(1 / alpha + beta_over_alpha);
    if (after <= explored * host[0]) break;  // the whole space is
    off.push_back(std::sqrt(beta) / alpha);
    beta_over_alpha = beta / alpha;
  }
  if (diagonal.empty()) return 0;
  off.resize(diagonal.size() - 1);
  return largest_eigenvalue(diagonal, off);
}

/// The same with 4 vectors for a moment.
template <class Exec, class T>
double largest_ritz_value(Exec& exec, const linalg::Operator<Exec, T>& A, View<const T> inverse_diagonal,
                          int steps = 15) {
  const Index n = A.rows();
  Array<T, typename Exec::Space> x(n), r(n), p(n), q(n);
  return largest_ritz_value(exec, A, inverse_diagonal, LanczosVectors<T>{x.view(), r.view(), p.view(), q.view()},
                            steps);
}

/// z = p(D^-1 A) D^-1 r by `degree` steps of the Chebyshev iteration for A z = r from z = 0. Symmetric positive
/// definite wherever the spectrum of D^-1 A lies in (0, b]. Each step is a product and a pass of 56 B; 24 B of its own
/// a row.
template <class Exec, class T>
class Chebyshev final : public Preconditioner<Exec, T> {
  using Space = typename Exec::Space;

 public:
  explicit Chebyshev(int degree) : degree_(degree) {}

  std::string set_up(Exec& exec, const linalg::Operator<Exec>& A, const linalg::Operator<Exec, T>& A_in_type,
                     linalg::Sign sign, Reuse reuse) override {
    A_ = &A_in_type;
    if (reuse == Reuse::all) return {};
    for (auto* vector : {&inverse_, &d_, &w_}) *vector = {};
    {
      Array<double, Space> inverse;
      const std::string failure = invert_diagonal_of(exec, A, sign, inverse);
      if (!failure.empty()) return failure;
      // Ritz values lie inside the spectrum: a little safety; above the bound the polynomial still is positive up to b
      // + low.
      high_ = A.global_rows() == 0 ? 1 : 1.1 * largest_ritz_value(exec, A, std::as_const(inverse).view());
      low_ = high_ / (4.0 * (degree_ + 1) * (degree_ + 1));
      if (!(high_ > 0))
        return "the matrix is not positive definite, which the Chebyshev preconditioner needs; choose preconditioner = "
               "\"jacobi\"";
      inverse_ = Array<T, Space>(A.rows());
      linalg::convert(exec, inverse.view(), inverse_.view());
    }
    d_ = Array<T, Space>(A.rows());
    w_ = Array<T, Space>(A.rows());
    return {};
  }

  void apply(Exec& exec, View<const T> r, View<T> z) override {
    const double centre = 0.5 * (high_ + low_), half = 0.5 * (high_ - low_), sigma = centre / half;
    double rho = 1 / sigma;
    // d = z = D^-1 r / centre
    linalg::multiply(exec, inverse_, r, z);
    linalg::scale(exec, 1 / centre, z);
    linalg::copy(exec, z, d_.view());
    for (int step = 0; step < degree_; ++step) {
      // d = rho' rho d + (2 rho' / half) D^-1 (r - A z) ; z += d
      const double next = 1 / (2 * sigma - rho);
      A_->apply(exec, z, w_);
      linalg::chebyshev_step(exec, next * rho, 2 * next / half, inverse_, r, w_, d_.view(), z);
      rho = next;
    }
  }
  bool set_up_takes_room() const override { return true; }

 private:
  const linalg::Operator<Exec, T>* A_ = nullptr;
  Array<T, Space> inverse_, d_, w_;
  int degree_;
  double high_ = 0, low_ = 0;
};

template <class Exec, class T>
std::unique_ptr<Preconditioner<Exec, T>> make_chebyshev(const SolverParams& params) {
  return std::make_unique<Chebyshev<Exec, T>>(params.preconditioning.as<ChebyshevParams>().degree);
}

}  // namespace tessera::solvers
