#include "solvers/grid/sine_solver_impl.hpp"

namespace tessera::solvers::grid {

template std::unique_ptr<GridSolver<Cuda, double>> make_sine_transform(Cuda&, const GridProblem&,
                                                                       const FastPoissonOptions&);
template std::unique_ptr<GridSolver<Cuda, float>> make_sine_transform(Cuda&, const GridProblem&,
                                                                      const FastPoissonOptions&);

}  // namespace tessera::solvers::grid
