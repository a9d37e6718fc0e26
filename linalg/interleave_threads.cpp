#include "linalg/interleave_impl.hpp"

namespace tessera::linalg {
template Crs<Threads::Space> interleaved_pattern<Threads>(Threads&, const CrsView<const double>&, int);
template void set_component<Threads>(Threads&, const CrsView<const double>&, int, int, Crs<Threads::Space>&);
template void set_component<Threads>(Threads&, View<const double>, int, int, View<double>);
}  // namespace tessera::linalg
