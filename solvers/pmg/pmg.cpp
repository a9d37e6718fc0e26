#include "solvers/pmg/pmg_impl.hpp"

namespace tessera::solvers {
namespace {

/// In single precision A itself, where it has entries, D^-1 and two vectors of all orders, whose rows are about 1/7
/// more than those of the first in space, and r and z in it; transfers, of which quadratic simplices have the largest
/// ones, by far; and at order 1, which has about 1/8 of the rows of order 2, a matrix and its hierarchy.
/// `of_amg`: bytes of that hierarchy.
double bytes_beside(const ProblemSize& size, double value, double (*of_amg)(const ProblemSize& last)) {
  const double lower = size.dim > 2 ? 1.0 / 8 : size.dim > 1 ? 1.0 / 4 : 1.0 / 2;
  const double transfers = size.dim > 2 && size.entries > 0 ? 60 : 48;
  constexpr double vectors = 26;
  ProblemSize last = size;
  last.rows *= lower;
  last.entries = last.rows * (size.dim > 2 ? 27 : 9) * size.block;
  const double copy = value > 4 ? 4 * size.entries + 8 * size.rows : 0;
  return copy + (transfers + vectors) * size.rows + 16 * last.rows + of_amg(last) + 12 * last.entries;
}
double bytes_of_pmg(const SolverParams&, const ProblemSize& size, double value) {
  return bytes_beside(size, value, [](const ProblemSize& last) { return amg_entry().bytes({}, last, 8); });
}
double set_up_bytes_of_pmg(const SolverParams& params, const ProblemSize& size) {
  const double value = params.precision == "double" ? 8 : 4;
  return bytes_beside(size, value, [](const ProblemSize& last) { return amg_entry().set_up_bytes({}, last); });
}

}  // namespace

PreconditionerEntry pmg_entry() {
  return {.name = "pmg",
          .help =
              "multigrid over orders of elements, halved down to 1, with amg there: of order 2 and more, with a "
              "matrix and without; for cg",
          .needs = {.symmetric = true, .definite = true, .lower_orders = true},
          .bytes = bytes_of_pmg,
          .set_up_bytes = set_up_bytes_of_pmg,
          .check_every = 1,
          TESSERA_MAKERS(make_pmg)};
}

TESSERA_INSTANTIATE_PRECONDITIONER(make_pmg, Threads, double);
TESSERA_INSTANTIATE_PRECONDITIONER(make_pmg, Threads, float);

}  // namespace tessera::solvers
