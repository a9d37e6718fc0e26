#pragma once
#include <memory>

#include "output/summary.hpp"
#include "physics/euler/problem.hpp"
#include "physics/run/flow.hpp"

namespace tessera::physics::euler {

/// The flow of the problem, which must outlive it. Phase: assemble.
template <class Exec>
std::unique_ptr<Flow<Exec>> make_flow(Exec& exec, const Problem& problem, output::Summary& summary);

}  // namespace tessera::physics::euler
