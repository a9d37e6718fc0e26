#include "solvers/precondition/block_jacobi_impl.hpp"

namespace tessera::solvers {

TESSERA_INSTANTIATE_PRECONDITIONER(make_block_jacobi, Cuda, double);
TESSERA_INSTANTIATE_PRECONDITIONER(make_block_jacobi, Cuda, float);

}  // namespace tessera::solvers
