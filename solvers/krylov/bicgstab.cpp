#include "solvers/krylov/bicgstab_impl.hpp"

namespace tessera::solvers {
namespace {

/// r, r^, p, v, t; M^-1 p and M^-1 s where M is not 1.
double bicgstab_vectors(const SolverParams&, Form form) { return form == Form::identity ? 5 : 7; }

}  // namespace

MethodEntry bicgstab_entry() {
  return {.name = "bicgstab",
          .help =
              "stabilised biconjugate gradients for matrices that need not be symmetric; two products an iteration, "
              "little memory",
          .needs = {},
          .bytes = krylov_bytes<bicgstab_vectors>,
          .make_threads = make_bicgstab<Threads>,
          .make_cuda = TESSERA_ON_CUDA(make_bicgstab<Cuda>)};
}

template std::unique_ptr<Method<Threads>> make_bicgstab(const SolverParams&);

}  // namespace tessera::solvers
