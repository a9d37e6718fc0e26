#pragma once
// Tables of the elements of a map, wherever their nodes lie.
#include "assembly/matrix_free/host_setup.hpp"
#include "assembly/space/dof_map.hpp"

namespace tessera::assembly::matrix_free {

LineTables line_tables(const DofMap& map);
PointTables point_tables(const mesh::CellBlock& cells, const DofMap& map, bool with_basis);

}  // namespace tessera::assembly::matrix_free
