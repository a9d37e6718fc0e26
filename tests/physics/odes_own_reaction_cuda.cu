#include "odes_problems.hpp"
#include "solvers/odes/ode_systems_impl.hpp"

namespace tessera::solvers {
template class OdeSystems<Cuda, testing::Turning>;
}  // namespace tessera::solvers
