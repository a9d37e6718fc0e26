#include "solvers/shift_impl.hpp"

namespace tessera::solvers {
template Report solve_plain(Cuda&, Method<Cuda>, const linalg::Operator<Cuda>&, View<const double>, View<double>,
                            const SolverParams&, const Monitor&);
template Report solve_shifted(Cuda&, Method<Cuda>, const linalg::Operator<Cuda>&, View<const double>, View<double>,
                              const SolverParams&, const Monitor&, const Known&);
}  // namespace tessera::solvers
