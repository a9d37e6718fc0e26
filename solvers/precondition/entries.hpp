#pragma once
#include "base/error.hpp"
#include "solvers/params.hpp"
#include "solvers/precondition/preconditioner.hpp"

namespace tessera::solvers {

/// The entries of A for a preconditioner that sweeps over them. Throws Error(usage) where A does not store them in CRS.
template <class Exec>
linalg::CrsView<const double> entries_of(const linalg::Operator<Exec>& A, const SolverParams& params) {
  if (!A.crs())
    throw Error(ExitCode::usage,
                "the preconditioner '" + params.preconditioner + "' needs the entries of the matrix in CRS, but its format is '" +
                    A.format() + "'",
                "choose preconditioner = \"chebyshev\" or \"jacobi\", or matrix.format = \"crs\"", params.where);
  return A.crs()->view();
}

/// One line instantiates the maker of a preconditioner for a backend and a type.
#define TESSERA_INSTANTIATE_PRECONDITIONER(make, Exec, T)                                                              \
  template std::unique_ptr<Preconditioner<Exec, T>> make(Exec&, const linalg::Operator<Exec>&,                         \
                                                         const linalg::Operator<Exec, T>&, const SolverParams&,        \
                                                         linalg::Sign, std::string&)

}  // namespace tessera::solvers
