#include "solvers/krylov/minres_impl.hpp"

namespace tessera::solvers {
template std::unique_ptr<Method<Cuda>> make_minres(const SolverParams&);
}  // namespace tessera::solvers
