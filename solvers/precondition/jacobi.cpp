#include "solvers/precondition/jacobi_impl.hpp"

#include <fmt/format.h>

#include <cmath>

namespace tessera::solvers {

std::string describe_bad_diagonal(const std::vector<double>& diagonal, linalg::Sign sign) {
  for (std::size_t row = 0; row < diagonal.size(); ++row) {
    const double value = sign == linalg::Sign::positive ? diagonal[row] : std::abs(diagonal[row]);
    if (value > 0 && 1 / value > 0 && std::isfinite(1 / value)) continue;
    if (sign == linalg::Sign::positive)
      return fmt::format(
          "the diagonal entry of row {} is {}, so the matrix is not positive definite; look for an unknown without an "
          "equation or a coefficient that is zero, negative or not a number",
          row, diagonal[row]);
    return fmt::format(
        "the diagonal entry of row {} is {}, and the preconditioner divides by it; choose preconditioner = \"none\", "
        "or look "
        "for an unknown without an equation or a coefficient that is not a number",
        row, diagonal[row]);
  }
  return {};
}

PreconditionerEntry identity_entry() {
  return {.name = "none",
          .help = "the plain method",
          .form = Form::identity,
          .bytes = [](const SolverParams&, const ProblemSize&, double) { return 0.0; },
          TESSERA_MAKERS(make_identity)};
}

PreconditionerEntry jacobi_entry() {
  return {.name = "jacobi",
          .help = "division by the diagonal; helps where coefficients or cell sizes differ",
          .form = Form::diagonal,
          .bytes = [](const SolverParams&, const ProblemSize& size, double value) { return value * size.rows; },
          TESSERA_MAKERS(make_jacobi)};
}

TESSERA_INSTANTIATE_JACOBI(Threads, double);
TESSERA_INSTANTIATE_JACOBI(Threads, float);

}  // namespace tessera::solvers
