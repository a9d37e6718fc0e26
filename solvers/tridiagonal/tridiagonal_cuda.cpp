#include "solvers/tridiagonal/front_impl.hpp"

namespace tessera::solvers {
template class TridiagonalSolver<Cuda, double>;
template class TridiagonalSolver<Cuda, float>;
}  // namespace tessera::solvers
