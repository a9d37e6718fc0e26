#include "solvers/time/stage_ops_impl.hpp"

namespace tessera::solvers {
TESSERA_INSTANTIATE_STAGE_OPS(Cuda);
}  // namespace tessera::solvers
