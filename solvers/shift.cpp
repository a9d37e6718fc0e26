#include "solvers/shift_impl.hpp"

namespace tessera::solvers {
template Report solve_plain(Threads&, Method<Threads>, const linalg::Operator<Threads>&, View<const double>,
                            View<double>, const SolverParams&, const Monitor&);
template Report solve_shifted(Threads&, Method<Threads>, const linalg::Operator<Threads>&, View<const double>,
                              View<double>, const SolverParams&, const Monitor&, const Known&);
}  // namespace tessera::solvers
