#include "physics/euler/constrain_impl.hpp"

namespace tessera::physics::euler {

int prescribed_numbers(BoundaryKind kind, int dim) {
  switch (kind) {
    case BoundaryKind::slip_wall:
    case BoundaryKind::outflow: return 0;
    case BoundaryKind::pressure_outflow: return 1;
    case BoundaryKind::reservoir: return 2;
    case BoundaryKind::far_field:
    case BoundaryKind::inflow: return dim + 2;
  }
  return 0;
}

template void constrain(Threads&, int, const Gas&, const BoundaryNodes<Host>&, View<double>);

}  // namespace tessera::physics::euler
