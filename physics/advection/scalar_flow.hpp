#pragma once
#include <memory>
#include <optional>

#include "output/summary.hpp"
#include "physics/advection/problem.hpp"
#include "physics/run/flow.hpp"

namespace tessera::physics::advection {

/// The integral of u over the domain at the first state; none where a run goes on.
using FirstIntegral = std::optional<double>;

/// The flow of the problem, which must outlive it, as `start` does, which it sets. Phase: assemble.
template <class Exec>
std::unique_ptr<Flow<Exec>> make_flow(Exec& exec, const Problem& problem, FirstIntegral& start,
                                      output::Summary& summary);

}  // namespace tessera::physics::advection
