#pragma once
// The diagonal preconditioners for one backend; only calls declared functions, so any compiler instantiates it.
#include "base/link.hpp"
#include "solvers/precondition/entries.hpp"
#include "solvers/precondition/jacobi.hpp"

namespace tessera::solvers {

template <class Exec, class T>
class Identity final : public Preconditioner<Exec, T> {
 public:
  std::string set_up(Exec&, const linalg::Operator<Exec>&, const linalg::Operator<Exec, T>&, linalg::Sign,
                     Reuse) override {
    return {};
  }
  void apply(Exec& exec, View<const T> r, View<T> z) override { linalg::copy(exec, r, z); }
  std::optional<View<const T>> diagonal() const override { return View<const T>(); }
};

template <class Exec, class T>
class Jacobi final : public Preconditioner<Exec, T> {
 public:
  std::string set_up(Exec& exec, const linalg::Operator<Exec>& A, const linalg::Operator<Exec, T>&, linalg::Sign sign,
                     Reuse reuse) override {
    if (reuse == Reuse::all) return {};
    return invert_diagonal_of(exec, A, sign, inverse_);
  }
  void apply(Exec& exec, View<const T> r, View<T> z) override { linalg::multiply(exec, inverse_, r, z); }
  std::optional<View<const T>> diagonal() const override { return inverse_.view(); }

 private:
  Array<T, typename Exec::Space> inverse_;
};

template <class Exec, class T>
std::string invert_diagonal_of(Exec& exec, const linalg::Operator<Exec>& A, linalg::Sign sign,
                               Array<T, typename Exec::Space>& inverse) {
  using Space = typename Exec::Space;
  if (inverse.size() != A.rows()) inverse = Array<T, Space>(A.rows());
  Array<double, Space> wide(std::is_same_v<T, double> ? 0 : A.rows()), bad(1);
  View<double> diagonal = wide.view();
  if constexpr (std::is_same_v<T, double>) diagonal = inverse.view();
  A.diagonal(exec, diagonal);
  linalg::invert_diagonal(exec, diagonal, bad.data(), sign);
  if (to_vector(bad)[0] > 0) {
    A.diagonal(exec, diagonal);
    std::vector<double> host(static_cast<std::size_t>(A.rows()));
    copy_bytes(Space{}, diagonal.data(), Host{}, host.data(), host.size() * sizeof(double));
    return on_any_rank(exec, describe_bad_diagonal(host, sign));
  }
  if constexpr (!std::is_same_v<T, double>) linalg::convert(exec, View<const double>(diagonal), inverse.view());
  return {};
}

template <class Exec, class T>
std::unique_ptr<Preconditioner<Exec, T>> make_identity(const SolverParams&) {
  return std::make_unique<Identity<Exec, T>>();
}
template <class Exec, class T>
std::unique_ptr<Preconditioner<Exec, T>> make_jacobi(const SolverParams&) {
  return std::make_unique<Jacobi<Exec, T>>();
}

/// One line instantiates the above.
#define TESSERA_INSTANTIATE_JACOBI(Exec, T)                   \
  TESSERA_INSTANTIATE_PRECONDITIONER(make_identity, Exec, T); \
  TESSERA_INSTANTIATE_PRECONDITIONER(make_jacobi, Exec, T);   \
  template std::string invert_diagonal_of(Exec&, const linalg::Operator<Exec>&, linalg::Sign, Array<T, Exec::Space>&)

}  // namespace tessera::solvers
