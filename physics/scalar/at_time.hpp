#pragma once
// The deck of a scalar model at a time: t is a number in its expressions.
#include "physics/scalar/params.hpp"

namespace tessera::physics::scalar {

/// Materials and boundaries of `to`, as many as those of `from`, become these at time t; they stay where they are.
void set_time(const Params& from, double t, Params& to);

/// Whether expressions of coefficients on cells depend on t: those of the matrix, and the source; and those of
/// boundaries.
struct TimeDependence {
  bool coefficients = false, sources = false, alphas = false, flows = false, prescribed = false;
};
TimeDependence time_dependence(const Params& params);

}  // namespace tessera::physics::scalar
