#pragma once
#include <memory>

#include "output/summary.hpp"
#include "physics/run/motion.hpp"
#include "physics/wave/peaks.hpp"
#include "physics/wave/problem.hpp"

namespace tessera::physics::wave {

/// The motion of the problem, which must outlive it, as `peaks`, which has the maps that it keeps. Phase: assemble.
/// Collective where ranks share the space.
template <class Exec>
std::unique_ptr<Motion<Exec>> make_motion(Exec& exec, const Problem& problem, PeakMaps& peaks,
                                          output::Summary& summary);

}  // namespace tessera::physics::wave
