#include "solvers/precondition/multicolour_ssor_impl.hpp"

namespace tessera::solvers {
TESSERA_INSTANTIATE_PRECONDITIONER(make_multicolour_ssor, Cuda, double);
TESSERA_INSTANTIATE_PRECONDITIONER(make_multicolour_ssor, Cuda, float);
}  // namespace tessera::solvers
