#pragma once
// make_multicolour_ssor for one backend; only calls declared functions, so any compiler instantiates it.
#include <fmt/format.h>

#include "solvers/precondition/entries.hpp"
#include "solvers/precondition/multicolour.hpp"

namespace tessera::solvers {

template <class Exec, class T>
class MulticolourSsor final : public Preconditioner<Exec, T> {
 public:
  MulticolourSsor(ColouredMatrix<typename Exec::Space, T> A, double omega) : A_(std::move(A)), omega_(omega) {}
  void apply(Exec& exec, View<const T> r, View<T> z) override { sweep(exec, A_, omega_, r, z); }

 private:
  ColouredMatrix<typename Exec::Space, T> A_;
  double omega_;
};

template <class Exec, class T>
std::unique_ptr<Preconditioner<Exec, T>> make_multicolour_ssor(Exec& exec, const linalg::Operator<Exec>& A,
                                                               const linalg::Operator<Exec, T>&,
                                                               const SolverParams& params, linalg::Sign sign,
                                                               std::string& failure) {
  const linalg::CrsView<const double> entries = entries_of(A, params);
  const auto inverse = inverse_diagonal_of_sweeps<Exec, T>(exec, A, sign, failure);
  if (!failure.empty()) return nullptr;
  auto coloured = make_coloured(exec, entries, colour_rows(exec, entries), inverse.view(), params.relaxation);
  if (coloured.conflicts > 0) {
    failure = fmt::format(
        "the pattern of the matrix is not symmetric, so {} entries lie between rows of one colour; choose "
        "preconditioner = \"jacobi\"",
        coloured.conflicts);
    return nullptr;
  }
  return std::make_unique<MulticolourSsor<Exec, T>>(std::move(coloured), params.relaxation);
}

}  // namespace tessera::solvers
