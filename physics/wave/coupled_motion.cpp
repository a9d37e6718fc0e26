#include "physics/wave/coupled_motion_impl.hpp"

namespace tessera::physics::wave {
template std::unique_ptr<Motion<Threads>> make_coupled_motion(Threads&, const CoupledProblem&, FluidState&, PeakMaps&,
                                                              output::Summary&);
}  // namespace tessera::physics::wave
