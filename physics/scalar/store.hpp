#pragma once
// The assembled matrix in the format of the deck.
#include <fmt/format.h>

#include "base/profile.hpp"
#include "linalg/formats.hpp"
#include "physics/scalar/system.hpp"
#include "solvers/solve.hpp"

namespace tessera::physics::scalar {

/// Takes the matrix over into the format that the deck asks for. "auto" stays with CRS where the preconditioner sweeps over entries.
template <class Exec>
void store(Exec& exec, const Params& params, System<Exec>& system, output::Summary& summary) {
  const MatrixParams& asked = params.matrix;
  const bool entries = asked.format == "auto" && solvers::needs_entries(params.solver);
  std::string why = fmt::format("{} needs the entries in rows",
                                solvers::is_direct(params.solver) ? "the direct solver" : "the preconditioner");
  {
    Scope scope(exec, "convert");
    try {
      system.A = linalg::make_operator(exec, system.matrix, entries ? "crs" : asked.format, entries ? nullptr : &why);
    } catch (const Error& error) {
      throw error.where() ? error : Error(error.code(), error.what(), error.help(), asked.where);
    }
  }
  if (!system.A->entries()) system.matrix = {};
  summary.set("matrix.format", system.A->format());
  summary.set("matrix.why", why);
}

}  // namespace tessera::physics::scalar
