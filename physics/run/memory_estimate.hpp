#pragma once
// The memory that a run takes, before it takes it.
#include "physics/model.hpp"

namespace tessera::physics {

/// What a space would take on the host and on a GPU.
struct Estimate {
  double nnz = 0, host_bytes = 0, device_bytes = 0;
  double set_up_seconds = 0;  ///< of the solver
};

/// How a run solves.
struct Ways {
  bool matrix_free = false;
  bool nonlinear = false;  ///< by Newton's method
  double all_rows = 0;     ///< where ranks share it: those of all of them; 0: one has it
};

/// Of a space that is there. Where ranks are to share it, it is the estimate of all of them; of the part of one it is
/// that of this one.
Estimate estimate(const CommonParams& params, const Discretisation& space, const AtPoints& coefficients,
                  const Traits& traits, const Ways& ways);

/// What the process holds now, mesh and map included; what was freed and kept is there for the next phase.
double bytes_in_use();

}  // namespace tessera::physics
