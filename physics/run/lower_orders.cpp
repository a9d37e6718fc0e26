#include "physics/run/lower_orders_impl.hpp"

#include <fmt/format.h>

namespace tessera::physics {

void check_lower_orders(const CommonParams& params, bool nonlinear) {
  if (!solvers::wants_lower_orders(params.solver)) return;
  const auto refuse = [&](const std::string& why, const std::string& instead) {
    throw Error(ExitCode::usage, fmt::format("the preconditioner \"{}\" {}", params.solver.preconditioner, why),
                fmt::format("choose preconditioner = {}", instead), solvers::place(params.solver, "preconditioner"));
  };
  if (params.physics.order < 2)
    refuse(fmt::format("goes from the order of the elements down to 1, and physics.order = {}", params.physics.order),
           "\"amg\"");
  if (params.time) refuse("is for stationary problems", "\"jacobi\"");
  if (nonlinear) refuse("is for coefficients that do not depend on the solution", "\"jacobi\"");
}

TESSERA_INSTANTIATE_LOWER_ORDERS(Threads);

}  // namespace tessera::physics
