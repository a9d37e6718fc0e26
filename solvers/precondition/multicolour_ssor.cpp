#include "solvers/precondition/multicolour_ssor_impl.hpp"

namespace tessera::solvers {
namespace {

/// Entries in the order of colours, about a tenth of them padding on CUDA; omega / diagonal, row and starts of slices.
/// And, while it is set up, a copy of the entries.
double bytes_of_multicolour(const SolverParams&, const ProblemSize& size, double value) {
  const double entries = (size.entries - size.rows) * (size.on_cuda ? 1.1 : 1.0);
  return (value + 4) * entries + (value + 4) * size.rows + 16 * size.rows / (size.on_cuda ? 32 : 1) +
         copied_entries_bytes(size);
}

}  // namespace

PreconditionerEntry multicolour_ssor_entry() {
  return {.name = "multicolour_ssor",
          .help =
              "the same sweeps in parallel, colour after colour; about half the iterations of jacobi, each about "
              "three times as long",
          .needs = {.entries = true},
          .bytes = bytes_of_multicolour,
          .own = sweep_keys(),
          TESSERA_MAKERS(make_multicolour_ssor)};
}

TESSERA_INSTANTIATE_PRECONDITIONER(make_multicolour_ssor, Threads, double);
TESSERA_INSTANTIATE_PRECONDITIONER(make_multicolour_ssor, Threads, float);

}  // namespace tessera::solvers
