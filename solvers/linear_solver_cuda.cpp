#include "solvers/linear_solver_impl.hpp"

namespace tessera::solvers {
template class LinearSolver<Cuda>;
}  // namespace tessera::solvers
