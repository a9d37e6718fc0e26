#include "solvers/odes/ode_systems_impl.hpp"

namespace tessera::solvers {
template class OdeSystems<Threads, GrayScott>;
template class OdeSystems<Threads, FitzHughNagumo>;
template class OdeSystems<Threads, Brusselator>;
template class OdeSystems<Threads, Robertson>;
template class OdeSystems<Threads, Oregonator>;
template class OdeSystems<Threads, MassAction<8>>;
template class OdeSystems<Threads, MassAction<16>>;
template class OdeSystems<Threads, MassAction<32>>;
}  // namespace tessera::solvers
