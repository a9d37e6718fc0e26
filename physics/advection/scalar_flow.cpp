#include "physics/advection/scalar_flow_impl.hpp"

namespace tessera::physics::advection {
template std::unique_ptr<Flow<Threads>> make_flow(Threads&, const Problem&, FirstIntegral&, output::Summary&);
}  // namespace tessera::physics::advection
