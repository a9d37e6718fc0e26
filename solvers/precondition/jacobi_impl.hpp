#pragma once
// make_identity and make_jacobi for one backend; only calls declared functions, so any compiler instantiates it.
#include "solvers/params.hpp"
#include "solvers/precondition/preconditioner.hpp"

namespace tessera::solvers {

/// Diagonal of M, inverted; empty: M = 1. z is never stored: the passes form it from r.
template <class Exec>
class Diagonal final : public Preconditioner<Exec> {
 public:
  explicit Diagonal(Array<double, typename Exec::Space> inverse) : inverse_(std::move(inverse)) {}

  void apply(Exec& exec, View<const double> r, View<double> z) override {
    if (inverse_.empty())
      linalg::copy(exec, r, z);
    else
      linalg::multiply(exec, inverse_, r, z);
  }
  void update_r_dot(Exec& exec, linalg::Quotient alpha, View<const double> q, View<double> r, double* rr,
                    double* rz) override {
    linalg::update_r_dot(exec, alpha, q, inverse_, r, rr, rz);
  }
  void update_x_p(Exec& exec, linalg::Quotient alpha, linalg::Quotient beta, View<const double> r, View<double> x,
                  View<double> p) override {
    linalg::update_x_p(exec, alpha, beta, r, inverse_, x, p);
  }

 private:
  Array<double, typename Exec::Space> inverse_;
};

template <class Exec>
std::unique_ptr<Preconditioner<Exec>> make_identity(Exec&, const linalg::Crs<typename Exec::Space>&, const SolverParams&,
                                                    std::string&) {
  return std::make_unique<Diagonal<Exec>>(Array<double, typename Exec::Space>());
}

template <class Exec>
std::unique_ptr<Preconditioner<Exec>> make_jacobi(Exec& exec, const linalg::Crs<typename Exec::Space>& A,
                                                  const SolverParams&, std::string& failure) {
  using Space = typename Exec::Space;
  Array<double, Space> diagonal(A.rows);
  Array<double, Space> bad(1);
  linalg::extract_diagonal(exec, A.view(), diagonal.view());
  linalg::invert_diagonal(exec, diagonal.view(), bad.data());
  if (to_vector(bad)[0] > 0) {
    linalg::extract_diagonal(exec, A.view(), diagonal.view());
    failure = describe_bad_diagonal(to_vector(diagonal));
    return nullptr;
  }
  return std::make_unique<Diagonal<Exec>>(std::move(diagonal));
}

}  // namespace tessera::solvers
