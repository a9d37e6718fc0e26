#include "solvers/amg/node_hierarchy_impl.hpp"

namespace tessera::solvers::amg {
TESSERA_INSTANTIATE_NODE_HIERARCHY(Cuda, float);
TESSERA_INSTANTIATE_NODE_HIERARCHY(Cuda, double);
}  // namespace tessera::solvers::amg
