#pragma once
// BiCGStab, written once. It only calls declared functions: bicgstab.cpp and bicgstab_cuda.cpp instantiate it.
#include <vector>

#include "linalg/random.hpp"
#include "solvers/krylov/bicgstab.hpp"
#include "solvers/krylov/krylov.hpp"
#include "solvers/krylov/krylov_method.hpp"
#include "solvers/krylov/scalars.hpp"

namespace tessera::solvers {

template <class Exec, class T>
class Bicgstab final : public Krylov<Exec, T> {
  using Base = Krylov<Exec, T>;
  using Space = typename Exec::Space;

 public:
  Bicgstab(Exec& exec, const linalg::Operator<Exec, T>& A, Preconditioner<Exec, T>& M, const SolverParams& params)
      : Base(exec, A, M, params, 5 * Base::block_of(params) + 1, Base::block_of(params)),
        shadow_(to_space<Space>(signs(A.rows(), A.first_row()))),
        p_(A.rows()),
        v_(A.rows()),
        t_(A.rows()),
        y_(Base::is_identity(M) ? 0 : A.rows()),
        z_(Base::is_identity(M) ? 0 : A.rows()),
        at_(1) {}

  /// The shadow residual r^: +1 and -1 in an order that looks random (random_bits of the row), the same in every run.
  /// The usual r^ = r is zero but beside sources and boundaries, and where a flow carries the residual away from them
  /// (r^, r) vanishes: of six problems of convection with order 1 to 3 five broke down with r^ = r, none with this
  /// (random shadows: Sonneveld & van Gijzen, SIAM J. Sci. Comput. 31 (2008) 1035-1062).
  static std::vector<T> signs(Index rows, Offset first_row) {
    std::vector<T> result(static_cast<std::size_t>(rows));
    for (Index row = 0; row < rows; ++row) result[row] = linalg::random_bits(first_row + row) & 1 ? T(1) : T(-1);
    return result;
  }

 private:
  using Base::A_, Base::block_, Base::exec_, Base::M_, Base::r_, Base::scalars_, Base::x_;
  using typename Base::Look;

  // Scalars of one block: (r^, v), (t, s), (t, t), (r, r), (r^, r), each [block]; then (r^, r^).
  double* rv(int i) { return scalars_.data() + i; }
  double* ts(int i) { return scalars_.data() + block_ + i; }
  double* tt(int i) { return scalars_.data() + 2 * block_ + i; }
  double* rr(int i) { return scalars_.data() + 3 * block_ + i; }
  double* rho(int i) { return scalars_.data() + 4 * block_ + i; }
  double* shadow_square() { return scalars_.data() + 5 * block_; }

  View<const T> precondition(View<const T> from, Array<T, Space>& to) {
    if (to.empty()) return from;
    M_->apply(exec_, from, to);
    return to;
  }

  void start(bool) override {
    broken_.clear();
    // p = r ; rho = (r^, r)
    linalg::copy(exec_, r_, p_.view());
    linalg::dot(exec_, shadow_.view(), r_, &at_.data()->rho);
    linalg::dot(exec_, shadow_.view(), shadow_, shadow_square());
  }

  void iterate(int count) override {
    using linalg::Scalar;
    BicgstabScalars* at = at_.data();
    for (int i = 0; i < count; ++i) {
      // y = M^-1 p ; v = A y ; alpha = rho / (r^, v)
      const View<const T> y = precondition(p_, y_);
      A_->apply(exec_, y, v_);
      linalg::dot(exec_, shadow_.view(), v_, rv(i));
      bicgstab_alpha(exec_, at, rv(i));
      // s = r - alpha v
      linalg::combine(exec_, r_.view(), Scalar{1}, {{-1, &at->alpha}, v_});
      // z = M^-1 s ; t = A z ; omega = (t, s) / (t, t)
      const View<const T> z = precondition(r_, z_);
      A_->apply(exec_, z, t_);
      linalg::dot_pair(exec_, t_.view(), r_, t_, t_, ts(i), tt(i));
      bicgstab_omega(exec_, at, ts(i), tt(i));
      // x += alpha y + omega z ; r = s - omega t
      linalg::combine(exec_, x_, Scalar{1}, {{1, &at->alpha}, y}, {{1, &at->omega}, z});
      linalg::combine(exec_, r_.view(), Scalar{1}, {{-1, &at->omega}, t_});
      // beta = (rho next / rho) (alpha / omega) ; p = r + beta (p - omega v)
      linalg::dot_pair(exec_, r_.view(), r_, shadow_, r_, rr(i), rho(i));
      bicgstab_beta(exec_, at, rho(i));
      linalg::combine(exec_, p_.view(), Scalar{1, &at->beta}, {{1}, r_}, {{-1, &at->beta_omega}, v_});
    }
  }

  bool may_break_down() const override { return true; }

  Look look(int i, int iteration) override {
    const double rv = this->host(i), ts = this->host(block_ + i), tt = this->host(2 * block_ + i),
                 rr = this->host(3 * block_ + i), rho = this->host(4 * block_ + i), shadow = this->host(5 * block_);
    if (!std::isfinite(rv) || !std::isfinite(tt) || !std::isfinite(rr) || !std::isfinite(rho))
      return {0, {}, Base::not_finite(iteration)};
    if (!broken_.empty()) return {0, broken_, {}};
    // Products that are rounding only: the next iteration would divide by them.
    constexpr double noise = std::numeric_limits<T>::epsilon();
    const auto breakdown = [&](const char* what) {
      return fmt::format(
          "bicgstab broke down in iteration {}: {} vanished; choose type = \"gmres\", with a restart of 200 where it "
          "stalls",
          iteration, what);
    };
    if (rv == 0) return {0, breakdown("(r^, A M^-1 p)"), {}};
    if (std::abs(rho) <= noise * std::sqrt(shadow * rr)) broken_ = breakdown("(r^, r)");
    if (tt == 0 || std::abs(ts) <= noise * std::sqrt(tt * rr)) broken_ = breakdown("omega");
    return {std::sqrt(rr), {}, {}};
  }

  Array<T, Space> shadow_, p_, v_, t_, y_, z_;
  Array<BicgstabScalars, Space> at_;
  std::string broken_;  ///< why the next iteration should not count
};

template <class Exec>
std::unique_ptr<Method<Exec>> make_bicgstab(const SolverParams& params) {
  return std::make_unique<KrylovMethod<Bicgstab, Exec>>(params, bicgstab_entry().needs);
}

}  // namespace tessera::solvers
