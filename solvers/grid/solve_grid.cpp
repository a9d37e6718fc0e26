#include "solvers/grid/solve_grid_impl.hpp"

namespace tessera::solvers::grid {

template Report solve_grid(Threads&, const linalg::Operator<Threads>&, View<const double>, View<double>,
                           const SolverParams&, const Monitor&, View<const double>);

}  // namespace tessera::solvers::grid
