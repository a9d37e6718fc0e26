#include "assembly/space/cell_points_impl.hpp"

namespace tessera::assembly {

void write_points(Threads& exec, const CellPointsView& cells, const Index* places, Index first, Index count,
                  double* xyz) {
  write_points_on(exec, cells, places, first, count, xyz);
}

}  // namespace tessera::assembly
