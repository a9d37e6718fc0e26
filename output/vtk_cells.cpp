#include <vector>

#include "mesh/vtk_cell.hpp"
#include "output/vtk_writer.hpp"

namespace tessera::output {

using mesh::Shape;

OutputCells vtk_cells(Shape shape, int order, std::span<const double> node_points, std::span<const Index> conn) {
  const std::vector<int> place = mesh::vtk_node_order(shape, order, node_points);
  const std::size_t nodes = place.size();
  OutputCells cells{shape, order, static_cast<int>(nodes), std::vector<Index>(conn.size())};
  for (std::size_t first = 0; first + nodes <= conn.size(); first += nodes)
    for (std::size_t n = 0; n < nodes; ++n) cells.conn[first + static_cast<std::size_t>(place[n])] = conn[first + n];
  return cells;
}

std::vector<OutputCells> vtk_linear_cells(const mesh::Mesh& mesh) {
  std::vector<OutputCells> result;
  for (const mesh::CellBlock& block : mesh.blocks) {
    const int vertices = mesh::vertex_count(block.shape);
    std::vector<Index> conn;
    conn.reserve(static_cast<std::size_t>(block.cells()) * vertices);
    for (Index c = 0; c < block.cells(); ++c) conn.insert(conn.end(), block.cell(c), block.cell(c) + vertices);
    result.push_back(vtk_cells(block.shape, 1, reference_vertices(block.shape), conn));
  }
  return result;
}

}  // namespace tessera::output
