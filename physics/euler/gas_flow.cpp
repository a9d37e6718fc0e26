#include "physics/euler/gas_flow_impl.hpp"

namespace tessera::physics::euler {
template std::unique_ptr<Flow<Threads>> make_flow(Threads&, const Problem&, output::Summary&);
}  // namespace tessera::physics::euler
