#include "solvers/pmg/pmg_ops_impl.hpp"

namespace tessera::solvers::pmg {
TESSERA_INSTANTIATE_PMG(Cuda, double);
TESSERA_INSTANTIATE_PMG(Cuda, float);
}  // namespace tessera::solvers::pmg
