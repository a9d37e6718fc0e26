#include "solvers/krylov/cg_impl.hpp"

namespace tessera::solvers {
template Report solve_cg(Cuda&, const linalg::Operator<Cuda>&, View<const double>, View<double>, const SolverParams&,
                         const Monitor&, View<const double>);
}  // namespace tessera::solvers
