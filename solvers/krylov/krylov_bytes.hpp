#pragma once
#include "solvers/precondition/preconditioner.hpp"

namespace tessera::solvers {

/// Bytes of a vector in float, in whole cache lines.
inline Offset float_vector_bytes(Offset rows) { return (rows + 15) / 16 * 64; }

/// What a Krylov method of so many vectors takes with its preconditioner, in its precision.
double krylov_bytes_of(const SolverParams& params, const ProblemSize& size,
                       double (*vectors)(const SolverParams&, Form));

/// The same, for the table.
template <double (*vectors)(const SolverParams&, Form)>
double krylov_bytes(const SolverParams& params, const ProblemSize& size) {
  return krylov_bytes_of(params, size, vectors);
}

}  // namespace tessera::solvers
