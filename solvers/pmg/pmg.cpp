#include "solvers/pmg/pmg_impl.hpp"

namespace tessera::solvers {
namespace {

/// D^-1, two vectors and one in float of all orders, whose rows are about 1/7 more than those of the first in space;
/// vectors of the lower ones, and at order 1, which has about 1/8 of the rows of order 2, a matrix and its hierarchy.
double bytes_of_pmg(const SolverParams&, const ProblemSize& size, double value) {
  const double lower = size.dim > 2 ? 1.0 / 8 : size.dim > 1 ? 1.0 / 4 : 1.0 / 2;
  const double transfers = 2 * 8 * (size.dim > 2 ? 12 : 6);
  ProblemSize last = size;
  last.rows *= lower;
  last.entries = last.rows * (size.dim > 2 ? 27 : 9) * size.block;
  return (3 * value + 4 + transfers) * size.rows + 20 * last.rows + amg_entry().bytes({}, last, 8) + 12 * last.entries;
}

}  // namespace

PreconditionerEntry pmg_entry() {
  return {.name = "pmg",
          .help =
              "multigrid over orders of elements, halved down to 1, with amg there: of order 2 and more, with a "
              "matrix and without; for cg",
          .needs = {.symmetric = true, .definite = true, .lower_orders = true},
          .bytes = bytes_of_pmg,
          .check_every = 1,
          TESSERA_MAKERS(make_pmg)};
}

TESSERA_INSTANTIATE_PRECONDITIONER(make_pmg, Threads, double);
TESSERA_INSTANTIATE_PRECONDITIONER(make_pmg, Threads, float);

}  // namespace tessera::solvers
