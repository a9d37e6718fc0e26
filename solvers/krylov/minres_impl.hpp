#pragma once
// MINRES, written once. It only calls declared functions: minres.cpp and minres_cuda.cpp instantiate it.
#include "solvers/krylov/krylov.hpp"
#include "solvers/krylov/krylov_method.hpp"
#include "solvers/krylov/minres.hpp"
#include "solvers/krylov/scalars.hpp"

namespace tessera::solvers {

template <class Exec, class T>
class Minres final : public Krylov<Exec, T> {
  using Base = Krylov<Exec, T>;
  using Space = typename Exec::Space;

 public:
  Minres(Exec& exec, const linalg::Operator<Exec, T>& A, Preconditioner<Exec, T>& M, const SolverParams& params)
      : Base(exec, A, M, params, 3 * Base::block_of(params), Base::block_of(params)), at_(1) {
    for (auto* pair : {&v_, &z_, &w_})
      for (auto& vector : *pair) vector = Array<T, Space>(A.rows());
  }

 private:
  using Base::A_, Base::block_, Base::exec_, Base::M_, Base::r_, Base::scalars_, Base::x_;
  using typename Base::Look;
  using Vector = linalg::Scalar;

  // Scalars of one block: (z, A z), (z, v), (r, r), each [block].
  double* zq(int i) { return scalars_.data() + i; }
  double* zv(int i) { return scalars_.data() + block_ + i; }
  double* rr(int i) { return scalars_.data() + 2 * block_ + i; }

  void start(bool) override {
    turn_ = 0;
    exhausted_ = false;
    for (auto* vector : {&v_[1], &w_[0], &w_[1]}) linalg::fill(exec_, vector->view(), 0);
    // v = r ; z = M^-1 v ; gamma = sqrt((z, v))
    linalg::copy(exec_, r_, v_[0].view());
    M_->apply(exec_, v_[0], z_[0]);
    linalg::dot(exec_, v_[0].view(), z_[0], zv(0));
    minres_begin(exec_, at_.data(), zv(0));
  }

  void iterate(int count) override {
    using linalg::Scalar;
    MinresScalars* at = at_.data();
    for (int i = 0; i < count; ++i, turn_ = 1 - turn_) {
      const View<T> v = v_[turn_], v_next = v_[1 - turn_], z = z_[turn_], q = z_[1 - turn_], w = w_[turn_],
                    w_next = w_[1 - turn_];
      // q = A z ; delta = (z, q) / gamma^2
      A_->apply_dot(exec_, z, q, zq(i));
      minres_lanczos(exec_, at, zq(i));
      // v next = q / gamma - (delta / gamma) v - (gamma / gamma before) v before
      linalg::combine(exec_, v_next, Scalar{1, &at->of_v_before}, {{1, &at->of_q}, q}, {{1, &at->of_v}, v});
      // z next = M^-1 v next ; gamma next = sqrt((z next, v next)) ; the next Givens rotation
      M_->apply(exec_, v_next, q);
      linalg::dot(exec_, v_next, q, zv(i));
      minres_rotate(exec_, at, zv(i));
      // w next = (z / gamma - alpha_3 w before - alpha_2 w) / alpha_1 ; x += c eta w next
      linalg::combine(exec_, w_next, Scalar{1, &at->of_w_before}, {{1, &at->of_z}, z}, {{1, &at->of_w}, w});
      linalg::combine(exec_, x_, Scalar{1}, {{1, &at->of_step}, w_next});
      // r = s^2 r + (c eta / gamma next) v next
      linalg::combine(exec_, r_.view(), Scalar{1, &at->keep_r}, {{1, &at->of_v_next}, v_next});
      linalg::dot(exec_, r_.view(), r_, rr(i));
    }
  }
  /// Vectors change places in every iteration: only after an even number the work is the same again.
  bool repeats() const override { return block_ % 2 == 0 && turn_ == 0; }

  bool may_break_down() const override { return true; }

  Look look(int i, int iteration) override {
    const double zq = this->host(i), zv = this->host(block_ + i), rr = this->host(2 * block_ + i);
    if (!std::isfinite(zq) || !std::isfinite(zv) || !std::isfinite(rr)) return {0, {}, Base::not_finite(iteration)};
    if (zv < 0)
      return {0,
              {},
              fmt::format("the preconditioner is not positive definite: (r, M^-1 r) = {:.3g} in iteration {}", zv,
                          iteration)};
    if (exhausted_)
      return {
          0,
          fmt::format("the Krylov space is exhausted in iteration {}: the matrix is singular, and the right-hand side "
                      "is not in its range; look for a missing Dirichlet condition",
                      iteration),
          {}};
    exhausted_ = zv == 0;
    return {std::sqrt(rr), {}, {}};
  }

  Array<T, Space> v_[2], z_[2], w_[2];
  Array<MinresScalars, Space> at_;
  int turn_ = 0;  ///< which of the pairs is the present one
  bool exhausted_ = false;
};

template <class Exec>
std::unique_ptr<Method<Exec>> make_minres(const SolverParams& params) {
  return std::make_unique<KrylovMethod<Minres, Exec>>(params, minres_entry().needs);
}

}  // namespace tessera::solvers
