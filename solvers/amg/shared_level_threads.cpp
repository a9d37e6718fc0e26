#include "solvers/amg/shared_level_impl.hpp"

namespace tessera::solvers::amg {
TESSERA_INSTANTIATE_SHARED_LEVEL(Threads);
}  // namespace tessera::solvers::amg
