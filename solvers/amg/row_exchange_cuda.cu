#include "solvers/amg/row_exchange_impl.hpp"

namespace tessera::solvers::amg {
TESSERA_INSTANTIATE_ROW_EXCHANGE(Cuda);
}  // namespace tessera::solvers::amg
