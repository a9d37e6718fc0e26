#include "solvers/odes/ode_systems_impl.hpp"

namespace tessera::solvers {
template class OdeSystems<Cuda, GrayScott>;
template class OdeSystems<Cuda, FitzHughNagumo>;
template class OdeSystems<Cuda, Brusselator>;
template class OdeSystems<Cuda, Robertson>;
template class OdeSystems<Cuda, Oregonator>;
template class OdeSystems<Cuda, MassAction<8>>;
template class OdeSystems<Cuda, MassAction<16>>;
template class OdeSystems<Cuda, MassAction<32>>;
}  // namespace tessera::solvers
