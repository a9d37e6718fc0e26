#include "solvers/tridiagonal/instantiate.hpp"

namespace tessera::solvers::tridiagonal {
TESSERA_INSTANTIATE_TRIDIAGONAL(Threads, double);
TESSERA_INSTANTIATE_TRIDIAGONAL(Threads, float);
}  // namespace tessera::solvers::tridiagonal
