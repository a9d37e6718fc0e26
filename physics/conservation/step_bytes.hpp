#pragma once
// What `tessera check` says of the memory of a scheme.
#include "physics/conservation/scheme.hpp"
#include "physics/model.hpp"

namespace tessera::physics::conservation {

/// Of a scheme on the graph of a space, with SchemeSteps, on a backend. `time_scheme`: its name in [time]; `in_float`:
/// what passes read and keep beside the state.
StepBytes step_bytes(const Discretisation& space, Limiter limiter, const std::string& time_scheme,
                     const std::string& backend, bool in_float = false);

}  // namespace tessera::physics::conservation
