#include "physics/wave/motion_impl.hpp"

namespace tessera::physics::wave {
template std::unique_ptr<Motion<Cuda>> make_motion(Cuda&, const Problem&, PeakMaps&, output::Summary&);
}  // namespace tessera::physics::wave
