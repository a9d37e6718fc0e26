#include "solvers/amg/hierarchy_impl.hpp"

namespace tessera::solvers::amg {
TESSERA_INSTANTIATE_HIERARCHY(Cuda, float);
TESSERA_INSTANTIATE_HIERARCHY(Cuda, double);
}  // namespace tessera::solvers::amg
