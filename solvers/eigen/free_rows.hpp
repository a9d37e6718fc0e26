#pragma once
#include "base/types.hpp"
#include "solvers/params.hpp"

namespace tessera::solvers {

/// Throws Error(usage) where `params` ask for more eigenpairs than the problem has free rows.
void require_free_rows(const SolverParams& params, Offset free);

}  // namespace tessera::solvers
