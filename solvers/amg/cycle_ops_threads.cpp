#include "solvers/amg/cycle_ops_impl.hpp"
#include "solvers/amg/level_product_threads.hpp"

namespace tessera::solvers::amg {
template void spread(Threads&, const linalg::CrsView<const double>&, View<double>);
TESSERA_INSTANTIATE_CYCLE(Threads, float);
TESSERA_INSTANTIATE_CYCLE(Threads, double);
}  // namespace tessera::solvers::amg
