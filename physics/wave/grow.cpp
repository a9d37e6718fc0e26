#include "physics/wave/grow.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/log.hpp"
#include "mesh/grow.hpp"
#include "mesh/numbering.hpp"
#include "physics/groups.hpp"

namespace tessera::physics::wave {

namespace {

/// What lets waves out there cannot be at the outside of the layer and at the side.
void refuse_absorbing(const Params& params, const mesh::Mesh& mesh, const mesh::Growth& growth) {
  for (const BoundaryParams& other : params.boundaries) {
    if (other.type != "absorbing") continue;
    const std::vector<Index> facets = united_groups(mesh, other.on, mesh.dim - 1, other.where).entities;
    std::vector<Index> both;
    std::set_intersection(facets.begin(), facets.end(), growth.facets.begin(), growth.facets.end(),
                          std::back_inserter(both));
    if (!both.empty())
      throw Error(ExitCode::usage,
                  fmt::format("{}: {} of its facets are those of the absorbing boundary on '{}'", growth.of,
                              both.size(), fmt::join(other.on, "', '")),
                  "waves leave a side through a layer, or are absorbed at it: take it out of one of both entries",
                  growth.where);
  }
}

}  // namespace

void grow_layers(const Params& params, mesh::Mesh& mesh) {
  std::vector<mesh::Growth> sides;
  for (const BoundaryParams& entry : params.boundaries) {
    if (!entry.grows()) continue;
    mesh::Growth growth{
        .of = fmt::format("the layer of type = \"pml\" on '{}'", fmt::join(entry.on, "', '")),
        .facets = united_groups(mesh, entry.on, mesh.dim - 1, entry.where).entities,
        .layers = entry.layers.value_or(default_layers),
        .thickness = entry.thickness,
        .where = entry.where,
    };
    if (growth.facets.empty())
      throw Error(ExitCode::usage, growth.of + ": the side has no facets", "name a side of the mesh", entry.where);
    refuse_absorbing(params, mesh, growth);
    sides.push_back(std::move(growth));
  }
  if (sides.empty()) return;
  const Index cells = mesh.cells();
  mesh::grow(mesh, sides, grown_cells);
  log_info(fmt::format("layers of {} cells have grown out of the mesh", mesh.cells() - cells));
  if (params.mesh.numbering == "metis") mesh::renumber_metis(mesh);
  if (params.mesh.numbering == "rcm") mesh::renumber_rcm(mesh);
}

std::vector<double> grown_from(const Params& params, const Discretisation& space) {
  if (!params.grows()) return {};
  std::vector<double> points = space.dof_points;
  for (std::size_t i = 0; i < points.size(); ++i)
    points[i] = std::clamp(points[i], space.mesh.box_min[i % 3], space.mesh.box_max[i % 3]);
  return points;
}

}  // namespace tessera::physics::wave
