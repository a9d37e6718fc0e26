#include "solvers/grid/nested_solver_impl.hpp"

namespace tessera::solvers::grid {
template class NestedSolver<Cuda, double>;
template class NestedSolver<Cuda, float>;
template class LineSolver<Cuda, double>;
template class LineSolver<Cuda, float>;
}  // namespace tessera::solvers::grid
