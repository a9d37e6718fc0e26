#include "mesh/copy.hpp"

#include <algorithm>

#include "base/team.hpp"
#include "base/touch.hpp"

namespace tessera::mesh {
namespace {

template <class T>
std::vector<T> copied(const std::vector<T>& from, int threads) {
  std::vector<T> to;
  resize_by_all(to, from.size(), threads);
  parallel_ranges(threads, static_cast<Offset>(from.size()), [&](Offset first, Offset last, int) {
    std::copy(from.begin() + first, from.begin() + last, to.begin() + first);
  });
  return to;
}

}  // namespace

Mesh copy(const Mesh& mesh, int threads) {
  Mesh result{.dim = mesh.dim,
              .order = mesh.order,
              .points = copied(mesh.points, threads),
              .blocks = {},
              .facets = mesh.facets,
              .groups = mesh.groups,
              .entities = mesh.entities,
              .box_cells = mesh.box_cells,
              .box_min = mesh.box_min,
              .box_max = mesh.box_max,
              .measure = mesh.measure};
  for (const CellBlock& cells : mesh.blocks)
    result.blocks.push_back(
        {cells.shape, cells.order, cells.nodes_per_cell, copied(cells.nodes, threads), cells.first_cell});
  return result;
}

}  // namespace tessera::mesh
