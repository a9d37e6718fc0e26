#include "linalg/interleave_impl.hpp"

namespace tessera::linalg {
template Crs<Cuda::Space> interleaved_pattern<Cuda>(Cuda&, const CrsView<const double>&, int);
template void set_component<Cuda>(Cuda&, const CrsView<const double>&, int, int, Crs<Cuda::Space>&);
template void set_component<Cuda>(Cuda&, View<const double>, int, int, View<double>);
}  // namespace tessera::linalg
