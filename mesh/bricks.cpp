#include "mesh/bricks.hpp"

#include <algorithm>
#include <limits>

#include "base/team.hpp"
#include "mesh/mesh.hpp"

namespace tessera::mesh {

Bricks::Bricks(const std::array<Index, 3>& cells, int dim, int order, int ranks)
    : cells_(cells), dim_(dim), order_(order) {
  for (int axis = 0; axis < dim; ++axis) nodes_[axis] = Offset{cells[axis]} * order + 1;
  const auto of = [&](int axis) { return axis < dim ? static_cast<double>(cells[axis]) : 1.0; };
  double least = std::numeric_limits<double>::infinity();
  for (int x = 1; x <= ranks; ++x)
    for (int y = 1; ranks % x == 0 && y <= ranks / x; ++y) {
      const int z = ranks / x / y;
      if (x * y * z != ranks || x > of(0) || y > of(1) || z > of(2)) continue;
      const double area = (x - 1) * of(1) * of(2) + (y - 1) * of(0) * of(2) + (z - 1) * of(0) * of(1);
      if (area < least) least = area, along_ = {x, y, z};
    }
}

Bricks Bricks::in(const std::array<Index, 3>& cells) const {
  Bricks result = *this;
  result.cells_ = cells;
  for (int axis = 0; axis < dim_; ++axis) result.nodes_[axis] = Offset{cells[axis]} * order_ + 1;
  return result;
}

int Bricks::owner(const std::array<Offset, 3>& at) const {
  int owner = 0;
  for (int axis = 2; axis >= 0; --axis)
    owner = owner * along_[axis] + static_cast<int>(at[axis] * along_[axis] / nodes_[axis]);
  return owner;
}

std::pair<Index, Index> Bricks::cells(int axis, int rank) const {
  for (int below = 0; below < axis; ++below) rank /= along_[below];
  const Offset brick = rank % along_[axis], count = along_[axis];
  const auto first_node = [&](Offset of) { return (of * nodes_[axis] + count - 1) / count; };
  const Offset first_vertex = (first_node(brick) + order_ - 1) / order_;
  const Offset last_vertex = (first_node(brick + 1) - 1) / order_;
  return {static_cast<Index>(std::max<Offset>(0, first_vertex - 1)),
          static_cast<Index>(std::min<Offset>(cells_[axis], last_vertex + 1))};
}

std::vector<int> owners_of(const Bricks& bricks, const Mesh& box) {
  std::array<Offset, 2> nodes{1, 1};  // along the first two axes
  for (int axis = 0; axis < std::min(box.dim, 2); ++axis) nodes[axis] = Offset{box.box_cells[axis]} * box.order + 1;
  std::vector<int> owners(static_cast<std::size_t>(box.nodes()));
  parallel_for(default_threads(), box.nodes(), [&](Offset node) {
    owners[static_cast<std::size_t>(node)] =
        bricks.owner({node % nodes[0], node / nodes[0] % nodes[1], node / nodes[0] / nodes[1]});
  });
  return owners;
}

}  // namespace tessera::mesh
