#include "physics/run/lower_orders_impl.hpp"

namespace tessera::physics {

TESSERA_INSTANTIATE_LOWER_ORDERS(Cuda);

}  // namespace tessera::physics
