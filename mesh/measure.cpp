#include "mesh/measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "mesh/geometry.hpp"

namespace tessera::mesh {

namespace {

/// How far nodes that lie on the axis may be off it.
double rounding(const BoundingBox& box) { return 1e-10 * std::hypot(box.max[0] - box.min[0], box.max[1] - box.min[1]); }

}  // namespace

void set_axis(Mesh& mesh, const std::string& axis) {
  if (mesh.dim != 2)
    throw Error(ExitCode::usage,
                fmt::format("mesh.axis = \"{}\" is for meshes of 2 dimensions, this one has {}", axis, mesh.dim),
                mesh.dim == 3
                    ? "leave axis out: the mesh is the body itself; or mesh half of a section through the axis"
                    : "mesh half of a section through the axis: a rectangle for a cylinder");
  const Measure measure{axis == "y" ? 0 : 1};
  const BoundingBox box = bounding_box(mesh);
  const double tolerance = rounding(box);
  Index first = -1, outside = 0;
  for (Index node = 0; node < mesh.nodes(); ++node)
    if (mesh.point(node)[measure.radius] < -tolerance && outside++ == 0) first = node;
  if (outside > 0) {
    const double* x = mesh.point(first);
    const char r = "xy"[measure.radius];
    const bool all = box.max[measure.radius] <= tolerance;
    throw Error(ExitCode::mesh,
                fmt::format("mesh.axis = \"{}\": {} of {} nodes lie at {} < 0, the first at ({:g}, {:g})", axis,
                            outside, mesh.nodes(), r, x[0], x[1]),
                fmt::format("the mesh must lie on one side of the axis, {} >= 0: {} is the distance from it; {}", r, r,
                            all ? "mirror the mesh" : "mesh half of the section, or choose the other axis"));
  }
  mesh.measure = measure;
}

Index facets_on_axis(const Mesh& mesh, const Group& group) {
  if (!mesh.measure.weighs() || group.dim != mesh.dim - 1) return 0;
  const double tolerance = rounding(bounding_box(mesh));
  const auto count = std::count_if(group.entities.begin(), group.entities.end(), [&](Index facet) {
    const Index cell = mesh.facets.cell[facet];
    const CellBlock& block = mesh.block_of(cell);
    const std::span<const std::int8_t> nodes = facet_nodes(block.shape, mesh.facets.side[facet], block.order);
    return std::all_of(nodes.begin(), nodes.end(), [&](int node) {
      return mesh.point(block.cell(cell - block.first_cell)[node])[mesh.measure.radius] <= tolerance;
    });
  });
  return static_cast<Index>(count);
}

bool on_axis(const Mesh& mesh, const Group& group) {
  const Index count = facets_on_axis(mesh, group);
  return count > 0 && count == static_cast<Index>(group.entities.size());
}

}  // namespace tessera::mesh
