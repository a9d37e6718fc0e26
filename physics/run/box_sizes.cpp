#include "physics/run/box_sizes.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include "assembly/space/dof_map.hpp"
#include "assembly/space/rank_space.hpp"
#include "mesh/box.hpp"
#include "mesh/bricks.hpp"

namespace tessera::physics {

namespace {

/// Cells along the shortest brick from which on another layer of cells adds as much as the one before.
constexpr Index enough = 3;

std::array<Index, 3> cells_of(const mesh::BoxParams& box) {
  std::array<Index, 3> cells{0, 0, 0};
  std::copy(box.cells.begin(), box.cells.end(), cells.begin());
  return cells;
}

/// Nodes, cells, facets, dofs, then what groups have, then dofs, cells and ghosts of each rank.
std::vector<double> count(const mesh::BoxParams& box, const mesh::Bricks& bricks, int geometric, int order, int ranks,
                          int threads, std::vector<std::string>& names) {
  const mesh::Mesh mesh = mesh::make_box(box, geometric);
  const assembly::DofMap dofs = assembly::make_dof_map(mesh, order, threads);
  std::vector<double> counts{1.0 * mesh.nodes(), 1.0 * mesh.cells(), 1.0 * mesh.facets.size(), 1.0 * dofs.dofs};
  names.clear();
  for (const mesh::Group& group : mesh.groups) {
    names.push_back(group.name);
    counts.push_back(static_cast<double>(group.entities.size()));
  }
  const assembly::RankSizes sizes =
      assembly::rank_sizes(mesh, dofs, mesh::owners_of(bricks.in(cells_of(box)), mesh), ranks);
  for (const std::vector<Index>* of : {&sizes.dofs, &sizes.cells, &sizes.ghosts})
    counts.insert(counts.end(), of->begin(), of->end());
  return counts;
}

}  // namespace

int BoxSizes::largest() const {
  int result = 0;
  for (std::size_t rank = 1; rank < rank_dofs.size(); ++rank)
    if (rank_dofs[rank] + rank_ghosts[rank] > rank_dofs[result] + rank_ghosts[result]) result = static_cast<int>(rank);
  return result;
}

BoxSizes sizes_of_box(const mesh::BoxParams& box, int geometric, int order, int ranks, int threads) {
  const int dim = static_cast<int>(box.cells.size());
  const mesh::Bricks bricks(cells_of(box), dim, geometric, ranks);
  // With t layers of cells less in each brick along an axis all bricks begin t vertices earlier for each before them.
  std::array<Index, 3> less{0, 0, 0};
  for (int axis = 0; axis < dim; ++axis) less[axis] = std::max<Index>(0, box.cells[axis] / bricks.along(axis) - enough);
  BoxSizes result;
  std::vector<std::vector<double>> corners;
  for (int corner = 0; corner < 1 << dim; ++corner) {
    mesh::BoxParams small = box;
    bool is_other = true;  // than a corner before
    for (int axis = 0; axis < dim; ++axis) {
      const Index one = corner >> axis & 1;
      is_other = is_other && (one == 0 || less[axis] > 0);
      small.cells[axis] -= std::max<Index>(0, less[axis] - one) * bricks.along(axis);
    }
    corners.push_back(is_other ? count(small, bricks, geometric, order, ranks, threads, result.names)
                               : std::vector<double>());
  }
  // f(0) = f(t) + t (f(t - 1) - f(t)), axis by axis.
  for (int axis = 0; axis < dim; ++axis)
    for (std::size_t corner = 0; corner < corners.size(); ++corner) {
      const std::size_t next = corner | std::size_t{1} << axis;
      if (next == corner || less[axis] == 0 || corners[corner].empty()) continue;
      for (std::size_t i = 0; i < corners[corner].size(); ++i)
        corners[corner][i] += less[axis] * (corners[next][i] - corners[corner][i]);
    }
  auto next = corners.front().begin();
  for (double* of : {&result.nodes, &result.cells, &result.facets, &result.dofs}) *of = *next++;
  const auto take = [&](std::size_t count, std::vector<double>& to) {
    to.assign(next, next + static_cast<std::ptrdiff_t>(count));
    next += static_cast<std::ptrdiff_t>(count);
  };
  take(result.names.size(), result.entities);
  for (std::vector<double>* of : {&result.rank_dofs, &result.rank_cells, &result.rank_ghosts})
    take(static_cast<std::size_t>(ranks), *of);
  return result;
}

}  // namespace tessera::physics
