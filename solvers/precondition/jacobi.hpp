#pragma once
#include "solvers/precondition/preconditioner.hpp"

namespace tessera::solvers {

/// M = 1.
PreconditionerEntry identity_entry();
/// M = diag(A), or |diag(A)|: one value a row.
PreconditionerEntry jacobi_entry();

template <class Exec, class T>
std::unique_ptr<Preconditioner<Exec, T>> make_identity(const SolverParams& params);
template <class Exec, class T>
std::unique_ptr<Preconditioner<Exec, T>> make_jacobi(const SolverParams& params);

}  // namespace tessera::solvers
