#pragma once
// Conjugate gradients, written once. It only calls declared functions: cg.cpp and cg_cuda.cpp instantiate it.
#include <utility>

#include "solvers/krylov/cg.hpp"
#include "solvers/krylov/krylov.hpp"
#include "solvers/krylov/krylov_method.hpp"

namespace tessera::solvers {

inline std::string not_positive_definite(double pq, int iteration) {
  return fmt::format(
      "the matrix is not positive definite: (p, A p) = {:.3g} in iteration {}; look for a missing "
      "Dirichlet condition or a negative coefficient; solver.type = \"minres\" solves what is meant to be indefinite",
      pq, iteration);
}

/// Iterations after which CG takes a new residual where its own is in float: rounding makes it drift long before it has
/// fallen as far as `Equation::reach` allows. It keeps its direction, so this costs two iterations and saves up to a
/// third of them on ill-conditioned systems (100: a fourth; 25: no more). van der Vorst & Ye 2000.
inline constexpr int refresh_after = 50;

template <class Exec, class T>
class PreconditionedCg;

/// The textbook's method in three passes an iteration, with a diagonal M: z = M^-1 r is formed in the passes that need
/// it.
template <class Exec, class T>
class Cg final : public Krylov<Exec, T> {
  using Base = Krylov<Exec, T>;
  using Space = typename Exec::Space;

 public:
  Cg(Exec& exec, const linalg::Operator<Exec, T>& A, Preconditioner<Exec, T>& M, const SolverParams& params)
      : Base(exec, A, M, params, 3 * Base::block_of(params) + 1, Base::block_of(params)),
        p_(A.rows()),
        q_(A.rows()),
        numbers_(to_space<Space>(std::vector<double>{-1, 1, 0})) {}

  /// The one that suits M.
  static std::unique_ptr<Base> make(Exec& exec, const linalg::Operator<Exec, T>& A, Preconditioner<Exec, T>& M,
                                    const SolverParams& params) {
    if (M.diagonal()) return std::make_unique<Cg>(exec, A, M, params);
    return std::make_unique<PreconditionedCg<Exec, T>>(exec, A, M, params);
  }

 private:
  using Base::A_, Base::block_, Base::equation_, Base::exec_, Base::M_, Base::r_, Base::scalars_, Base::x_;
  using typename Base::Look;

  // Scalars of one block: rz[0 .. block] and rr[0 .. block), in turns, so that those of one pass, rr(i) and rz(i + 1),
  // stand together; pq[0 .. block).
  static int rz_at(int i) { return 2 * i; }
  static int rr_at(int i) { return 2 * i + 1; }
  int pq_at(int i) const { return 2 * block_ + 1 + i; }
  double* rz(int i) { return scalars_.data() + rz_at(i); }
  double* rr(int i) { return scalars_.data() + rr_at(i); }
  double* pq(int i) { return scalars_.data() + pq_at(i); }

  void start(bool again) override {
    if (!again) {
      // p = z = M^-1 r ; rz = (r, z)
      M_->apply(exec_, r_, p_);
      linalg::dot(exec_, r_.view(), p_, rz(0));
    } else {
      // p = z + beta p, where `finish` has left -beta p
      linalg::update_r_dot(exec_, nothing(), p_, *M_->diagonal(), r_.view(), rr(0), rz(0));
      turn(scale_ / equation_->scale());
    }
    scale_ = equation_->scale();
    copy_bytes(Space{}, rz(0), Host{}, &rz_, sizeof rz_);
  }

  void iterate(int count) override {
    for (int i = 0; i < count; ++i) {
      const linalg::Quotient alpha{rz(i), pq(i)}, beta{rz(i + 1), rz(i)};
      // q = A p ; alpha = (r, z) / (p, q)
      A_->apply_dot(exec_, p_, q_, pq(i));
      // r -= alpha q ; z = M^-1 r ; rr = (r, r) ; beta = (r, z) / (r, z) before
      linalg::update_r_dot(exec_, alpha, q_, *M_->diagonal(), r_.view(), rr(i), rz(i + 1));
      // x += alpha p ; p = z + beta p
      linalg::update_x_p(exec_, alpha, beta, r_, *M_->diagonal(), x_, p_.view());
    }
    linalg::copy(exec_, View<const double>(rz(count), 1), View<double>(rz(0), 1));
  }

  int room(int done) const override { return Base::room_between_residuals(done, refresh_after); }

  Look look(int i, int iteration) override {
    const double rz_next = this->host(rz_at(i + 1)), pq = this->host(pq_at(i)), rr = this->host(rr_at(i));
    if (!std::isfinite(pq) || !std::isfinite(rr) || !std::isfinite(rz_next))
      return {0, {}, Base::not_finite(iteration)};
    if (pq <= 0) return {0, {}, not_positive_definite(pq, iteration)};
    const double rz = std::exchange(rz_, rz_next);
    return {std::sqrt(rr), {}, {}, rz / pq * rz};
  }

  /// p becomes z - p = -beta p: with the z of the recomputed residual it is completed to the next direction.
  void finish(int) override { turn(1); }

  /// p = z - factor p, with the z of the last update_r_dot.
  void turn(double factor) {
    const double minus = -factor;
    copy_bytes(Host{}, &minus, Space{}, numbers_.data(), sizeof minus);
    linalg::update_x_p(exec_, nothing(), {numbers_.data(), numbers_.data() + 1}, r_, *M_->diagonal(), x_, p_.view());
  }

  linalg::Quotient nothing() const { return {numbers_.data() + 2, numbers_.data() + 1}; }

  Array<T, Space> p_, q_;
  Array<double, Space> numbers_;  ///< a factor, 1, 0: quotients are made of them
  double scale_ = 1;
  double rz_ = 0;  ///< (r, z) before the iteration that is looked at
};

/// The same for any M, which comes first in an iteration: a solve then applies it once an iteration and not once more.
/// The pass that changes p brings x up to date with the iteration before.
template <class Exec, class T>
class PreconditionedCg final : public Krylov<Exec, T> {
  using Base = Krylov<Exec, T>;
  using Space = typename Exec::Space;

 public:
  PreconditionedCg(Exec& exec, const linalg::Operator<Exec, T>& A, Preconditioner<Exec, T>& M,
                   const SolverParams& params)
      : Base(exec, A, M, params, 2 * (Base::block_of(params) + 1) + 2 * Base::block_of(params), Base::block_of(params)),
        p_(A.rows()),
        q_(A.rows()),
        z_(A.rows()),
        numbers_(to_space<Space>(std::vector<double>{0, 1})) {}

 private:
  using Base::A_, Base::block_, Base::equation_, Base::exec_, Base::M_, Base::r_, Base::scalars_, Base::x_;
  using typename Base::Look;

  // Scalars of one block: (rz, pq)[-1 .. block), of which the first are those of the iteration before the block; then
  // rr[0 .. block), each beside a second sum of its pass.
  static int rz_at(int i) { return 2 * (i + 1); }
  static int pq_at(int i) { return 2 * (i + 1) + 1; }
  int rr_at(int i) const { return 2 * (block_ + 1) + 2 * i; }
  double* rz(int i) { return scalars_.data() + rz_at(i); }
  double* pq(int i) { return scalars_.data() + pq_at(i); }
  double* rr(int i) { return scalars_.data() + rr_at(i); }

  void start(bool again) override {
    if (again) {  // p keeps its unit, r has a new one
      linalg::scale(exec_, scale_ / equation_->scale(), View<double>(rz(-1), 1));
    } else {
      linalg::fill(exec_, p_.view(), 0);
      linalg::fill(exec_, View<double>(rz(-1), 1), 0);  // a quotient by 0 is none: beta
    }
    linalg::fill(exec_, View<double>(pq(-1), 1), 0);  // and alpha: x is up to date
    scale_ = equation_->scale();
  }

  void iterate(int count) override {
    for (int i = 0; i < count; ++i) {
      // z = M^-1 r ; beta = (r, z) / (r, z) before
      M_->apply(exec_, r_, z_);
      linalg::dot(exec_, r_.view(), z_, rz(i));
      // x += alpha before p ; p = z + beta p
      linalg::update_x_p(exec_, {rz(i - 1), pq(i - 1)}, {rz(i), rz(i - 1)}, z_, {}, x_, p_.view());
      // q = A p ; alpha = (r, z) / (p, q)
      A_->apply_dot(exec_, p_, q_, pq(i));
      // r -= alpha q ; rr = (r, r)
      linalg::update_r_dot(exec_, {rz(i), pq(i)}, q_, {}, r_.view(), rr(i), rr(i) + 1);
    }
    linalg::copy(exec_, View<const double>(rz(count - 1), 2), View<double>(rz(-1), 2));
  }

  int room(int done) const override { return Base::room_between_residuals(done, refresh_after); }

  Look look(int i, int iteration) override {
    const double rz = this->host(rz_at(i)), pq = this->host(pq_at(i)), rr = this->host(rr_at(i));
    if (!std::isfinite(pq) || !std::isfinite(rr) || !std::isfinite(rz)) return {0, {}, Base::not_finite(iteration)};
    if (pq <= 0) return {0, {}, not_positive_definite(pq, iteration)};
    return {std::sqrt(rr), {}, {}, rz / pq * rz};
  }

  /// x += alpha p of the last iteration; p = p + 0 p.
  void finish(int) override {
    const linalg::Quotient zero{numbers_.data(), numbers_.data() + 1};
    linalg::update_x_p(exec_, {rz(-1), pq(-1)}, zero, p_, {}, x_, p_.view());
  }

  Array<T, Space> p_, q_, z_;
  Array<double, Space> numbers_;  ///< 0, 1
  double scale_ = 1;
};

/// Chronopoulos & Gear 1989: the sums of an iteration are needed at one point only, and the vectors take two passes.
/// Rounding makes its recurrence drift a little more, which the recomputed residual finds and `start` repairs.
template <class Exec, class T>
class SingleReductionCg final : public Krylov<Exec, T> {
  using Base = Krylov<Exec, T>;
  using Space = typename Exec::Space;

 public:
  SingleReductionCg(Exec& exec, const linalg::Operator<Exec, T>& A, Preconditioner<Exec, T>& M,
                    const SolverParams& params)
      : Base(exec, A, M, params, 5 * Base::block_of(params) + 3, Base::block_of(params)),
        p_(A.rows()),
        s_(A.rows()),
        w_(A.rows()),
        u_(Base::is_identity(M) ? 0 : A.rows()) {}

 private:
  using Base::A_, Base::block_, Base::equation_, Base::exec_, Base::M_, Base::r_, Base::scalars_, Base::x_;
  using typename Base::Look;

  // Scalars of one block. Iteration i reads alpha(i), gamma(i), gamma(i + 1) and writes alpha(i + 1), gamma(i + 2).
  double* alpha(int i) { return scalars_.data() + i; }                   // [block + 1]
  double* gamma(int i) { return scalars_.data() + block_ + 1 + i; }      // [block + 2]
  double* delta(int i) { return scalars_.data() + 2 * block_ + 3 + i; }  // [block]
  double* pq(int i) { return scalars_.data() + 3 * block_ + 3 + i; }     // [block]
  double* rr(int i) { return scalars_.data() + 4 * block_ + 3 + i; }     // [block]
  View<T> u() { return u_.empty() ? r_.view() : u_.view(); }

  void start(bool again) override {
    if (again) {  // p and s keep their unit, r has a new one
      const double factor = scale_ / equation_->scale();
      linalg::scale(exec_, factor, View<double>(alpha(0), 1));
      linalg::scale(exec_, factor, View<double>(gamma(0), 1));
    } else {
      linalg::fill(exec_, p_.view(), 0);
      linalg::fill(exec_, s_.view(), 0);
      linalg::fill(exec_, View<double>(alpha(0), 1), 0);
      linalg::fill(exec_, View<double>(gamma(0), 1), 0);
    }
    // u = M^-1 r ; gamma = (r, u)
    if (!u_.empty()) M_->apply(exec_, r_, u_);
    linalg::dot(exec_, r_.view(), u(), gamma(1));
    scale_ = equation_->scale();
    copy_bytes(Space{}, gamma(1), Host{}, &gamma_, sizeof gamma_);
  }

  void iterate(int count) override {
    for (int i = 0; i < count; ++i) {
      // w = A u ; delta = (w, u)
      A_->apply_dot(exec_, u(), w_, delta(i));
      // beta = gamma / gamma before ; alpha = gamma / (delta - beta gamma / alpha before)
      // p = u + beta p ; s = w + beta s ; x += alpha p ; r -= alpha s ; u = M^-1 r ; rr = (r, r) ; gamma = (r, u)
      const linalg::SingleReductionStep step{gamma(i + 1), delta(i), gamma(i), alpha(i), alpha(i + 1), pq(i)};
      // Its sums are needed when delta is: over ranks they travel together, once an iteration.
      if (exec_.link()) exec_.link()->defer(true);
      advance(step, rr(i), gamma(i + 2));
      if (exec_.link()) exec_.link()->defer(false);
    }
    if (exec_.link()) exec_.link()->flush();
    carry(alpha(count), alpha(0));
    carry(gamma(count), gamma(0));
    carry(gamma(count + 1), gamma(1));
  }
  void advance(const linalg::SingleReductionStep& step, double* rr, double* ru) {
    if (const auto D = M_->diagonal()) {
      linalg::advance_single(exec_, step, u(), *D, w_, x_, r_.view(), p_.view(), s_.view(), u(), rr, ru);
      return;
    }
    linalg::advance_single(exec_, step, u(), {}, w_, x_, r_.view(), p_.view(), s_.view(), u(), rr, ru);
    M_->apply(exec_, r_, u());
    linalg::dot(exec_, r_.view(), u(), ru);
  }
  void carry(const double* from, double* to) { linalg::copy(exec_, View<const double>(from, 1), View<double>(to, 1)); }

  int room(int done) const override { return Base::room_between_residuals(done, refresh_after); }

  bool may_break_down() const override { return true; }

  Look look(int i, int iteration) override {
    const double gamma_next = this->host(block_ + 3 + i), pq = this->host(3 * block_ + 3 + i),
                 rr = this->host(4 * block_ + 3 + i);
    if (!std::isfinite(pq) || !std::isfinite(rr) || !std::isfinite(gamma_next))
      return {0, {}, Base::not_finite(iteration)};
    // delta = (u, A u) is a sum, (p, A p) comes from a recurrence and may drift below 0: then a new start may help.
    const double delta = this->host(2 * block_ + 3 + i);
    if (pq <= 0 && delta > 0) return {0, turned(pq, iteration), {}};
    if (pq <= 0) return {0, {}, not_positive_definite(delta, iteration)};
    const double gamma = std::exchange(gamma_, gamma_next);
    return {std::sqrt(rr), {}, {}, this->host(i + 1) * gamma};
  }

  static std::string turned(double pq, int iteration) {
    return fmt::format(
        "(p, A p) = {:.3g} in iteration {}: the matrix is not positive definite, or rounding has turned the sign in "
        "the "
        "recurrence of single_reduction; solver.variant = \"standard\" has no such recurrence",
        pq, iteration);
  }

  Array<T, Space> p_, s_, w_, u_;
  double scale_ = 1;
  double gamma_ = 0;  ///< (r, u) before the iteration that is looked at
};

template <class Exec>
std::unique_ptr<Method<Exec>> make_cg(const SolverParams& params) {
  if (params.method.as<CgParams>().variant != "standard")
    return std::make_unique<KrylovMethod<SingleReductionCg, Exec>>(params, cg_entry().needs);
  return std::make_unique<KrylovMethod<Cg, Exec>>(params, cg_entry().needs);
}

}  // namespace tessera::solvers
