#include "solvers/precondition/multicolour_ssor_impl.hpp"

namespace tessera::solvers {
TESSERA_INSTANTIATE_PRECONDITIONER(make_multicolour_ssor, Threads, double);
TESSERA_INSTANTIATE_PRECONDITIONER(make_multicolour_ssor, Threads, float);
}  // namespace tessera::solvers
