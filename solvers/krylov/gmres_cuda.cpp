#include "solvers/krylov/gmres_impl.hpp"

namespace tessera::solvers {
template std::unique_ptr<Method<Cuda>> make_gmres(const SolverParams&);
}  // namespace tessera::solvers
