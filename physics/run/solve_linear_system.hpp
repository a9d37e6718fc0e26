#pragma once
// One linear system, solved as the deck says: where multigrid was chosen automatically and does not do, by jacobi.
#include <functional>

#include "physics/run/solve.hpp"

namespace tessera::physics {

/// Calls `make`, which makes a part of the preconditioner before the system is there. Returns false where there is too
/// little memory for it and it was chosen automatically: `params` then have jacobi in its place, or block_jacobi of
/// several unknowns a node, with a warning, and the summary says so. Over ranks those of an error that all of them have
/// (on_each_rank); they fall back together.
bool prepare_preconditioner(CommonParams& params, const Discretisation& space, const std::function<void()>& make,
                            output::Summary& summary);

/// Solves A x = b as the deck says. x [rows] is made. A preconditioner that was chosen automatically makes way for
/// jacobi, or block_jacobi, with a warning, where its set-up finds too little memory, where it finds A not to be
/// definite, or where the residual has ceased to fall; `let_go` is called before, and gives back what that
/// preconditioner alone has asked for. What has become smaller is gone on with. Phase: solve. Collective where ranks
/// share A.
template <class Exec>
solvers::Report solve_linear_system(Exec& exec, const linalg::Operator<Exec>& A, View<const double> b,
                                    const solvers::SolverParams& params, const Context& context,
                                    Array<double, typename Exec::Space>& x, const Start& start = {},
                                    const std::function<void()>& let_go = {});

}  // namespace tessera::physics
