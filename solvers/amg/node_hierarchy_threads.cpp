#include "solvers/amg/node_hierarchy_impl.hpp"

namespace tessera::solvers::amg {
TESSERA_INSTANTIATE_NODE_HIERARCHY(Threads, float);
TESSERA_INSTANTIATE_NODE_HIERARCHY(Threads, double);
}  // namespace tessera::solvers::amg
