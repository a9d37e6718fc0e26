#include "physics/poisson/system_impl.hpp"

namespace tessera::physics::poisson {

template std::optional<forms::CellSums> make_system(Cuda&, const Problem&, System<Cuda>&, output::Summary&);

}  // namespace tessera::physics::poisson
