#include "solvers/krylov/minres_impl.hpp"

namespace tessera::solvers {
namespace {

/// r, and v, z, w twice.
double minres_vectors(const SolverParams&, Form) { return 7; }

}  // namespace

MethodEntry minres_entry() {
  return {.name = "minres",
          .help = "minimal residuals for symmetric matrices, also indefinite ones",
          .needs = {.symmetric = true},
          .bytes = krylov_bytes<minres_vectors>,
          .make_threads = make_minres<Threads>,
          .make_cuda = TESSERA_ON_CUDA(make_minres<Cuda>)};
}

template std::unique_ptr<Method<Threads>> make_minres(const SolverParams&);

}  // namespace tessera::solvers
