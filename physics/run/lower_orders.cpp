#include "physics/run/lower_orders_impl.hpp"

#include <fmt/format.h>

namespace tessera::physics {

void check_lower_orders(const CommonParams& params) {
  if (!solvers::wants_lower_orders(params.solver)) return;
  if (params.physics.order >= 2) return;
  throw Error(
      ExitCode::usage,
      fmt::format("the preconditioner \"{}\" goes from the order of the elements down to 1, and physics.order = "
                  "{}",
                  params.solver.preconditioner, params.physics.order),
      "choose preconditioner = \"amg\"", solvers::place(params.solver, "preconditioner"));
}

TESSERA_INSTANTIATE_LOWER_ORDERS(Threads);

}  // namespace tessera::physics
