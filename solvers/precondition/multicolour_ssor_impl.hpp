#pragma once
// The multicolour SSOR preconditioner for one backend; only calls declared functions, so any compiler instantiates it.
#include <fmt/format.h>

#include "solvers/precondition/entries.hpp"
#include "solvers/precondition/multicolour.hpp"
#include "solvers/precondition/multicolour_ssor.hpp"

namespace tessera::solvers {

template <class Exec, class T>
class MulticolourSsor final : public Preconditioner<Exec, T> {
  using Space = typename Exec::Space;

 public:
  explicit MulticolourSsor(const SolverParams& params)
      : omega_(params.preconditioning.as<SweepParams>().relaxation), where_(params.where) {}

  std::string set_up(Exec& exec, const linalg::Operator<Exec>& A, const linalg::Operator<Exec, T>&, linalg::Sign sign,
                     Reuse reuse) override {
    if (reuse == Reuse::all) return {};
    Entries<Exec> read;  // for this set-up alone
    const linalg::CrsView<const double> entries = entries_of(exec, A, Reuse::nothing, read, "multicolour_ssor", where_);
    Array<T, Space> inverse;
    const std::string failure = invert_diagonal_of_sweeps(exec, A, sign, inverse);
    if (!failure.empty()) return failure;
    if (reuse == Reuse::pattern && A_.row_at.size() > 0) {
      refill_coloured(exec, entries, std::as_const(inverse).view(), omega_, A_);
      return {};
    }
    A_ = {};
    A_ = make_coloured(exec, entries, colour_rows(exec, entries), std::as_const(inverse).view(), omega_);
    if (A_.conflicts > 0)
      return fmt::format(
          "the pattern of the matrix is not symmetric, so {} entries lie between rows of one colour; choose "
          "preconditioner = \"jacobi\"",
          A_.conflicts);
    return {};
  }
  void apply(Exec& exec, View<const T> r, View<T> z) override { sweep(exec, A_, omega_, r, z); }

 private:
  ColouredMatrix<Space, T> A_;
  double omega_;
  deck::Where where_;
};

template <class Exec, class T>
std::unique_ptr<Preconditioner<Exec, T>> make_multicolour_ssor(const SolverParams& params) {
  return std::make_unique<MulticolourSsor<Exec, T>>(params);
}

}  // namespace tessera::solvers
