#include "solvers/precondition/jacobi_impl.hpp"

namespace tessera::solvers {

TESSERA_INSTANTIATE_JACOBI(Cuda, double);
TESSERA_INSTANTIATE_JACOBI(Cuda, float);

}  // namespace tessera::solvers
