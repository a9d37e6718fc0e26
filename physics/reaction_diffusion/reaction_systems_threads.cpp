// The reactions of the table at many nodes.
#include "physics/reaction_diffusion/reaction_types.hpp"
#include "solvers/odes/ode_systems_impl.hpp"

namespace tessera::solvers {
template class OdeSystems<Threads, physics::reaction_diffusion::GrayScott>;
template class OdeSystems<Threads, physics::reaction_diffusion::FitzHughNagumo>;
template class OdeSystems<Threads, physics::reaction_diffusion::Brusselator>;
template class OdeSystems<Threads, physics::reaction_diffusion::Robertson>;
template class OdeSystems<Threads, physics::reaction_diffusion::Oregonator>;
template class OdeSystems<Threads, physics::reaction_diffusion::MassAction<8>>;
template class OdeSystems<Threads, physics::reaction_diffusion::MassAction<16>>;
template class OdeSystems<Threads, physics::reaction_diffusion::MassAction<32>>;
}  // namespace tessera::solvers
