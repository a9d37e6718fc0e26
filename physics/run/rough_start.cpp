#include "physics/run/rough_start.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "base/team.hpp"
#include "mesh/box_of_points.hpp"

namespace tessera::physics {

std::vector<double> rough_start(const Discretisation& space, int components, int seed) {
  const auto nodes = space.ranks ? static_cast<Offset>(space.index_map.owned()) : Offset{space.dofs.dofs};
  mesh::BoundingBox box;
  if (space.ranks)
    box.min = space.share.low, box.max = space.share.high;
  else
    box = mesh::box_of_points(space.dof_points, space.threads);
  double size = 0;
  for (std::size_t d = 0; d < 3; ++d) size = std::max(size, box.max[d] - box.min[d]);
  // A sine of a sine has waves of all lengths down to 1e-4 of the box. Its slope is below 1e5, so that what rounding
  // makes of a place (1e-16, by the cell that it is computed from) stays below 1e-11.
  std::vector<double> result(static_cast<std::size_t>(nodes * components));
  parallel_for(space.threads, nodes, [&](Offset n) {
    const double* const point = &space.dof_points[3 * static_cast<std::size_t>(n)];
    std::array<double, 3> x{};
    for (std::size_t d = 0; d < 3; ++d) x[d] = (point[d] - box.min[d]) / (size > 0 ? size : 1);
    const double inner = 40 * std::sin(997.3 * x[0] + 1213.7 * x[1] + 1423.1 * x[2]);
    for (int c = 0; c < components; ++c)
      result[static_cast<std::size_t>(n * components + c)] =
          std::sin(inner + 311.9 * x[0] + 173.3 * x[1] + 271.7 * x[2] + 1.7 * (c + 5 * seed) + 0.3);
  });
  return result;
}

}  // namespace tessera::physics
