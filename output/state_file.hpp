#pragma once
// States that runs have written, whatever the kind of file: grids with values at their points.
#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

#include "mesh/mesh.hpp"
#include "output/vtk_reader.hpp"

namespace tessera::output {

/// A state, and of a series its time.
struct StateFile {
  VtuFile grid;
  std::optional<double> time;
};

/// Whether read_state reads files of that name: .vtu, .pvtu, .pvd, .vtkhdf.
bool is_state_file(const std::filesystem::path& path);

/// The state of a .vtu file, of all pieces of a .pvtu file, or of a series, .pvd or .vtkhdf, that which is nearest to
/// `time`; left out: the last one. Points that several pieces have are there several times. Throws Error(file_system)
/// for a file that is missing, damaged or another, Error(usage) for a time outside of the series, or of a file that is
/// none.
StateFile read_state(const std::filesystem::path& path, std::optional<double> time = {});

/// Cells of one shape: nodes [cells, nodes of the complete Lagrange cell], by rows.
struct StateCells {
  mesh::Shape shape = mesh::Shape::tet;
  int order = 1;
  std::vector<Index> nodes;
};
/// The cells of the highest dimension in a grid, shape by shape, all of one order. `node_points(shape, order)` are the
/// equispaced points of a cell in the order in which its nodes are wanted, as in vtk_cells. Throws Error(usage) where
/// there are none, for cells that are no complete Lagrange cells (pyramids, polyhedra, those without nodes in their
/// middle), and for several orders.
std::vector<StateCells> cells_of(const VtuFile& grid,
                                 const std::function<std::vector<double>(mesh::Shape, int)>& node_points);

}  // namespace tessera::output
