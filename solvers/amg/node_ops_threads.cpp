#include "solvers/amg/node_ops_impl.hpp"
#include "solvers/amg/node_product_threads.hpp"

namespace tessera::solvers::amg {
TESSERA_INSTANTIATE_NODE_CYCLE(Threads, float);
TESSERA_INSTANTIATE_NODE_CYCLE(Threads, double);
}  // namespace tessera::solvers::amg
