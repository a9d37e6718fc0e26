#include "linalg/row_walk_cuda.cuh"
#include "solvers/amg/cycle_ops_impl.hpp"
#include "solvers/amg/level_product_cuda.cuh"

namespace tessera::solvers::amg {
template void spread(Cuda&, const linalg::CrsView<const double>&, View<double>);
TESSERA_INSTANTIATE_CYCLE(Cuda, float);
TESSERA_INSTANTIATE_CYCLE(Cuda, double);
}  // namespace tessera::solvers::amg
