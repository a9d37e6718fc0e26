#include "linalg/lump_impl.hpp"

namespace tessera::linalg {
template void lump<Threads>(Threads&, Crs<Threads::Space>&);
}  // namespace tessera::linalg
