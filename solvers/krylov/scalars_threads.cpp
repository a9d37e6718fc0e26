#include "solvers/krylov/scalars_impl.hpp"

namespace tessera::solvers {
TESSERA_INSTANTIATE_KRYLOV_SCALARS(Threads);
}  // namespace tessera::solvers
