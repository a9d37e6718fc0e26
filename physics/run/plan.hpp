#pragma once
// With a matrix or without: what assembly.strategy, the format, the solver and the elements of a deck amount to.
#include <string>

#include "assembly/cells/assembler.hpp"
#include "physics/model.hpp"
#include "solvers/method.hpp"

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

/// What the system of one rank takes part in, and the memory that is free for it: of ranks the most that one has and
/// the least that is free, so that all of them choose the same. Ranks of threads are taken to share one host.
struct RoomOfSystem {
  solvers::ProblemSize size;
  double free = 0;
};
/// `planned_ranks`: that are to share a space which one has. Collective where ranks share the space.
RoomOfSystem room_of(const CommonParams& params, const Discretisation& space, int planned_ranks = 1);

/// Replaces preconditioner = "auto" by what the run takes, and says why. `one_system`: one linear system is solved,
/// from a start that knows nothing; else it is jacobi, or block_jacobi of several unknowns a node. Collective where
/// ranks share the space, and the same on all of them. `planned_ranks`: that are to share a space which one has.
std::string settle_preconditioner(CommonParams& params, const Traits& traits, const Discretisation& space,
                                  bool one_system, int planned_ranks = 1);

/// "assembly" of the summary, of a matrix and of an operator without one.
void summarise_assembly(const assembly::AssemblyReport& report, output::Summary& summary);
void summarise_assembly(const Plan& without_matrix, output::Summary& summary);

}  // namespace tessera::physics
