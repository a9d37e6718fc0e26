#include "solvers/amg/amg_impl.hpp"

namespace tessera::solvers {

TESSERA_INSTANTIATE_PRECONDITIONER(make_amg, Cuda, double);
TESSERA_INSTANTIATE_PRECONDITIONER(make_amg, Cuda, float);

}  // namespace tessera::solvers
