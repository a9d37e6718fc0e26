#include "solvers/grid/solve_grid_impl.hpp"

namespace tessera::solvers::grid {

template std::unique_ptr<Method<Cuda>> make_grid_method(const SolverParams&);

}  // namespace tessera::solvers::grid
