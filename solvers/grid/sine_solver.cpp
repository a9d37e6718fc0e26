#include "solvers/grid/sine_solver_impl.hpp"

namespace tessera::solvers::grid {

template std::unique_ptr<GridSolver<Threads, double>> make_sine_transform(Threads&, const GridProblem&,
                                                                          const FastPoissonOptions&);
template std::unique_ptr<GridSolver<Threads, float>> make_sine_transform(Threads&, const GridProblem&,
                                                                         const FastPoissonOptions&);

}  // namespace tessera::solvers::grid
