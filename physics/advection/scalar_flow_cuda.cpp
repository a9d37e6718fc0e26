#include "physics/advection/scalar_flow_impl.hpp"

namespace tessera::physics::advection {
template std::unique_ptr<Flow<Cuda>> make_flow(Cuda&, const Problem&, FirstIntegral&, output::Summary&);
}  // namespace tessera::physics::advection
