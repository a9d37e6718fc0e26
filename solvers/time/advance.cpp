#include "solvers/time/advance_impl.hpp"

namespace tessera::solvers {
TESSERA_INSTANTIATE_ADVANCE(Threads);
}  // namespace tessera::solvers
