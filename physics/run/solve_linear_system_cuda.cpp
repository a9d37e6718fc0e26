#include "physics/run/solve_linear_system_impl.hpp"

namespace tessera::physics {

TESSERA_INSTANTIATE_SOLVE_LINEAR_SYSTEM(Cuda);

}  // namespace tessera::physics
