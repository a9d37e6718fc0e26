// What sources at points add to rows of the mass.
#include <limits>

#include "base/collective.hpp"
#include "physics/wave/problem.hpp"

namespace tessera::physics::wave {

namespace {

/// Of xx yy xy, or xx yy zz xy yz xz.
double moment(const std::vector<double>& m, int a, int b) {
  if (a == b) return m[static_cast<std::size_t>(a)];
  if (m.size() == 3) return m[2];
  const int other = 3 - a - b;  // the axis that is not in it: xy, yz, xz
  return m[other == 2 ? 3 : other == 0 ? 4 : 5];
}

}  // namespace

std::vector<PointLoad> point_loads(const Problem& problem) {
  const Discretisation& space = problem.space;
  const int C = problem.components(), dim = space.mesh.dim;
  std::vector<PointLoad> loads;
  const mesh::PointLocator locator(space.mesh);
  for (const PointSourceParams& source : problem.params.point_sources) {
    PointLoad load{.rows = {}, .weights = {}, .function = &source.function};
    const auto point = assembly::spectral::element_point(space.mesh, space.dofs, locator, source.point());
    double cell = std::numeric_limits<double>::infinity();
    if (point) cell = space.ranks ? static_cast<double>(space.share.cell_numbers[point->cell]) : point->cell;
    const bool mine = point && (!space.ranks || cell == minimum(*space.ranks, cell));
    if (space.ranks && !point) (void)minimum(*space.ranks, cell);
    if (mine) load.distance = point->distance;
    if (mine && problem.own(point->cell) >= 0) {
      for (std::size_t i = 0; i < point->dofs.size(); ++i)
        for (int c = 0; c < C; ++c) {
          // Beside solids a fluid has chi'' / kappa = div(grad chi / rho) - volume.
          double weight = problem.part && C == 1 ? -1 : 1;
          if (!source.force.empty()) weight = source.force[static_cast<std::size_t>(c)];
          weight *= point->values[i];
          if (!source.moment.empty()) {
            weight = 0;
            for (int d = 0; d < dim; ++d)
              weight += moment(source.moment, c, d) * point->slopes[i][static_cast<std::size_t>(d)];
          }
          load.rows.push_back(problem.row(point->dofs[i], c));
          load.weights.push_back(weight);
        }
    }
    loads.push_back(std::move(load));
  }
  return loads;
}

}  // namespace tessera::physics::wave
