#include "physics/scalar/nonlinear_impl.hpp"

namespace tessera::physics::scalar {

template std::unique_ptr<Nonlinear<Cuda>> make_nonlinear(Cuda&, const Problem&, const Params&, output::Summary&);

}  // namespace tessera::physics::scalar
