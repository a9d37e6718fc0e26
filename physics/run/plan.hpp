#pragma once
// With a matrix or without: what assembly.strategy, the format, the solver and the elements of a deck amount to.
#include <string>

#include "assembly/cells/assembler.hpp"
#include "physics/model.hpp"

namespace tessera::physics {

/// The highest order of an assembled matrix.
inline constexpr int most_assembled_order = 4;

/// Whether the operator is applied without a matrix, and why.
struct Plan {
  bool matrix_free = false;
  std::string why;
};
/// Throws Error(usage) where strategy, format, solver and order do not go together. Of models that have both.
Plan plan_operator(const CommonParams& params, const Discretisation& space);

/// Replaces preconditioner = "auto" by what the run takes, and says why: jacobi where there are steps in time, several
/// ranks, or no CRS matrix, else what solvers/automatic.hpp says. `shared`: whether ranks are to share the run.
std::string settle_preconditioner(CommonParams& params, const Discretisation& space, bool shared);

/// "assembly" of the summary, of a matrix and of an operator without one.
void summarise_assembly(const assembly::AssemblyReport& report, output::Summary& summary);
void summarise_assembly(const Plan& without_matrix, output::Summary& summary);

}  // namespace tessera::physics
