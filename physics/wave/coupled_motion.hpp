#pragma once
#include <memory>

#include "output/summary.hpp"
#include "physics/run/motion.hpp"
#include "physics/wave/coupled.hpp"
#include "physics/wave/peaks.hpp"

namespace tessera::physics::wave {

/// The motion of the problem, which must outlive it; `state` has what the host sees of its fluids, `peaks`
/// the maps that it keeps, of its solids. Phase: assemble.
/// Collective where ranks share the space.
template <class Exec>
std::unique_ptr<Motion<Exec>> make_coupled_motion(Exec& exec, const CoupledProblem& problem, FluidState& state,
                                                  PeakMaps& peaks, output::Summary& summary);

}  // namespace tessera::physics::wave
