#include "solvers/odes/batched_impl.hpp"

namespace tessera::solvers {
TESSERA_INSTANTIATE_BATCHED(Cuda);
}  // namespace tessera::solvers
