#include "solvers/krylov/krylov_bytes.hpp"

#include <algorithm>

#include "solvers/precondition/table.hpp"
#include "solvers/registry.hpp"

namespace tessera::solvers {

double krylov_bytes_of(const SolverParams& params, const ProblemSize& size,
                       double (*vectors)(const SolverParams&, Form)) {
  const PreconditionerEntry& preconditioner =
      find(preconditioner_table(), params.preconditioner, "preconditioner", params.where);
  const double value = params.precision == "double" ? 8 : 4;
  double bytes = vectors(params, preconditioner.form) * value * size.rows + preconditioner.bytes(params, size, value);
  if (preconditioner.set_up_bytes) bytes = std::max(bytes, preconditioner.set_up_bytes(params, size));
  // A in float, with what rounding took from the sums of each row; r in double and the correction, or b and x in float.
  if (params.precision != "double") bytes += 4 * size.entries + (size.entries > 0 ? 4 * size.block * size.rows : 0);
  if (params.precision == "mixed") bytes += 12 * size.rows;
  if (params.precision == "float") bytes += 8 * size.rows;
  return bytes;
}

}  // namespace tessera::solvers
