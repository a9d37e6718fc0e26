#include "solvers/amg/row_exchange_impl.hpp"

namespace tessera::solvers::amg {
TESSERA_INSTANTIATE_ROW_EXCHANGE(Threads);
}  // namespace tessera::solvers::amg
