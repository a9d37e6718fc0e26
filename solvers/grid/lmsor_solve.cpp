#include "solvers/grid/lmsor_solve_impl.hpp"

namespace tessera::solvers::grid {

template LmsorReport solve_lmsor<Threads>(Threads&, const LmsorProblem&, View<double>, const LmsorParams&,
                                          const Monitor&);

}  // namespace tessera::solvers::grid
