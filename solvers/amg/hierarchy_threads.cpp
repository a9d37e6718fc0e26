#include "solvers/amg/hierarchy_impl.hpp"

namespace tessera::solvers::amg {
TESSERA_INSTANTIATE_HIERARCHY(Threads, float);
TESSERA_INSTANTIATE_HIERARCHY(Threads, double);
}  // namespace tessera::solvers::amg
