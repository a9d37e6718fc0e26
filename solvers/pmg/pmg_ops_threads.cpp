#include "solvers/pmg/pmg_ops_impl.hpp"

namespace tessera::solvers::pmg {
TESSERA_INSTANTIATE_PMG(Threads, double);
TESSERA_INSTANTIATE_PMG(Threads, float);
}  // namespace tessera::solvers::pmg
