#include "solvers/amg/aggregation_impl.hpp"

namespace tessera::solvers::amg {
TESSERA_INSTANTIATE_AGGREGATION(Threads);
}
