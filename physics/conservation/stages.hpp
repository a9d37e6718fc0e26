#pragma once
// The Runge-Kutta schemes of conservation laws: one line a scheme.
#include <string>
#include <vector>

#include "physics/model.hpp"

namespace tessera::physics::conservation {

/// A stage u_(k+1) = share u_0 + (1 - share) (u_k after `length` dt), which stands for the time t + at dt. With a
/// length below 1 it has weights of the fluxes of the stages before, see Scheme::advance_stage.
struct Stage {
  double share, at;
  double length = 1;
  std::vector<double> weights = {};
};

/// Names of time.scheme that there are; the first one is the default.
std::vector<std::string> time_schemes();
/// Whether a scheme is one of them; else it is implicit.
bool is_of_stages(const std::string& scheme);
/// Those of a scheme by its name.
std::vector<Stage> stages_of(const std::string& scheme);
/// Throws Error(usage) for a scheme that the limiter of the deck does not go with.
void check_scheme(const deck::Deck& deck, const TimeParams& time, const std::string& limiter);

}  // namespace tessera::physics::conservation
