#include "solvers/krylov/gmres_impl.hpp"

namespace tessera::solvers {
template Report solve_gmres(Cuda&, const linalg::Operator<Cuda>&, View<const double>, View<double>, const SolverParams&,
                            const Monitor&, View<const double>);
}  // namespace tessera::solvers
