#include "assembly/space/cell_points_impl.hpp"

namespace tessera::assembly {

void write_points(Threads& exec, const CellPointsView& cells, const Index* places, Index first, Index count,
                  double* xyz) {
  write_points_on(exec, cells, places, first, count, xyz);
}

void write_field(Threads& exec, const CellPointsView& cells, const CellFieldView& field, const Index* places,
                 Index first, Index count, double* to) {
  write_field_on(exec, cells, field, places, first, count, to);
}

}  // namespace tessera::assembly
