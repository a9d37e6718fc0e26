#include "assembly/space/dirichlet_impl.hpp"

namespace tessera::assembly {
TESSERA_DIRICHLET(Cuda);
}  // namespace tessera::assembly
