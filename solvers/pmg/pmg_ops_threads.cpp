#include "solvers/pmg/pmg_ops_impl.hpp"

namespace tessera::solvers::pmg {
TESSERA_INSTANTIATE_PMG(Threads, float);
TESSERA_INSTANTIATE_PMG_SCALES(Threads);
}  // namespace tessera::solvers::pmg
