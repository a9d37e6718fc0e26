#include "physics/wave/coupled_motion_impl.hpp"

namespace tessera::physics::wave {
template std::unique_ptr<Motion<Cuda>> make_coupled_motion(Cuda&, const CoupledProblem&, FluidState&, PeakMaps&,
                                                           output::Summary&);
}  // namespace tessera::physics::wave
