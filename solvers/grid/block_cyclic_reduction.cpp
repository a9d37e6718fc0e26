#include "solvers/grid/block_cyclic_reduction_impl.hpp"

namespace tessera::solvers::grid {
template std::unique_ptr<GridSolver<Threads, double>> make_block_cyclic_reduction(Threads&, const GridProblem&,
                                                                                  const FastPoissonOptions&);
template std::unique_ptr<GridSolver<Threads, float>> make_block_cyclic_reduction(Threads&, const GridProblem&,
                                                                                 const FastPoissonOptions&);
}  // namespace tessera::solvers::grid
