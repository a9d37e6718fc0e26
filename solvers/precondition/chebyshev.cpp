#include "solvers/precondition/chebyshev_impl.hpp"

namespace tessera::solvers {

PreconditionerEntry chebyshev_entry() {
  return {.name = "chebyshev",
          .help =
              "`degree` steps of the Chebyshev iteration with the diagonal; products only, so it suits operators "
              "without entries; for cg",
          .needs = {.symmetric = true, .definite = true},
          .bytes = [](const SolverParams&, const ProblemSize& size, double value) { return 3 * value * size.rows; },
          .set_up_bytes = [](const SolverParams&,
                             const ProblemSize& size) { return 40 * size.rows; },  // D^-1, x, r, p, q in double
          .own = Keys<ChebyshevParams>().key(
              "degree", &ChebyshevParams::degree,
              {.help = "Products with the matrix in each application.", .min = 1, .max = 50}),
          TESSERA_MAKERS(make_chebyshev)};
}

TESSERA_INSTANTIATE_PRECONDITIONER(make_chebyshev, Threads, double);
TESSERA_INSTANTIATE_PRECONDITIONER(make_chebyshev, Threads, float);

}  // namespace tessera::solvers
