#include "physics/euler/scheme.hpp"

#include "physics/euler/limit.hpp"

namespace tessera::physics::euler {

bool has_float(const SchemeParams& params) {
  return params.viscosity == Viscosity::guaranteed && params.limiter != Limiter::fct && has_polynomials(params.gas);
}

}  // namespace tessera::physics::euler
