#pragma once
// write_points, written once for both backends.
#include "assembly/space/cell_points.hpp"
#include "base/parallel.hpp"

namespace tessera::assembly {

template <class Exec>
void write_points_on(Exec& exec, const CellPointsView& cells, const Index* places, Index first, Index count,
                     double* xyz) {
  const Offset all = Offset{count} * cells.points;
  // A thread takes a point: neighbours share a cell, whose nodes they read together.
  for_each(exec, all, [=] TESSERA_HD(Offset i) {
    const unsigned n = static_cast<unsigned>(cells.points), cell = static_cast<unsigned>(i) / n;
    const Offset place = places ? places[cell] : first + static_cast<Offset>(cell);
    double x[3];
    cells.point(place, static_cast<int>(static_cast<unsigned>(i) - cell * n), x);
    for (int d = 0; d < 3; ++d) xyz[d * all + i] = x[d];
  });
}

}  // namespace tessera::assembly
