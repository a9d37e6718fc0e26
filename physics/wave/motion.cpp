#include "physics/wave/motion_impl.hpp"

namespace tessera::physics::wave {
template std::unique_ptr<Motion<Threads>> make_motion(Threads&, const Problem&, PeakMaps&, output::Summary&);
}  // namespace tessera::physics::wave
