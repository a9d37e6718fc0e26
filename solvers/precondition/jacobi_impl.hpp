#pragma once
// make_identity and make_jacobi for one backend; only calls declared functions, so any compiler instantiates it.
#include "solvers/precondition/entries.hpp"

namespace tessera::solvers {

/// Diagonal of M, inverted; empty: M = 1. z is never stored: the passes form it from r.
template <class Exec, class T>
class Diagonal final : public Preconditioner<Exec, T> {
 public:
  explicit Diagonal(Array<T, typename Exec::Space> inverse) : inverse_(std::move(inverse)) {}

  bool is_identity() const override { return inverse_.empty(); }
  void apply(Exec& exec, View<const T> r, View<T> z) override {
    if (inverse_.empty())
      linalg::copy(exec, r, z);
    else
      linalg::multiply(exec, inverse_, r, z);
  }
  void update_r_dot(Exec& exec, linalg::Quotient alpha, View<const T> q, View<T> r, double* rr, double* rz) override {
    linalg::update_r_dot(exec, alpha, q, inverse_, r, rr, rz);
  }
  void update_x_p(Exec& exec, linalg::Quotient alpha, linalg::Quotient beta, View<const T> r, View<T> x,
                  View<T> p) override {
    linalg::update_x_p(exec, alpha, beta, r, inverse_, x, p);
  }
  void advance_single(Exec& exec, const linalg::SingleReductionStep& step, View<const T> w, View<T> x, View<T> r,
                      View<T> p, View<T> s, View<T> u, double* rr, double* ru) override {
    linalg::advance_single(exec, step, u, inverse_, w, x, r, p, s, u, rr, ru);
  }

 private:
  Array<T, typename Exec::Space> inverse_;
};

template <class Exec, class T>
std::unique_ptr<Preconditioner<Exec, T>> make_identity(Exec&, const linalg::Operator<Exec>&,
                                                       const linalg::Operator<Exec, T>&, const SolverParams&,
                                                       linalg::Sign, std::string&) {
  return std::make_unique<Diagonal<Exec, T>>(Array<T, typename Exec::Space>());
}

template <class Exec, class T>
Array<T, typename Exec::Space> inverse_diagonal(Exec& exec, const linalg::Operator<Exec>& A, linalg::Sign sign,
                                                std::string& failure) {
  using Space = typename Exec::Space;
  Array<double, Space> diagonal(A.rows());
  Array<double, Space> bad(1);
  A.diagonal(exec, diagonal);
  linalg::invert_diagonal(exec, diagonal.view(), bad.data(), sign);
  if (to_vector(bad)[0] > 0) {
    A.diagonal(exec, diagonal);
    failure = describe_bad_diagonal(to_vector(diagonal), sign);
    return {};
  }
  if constexpr (std::is_same_v<T, double>) {
    return diagonal;
  } else {
    Array<T, Space> rounded(A.rows());
    linalg::convert(exec, diagonal.view(), rounded.view());
    return rounded;
  }
}

template <class Exec, class T>
std::unique_ptr<Preconditioner<Exec, T>> make_jacobi(Exec& exec, const linalg::Operator<Exec>& A,
                                                     const linalg::Operator<Exec, T>&, const SolverParams&,
                                                     linalg::Sign sign, std::string& failure) {
  auto inverse = inverse_diagonal<Exec, T>(exec, A, sign, failure);
  if (!failure.empty()) return nullptr;
  return std::make_unique<Diagonal<Exec, T>>(std::move(inverse));
}

/// One line instantiates the above.
#define TESSERA_INSTANTIATE_JACOBI(Exec, T)                                                                    \
  TESSERA_INSTANTIATE_PRECONDITIONER(make_identity, Exec, T);                                                  \
  TESSERA_INSTANTIATE_PRECONDITIONER(make_jacobi, Exec, T);                                                    \
  template Array<T, Exec::Space> inverse_diagonal<Exec, T>(Exec&, const linalg::Operator<Exec>&, linalg::Sign, \
                                                           std::string&)

}  // namespace tessera::solvers
