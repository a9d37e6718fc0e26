#pragma once
// How much of the high order the limiter lets through, for output.
#include "physics/euler/problem.hpp"
#include "physics/euler/scheme.hpp"

namespace tessera::physics::euler {

/// The scheme of the deck.
SchemeParams scheme_params(const Problem& problem);

/// At each node of the solution the least part that the first pass of the limiter takes of one of its edges, in a step
/// of time.cfl (0.9 where steps are fixed) times the longest one: 1 where nothing is limited. Of limiter "convex" or
/// "monolithic". Computed on the host, by a scheme that is made for it. Collective.
std::vector<double> limiter_field(const Problem& problem, const NodalSolution& solution);

}  // namespace tessera::physics::euler
