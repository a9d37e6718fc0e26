#include "solvers/krylov/bicgstab_impl.hpp"

namespace tessera::solvers {
template std::unique_ptr<Method<Cuda>> make_bicgstab(const SolverParams&);
}  // namespace tessera::solvers
