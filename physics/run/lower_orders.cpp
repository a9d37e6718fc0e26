#include "physics/run/lower_orders_impl.hpp"

#include <fmt/format.h>

#include "physics/run/plan.hpp"
#include "physics/time_scheme.hpp"

namespace tessera::physics {

void check_lower_orders(const CommonParams& params) {
  if (!solvers::wants_lower_orders(params.solver) || params.physics.order >= 2) return;
  if (params.time && !is_implicit(*params.time)) return;  // which solves no systems, and says so
  throw Error(
      ExitCode::usage,
      fmt::format("the preconditioner \"{}\" goes from the order of the elements down to 1, and physics.order = "
                  "{}",
                  params.solver.preconditioner, params.physics.order),
      "choose preconditioner = \"amg\"", solvers::place(params.solver, "preconditioner"));
}

/// Each cell is of some part, which says what it would do if it were the whole.
std::string why_without_matrix_of_all(const CommonParams& params, Discretisation& part) {
  Communicator* const ranks = std::exchange(part.ranks, nullptr);
  std::string why = plan_operator(params, part).why;
  part.ranks = ranks;
  if (any(*ranks, why.empty())) why.clear();
  return why;
}

TESSERA_INSTANTIATE_LOWER_ORDERS(Threads);

}  // namespace tessera::physics
