#include "solvers/pmg/pmg_ops_impl.hpp"

namespace tessera::solvers::pmg {
TESSERA_INSTANTIATE_PMG(Cuda, float);
TESSERA_INSTANTIATE_PMG_SCALES(Cuda);
}  // namespace tessera::solvers::pmg
