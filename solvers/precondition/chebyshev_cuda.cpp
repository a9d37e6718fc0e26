#include "solvers/precondition/chebyshev_impl.hpp"

namespace tessera::solvers {
TESSERA_INSTANTIATE_PRECONDITIONER(make_chebyshev, Cuda, double);
TESSERA_INSTANTIATE_PRECONDITIONER(make_chebyshev, Cuda, float);
}  // namespace tessera::solvers
