#pragma once
#include "base/error.hpp"
#include "solvers/entries.hpp"
#include "solvers/params.hpp"
#include "solvers/precondition/preconditioner.hpp"

namespace tessera::solvers {

/// The entries of A for a preconditioner that sweeps over them; `entries` holds a copy where A makes one. Throws
/// Error(usage) where A has none.
template <class Exec>
linalg::CrsView<const double> entries_of(Exec& exec, const linalg::Operator<Exec>& A, Reuse reuse,
                                         Entries<Exec>& entries, const std::string& preconditioner,
                                         const deck::Where& where) {
  if (A.has_entries()) return entries.of(exec, A, reuse);
  throw Error(ExitCode::usage,
              "the preconditioner '" + preconditioner +
                  "' needs the entries of the matrix in CRS, but its format is '" + A.format() + "'",
              "choose preconditioner = \"chebyshev\" or \"jacobi\", or matrix.format = \"crs\"", where);
}

/// The inverse diagonal for Gauss-Seidel sweeps: where M must be positive definite, so must the diagonal itself be.
template <class Exec, class T>
std::string invert_diagonal_of_sweeps(Exec& exec, const linalg::Operator<Exec>& A, linalg::Sign sign,
                                      Array<T, typename Exec::Space>& inverse) {
  std::string failure =
      invert_diagonal_of(exec, A, sign == linalg::Sign::magnitude ? linalg::Sign::positive : sign, inverse);
  if (!failure.empty() && sign == linalg::Sign::magnitude)
    failure += "; for an indefinite one choose preconditioner = \"jacobi\"";
  return failure;
}

/// One line instantiates the maker of a preconditioner for a backend and a type.
#define TESSERA_INSTANTIATE_PRECONDITIONER(make, Exec, T) \
  template std::unique_ptr<Preconditioner<Exec, T>> make(const SolverParams&)

}  // namespace tessera::solvers
