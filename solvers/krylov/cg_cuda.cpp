#include "solvers/krylov/cg_impl.hpp"

namespace tessera::solvers {
template std::unique_ptr<Method<Cuda>> make_cg(const SolverParams&);
}  // namespace tessera::solvers
