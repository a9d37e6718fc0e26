#include "solvers/krylov/cg_impl.hpp"

namespace tessera::solvers {
namespace {

/// r, p, q, and z where M is no diagonal; or r, p, s, w, and u = M^-1 r where M is not 1.
double cg_vectors(const SolverParams& params, Form form) {
  if (params.method.as<CgParams>().variant == "standard") return form == Form::general ? 4 : 3;
  return form == Form::identity ? 4 : 5;
}

}  // namespace

MethodEntry cg_entry() {
  return {.name = "cg",
          .help = "conjugate gradients for symmetric positive definite matrices, preconditioned",
          .needs = {.symmetric = true, .definite = true},
          .bytes = krylov_bytes<cg_vectors>,
          .own = Keys<CgParams>().key("variant", &CgParams::variant,
                                      {.help = "single_reduction needs the sums of an iteration at one point only.",
                                       .choices = {"standard", "single_reduction"}}),
          .make_threads = make_cg<Threads>,
          .make_cuda = TESSERA_ON_CUDA(make_cg<Cuda>)};
}

template std::unique_ptr<Method<Threads>> make_cg(const SolverParams&);

}  // namespace tessera::solvers
