#include "solvers/eigen/lowest_impl.hpp"

namespace tessera::solvers {

template EigenReport lowest_eigenpairs(Cuda&, const EigenProblem<Cuda>&, const SolverParams&, Array<double, Device>&,
                                       const Monitor&);

}  // namespace tessera::solvers
