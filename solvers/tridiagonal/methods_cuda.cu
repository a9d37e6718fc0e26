#include "solvers/tridiagonal/instantiate.hpp"

namespace tessera::solvers::tridiagonal {
TESSERA_INSTANTIATE_TRIDIAGONAL(Cuda, double);
TESSERA_INSTANTIATE_TRIDIAGONAL(Cuda, float);
}  // namespace tessera::solvers::tridiagonal
