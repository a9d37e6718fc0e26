#include "solvers/pmg/pmg_impl.hpp"

namespace tessera::solvers {

TESSERA_INSTANTIATE_PRECONDITIONER(make_pmg, Cuda, double);
TESSERA_INSTANTIATE_PRECONDITIONER(make_pmg, Cuda, float);

}  // namespace tessera::solvers
