#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "mesh/conformity.hpp"
#include "mesh/facets.hpp"
#include "mesh/point_tree.hpp"

namespace tessera::mesh {
namespace {

/// Nodes of exterior facets, those inside curved sides too, ascending.
std::vector<Index> boundary_nodes(const Mesh& mesh) {
  std::vector<Index> nodes;
  for (Index f = 0; f < mesh.facets.size(); ++f) {
    if (!mesh.facets.exterior[f]) continue;
    const CellBlock& block = mesh.block_of(mesh.facets.cell[f]);
    const Index* cell = block.cell(mesh.facets.cell[f] - block.first_cell);
    for (const int local : facet_nodes(block.shape, mesh.facets.side[f], block.order)) nodes.push_back(cell[local]);
  }
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  return nodes;
}

/// For every node the one that it becomes: the lowest-numbered within the tolerance.
std::vector<Index> targets(const Mesh& mesh, double tolerance) {
  std::vector<Index> target(static_cast<std::size_t>(mesh.nodes()));
  std::iota(target.begin(), target.end(), 0);
  const std::vector<Index> nodes = boundary_nodes(mesh);
  std::vector<PointTree::Point> points;
  for (const Index node : nodes) points.push_back({mesh.point(node)[0], mesh.point(node)[1], mesh.point(node)[2]});
  const PointTree tree(std::move(points));
  for (Index v = 0; v < tree.size(); ++v) {
    if (target[nodes[v]] != nodes[v]) continue;
    const PointTree::Point& x = tree.point(v);
    BoundingBox box;
    for (int d = 0; d < 3; ++d) {
      box.min[d] = x[d] - tolerance;
      box.max[d] = x[d] + tolerance;
    }
    tree.in_box(box, [&](Index other) {
      const PointTree::Point& y = tree.point(other);
      if (other > v && target[nodes[other]] == nodes[other] &&
          std::hypot(x[0] - y[0], x[1] - y[1], x[2] - y[2]) <= tolerance)
        target[nodes[other]] = nodes[v];
    });
  }
  return target;
}

/// Cells with the new numbers; throws where two nodes of one cell became one.
void renumber_cells(Mesh& mesh, const std::vector<Index>& number, double tolerance) {
  for (CellBlock& block : mesh.blocks) {
    for (Index& node : block.nodes) node = number[node];
    for (Index c = 0; c < block.cells(); ++c)
      for (int i = 0; i < block.nodes_per_cell; ++i)
        for (int j = 0; j < i; ++j) {
          if (block.cell(c)[i] != block.cell(c)[j]) continue;
          const double* x = mesh.point(block.cell(c)[i]);
          throw Error(ExitCode::mesh,
                      fmt::format("mesh.merge_nodes = {:g} would make one of two nodes of a {} near ({:g}, {:g}, {:g})",
                                  tolerance, name(block.shape), x[0], x[1], x[2]),
                      "choose a smaller length: less than the shortest edge of the mesh");
        }
  }
}

}  // namespace

Index merge_nodes(Mesh& mesh, double tolerance) {
  const std::vector<Index> target = targets(mesh, tolerance);
  std::vector<NamedFacets> named;
  for (const bool is_entity : {false, true})
    for (const Group& group : is_entity ? mesh.entities : mesh.groups) {
      if (group.dim != mesh.dim - 1) continue;
      named.push_back({group.name, {}, is_entity});
      for (const Index facet : group.entities)
        named.back().facets.push_back(side_vertices(mesh, mesh.facets.cell[facet], mesh.facets.side[facet]));
    }
  // Nodes that stay are numbered as they come; targets are lower than those that become them.
  std::vector<Index> number(target.size());
  std::vector<double> points;
  Index kept = 0;
  for (std::size_t node = 0; node < target.size(); ++node) {
    const bool stays = target[node] == static_cast<Index>(node);
    number[node] = stays ? kept++ : number[target[node]];
    if (stays) points.insert(points.end(), mesh.points.begin() + 3 * node, mesh.points.begin() + 3 * node + 3);
  }
  const Index gone = mesh.nodes() - kept;
  if (gone == 0) return 0;
  mesh.points = std::move(points);
  renumber_cells(mesh, number, tolerance);
  for (NamedFacets& group : named)
    for (FacetVertices& facet : group.facets)
      for (Index& v : facet) v = v < 0 ? v : number[v];
  std::vector<Group> groups = std::exchange(mesh.groups, {}), entities = std::exchange(mesh.entities, {});
  mesh.facets = {};
  set_facets(mesh, named);
  for (auto [old, fresh] : {std::pair{&groups, &mesh.groups}, std::pair{&entities, &mesh.entities}}) {
    std::size_t next = 0;  // those of facets come back in their order
    for (Group& group : *old) {
      if (group.dim == mesh.dim - 1) group = std::move((*fresh)[next++]);
      for (Index& v : group.vertices) v = number[v];
    }
    *fresh = std::move(*old);
  }
  return gone;
}

}  // namespace tessera::mesh
