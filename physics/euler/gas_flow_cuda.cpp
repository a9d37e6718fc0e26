#include "physics/euler/gas_flow_impl.hpp"

namespace tessera::physics::euler {
template std::unique_ptr<Flow<Cuda>> make_flow(Cuda&, const Problem&, output::Summary&);
}  // namespace tessera::physics::euler
