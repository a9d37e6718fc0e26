#include "solvers/precondition/chebyshev_impl.hpp"

namespace tessera::solvers {
TESSERA_INSTANTIATE_PRECONDITIONER(make_chebyshev, Threads, double);
TESSERA_INSTANTIATE_PRECONDITIONER(make_chebyshev, Threads, float);
}  // namespace tessera::solvers
