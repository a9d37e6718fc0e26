#pragma once
#include "solvers/precondition/preconditioner.hpp"

namespace tessera::solvers {

/// The preconditioners that a deck may name; `tessera list preconditioners` prints this table.
const std::vector<PreconditionerEntry>& preconditioner_table();

/// The one that `params` names, for a method of type T. Throws Error(usage) when this backend lacks it.
template <class Exec, class T>
std::unique_ptr<Preconditioner<Exec, T>> make_preconditioner(const SolverParams& params);

}  // namespace tessera::solvers
