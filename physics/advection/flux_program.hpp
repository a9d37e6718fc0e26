#pragma once
// f and f' of the deck as programs, on the host.
#include "deck/expression/node_program.hpp"
#include "physics/advection/params.hpp"

namespace tessera::physics::advection {

struct FluxPrograms {
  deck::expressions::NodeProgram flux;    ///< f_k and behind them f'_k, of u
  deck::expressions::NodeProgram slopes;  ///< f'_k
};

/// Throws Error(usage) where they need more registers than there are.
FluxPrograms programs_of(const FluxParams& flux);

}  // namespace tessera::physics::advection
