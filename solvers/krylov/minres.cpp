#include "solvers/krylov/minres_impl.hpp"

namespace tessera::solvers {
template Report solve_minres(Threads&, const linalg::Operator<Threads>&, View<const double>, View<double>,
                             const SolverParams&, const Monitor&, View<const double>);
}  // namespace tessera::solvers
