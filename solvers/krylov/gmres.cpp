#include "solvers/krylov/gmres_impl.hpp"

namespace tessera::solvers {
namespace {

/// The basis and one more, r, w; M^-1 w where M is not 1.
double gmres_vectors(const SolverParams& params, Form form) {
  return params.method.as<GmresParams>().restart + (form == Form::identity ? 3 : 4);
}

}  // namespace

MethodEntry gmres_entry() {
  return {.name = "gmres",
          .help =
              "generalised minimal residuals with `restart`, for matrices that need not be symmetric; robust, keeps "
              "`restart` vectors",
          .needs = {},
          .bytes = krylov_bytes<gmres_vectors>,
          .own = Keys<GmresParams>().key(
              "restart", &GmresParams::restart,
              {.help = "Vectors that are kept before it starts again; each costs 8 bytes an unknown.",
               .min = 1,
               .max = 500}),
          .make_threads = make_gmres<Threads>,
          .make_cuda = TESSERA_ON_CUDA(make_gmres<Cuda>)};
}

template std::unique_ptr<Method<Threads>> make_gmres(const SolverParams&);

}  // namespace tessera::solvers
