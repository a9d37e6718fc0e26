#include "solvers/grid/nested_solver_impl.hpp"

namespace tessera::solvers::grid {
template class NestedSolver<Threads, double>;
template class NestedSolver<Threads, float>;
template class LineSolver<Threads, double>;
template class LineSolver<Threads, float>;
}  // namespace tessera::solvers::grid
