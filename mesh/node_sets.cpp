#include "mesh/node_sets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/log.hpp"
#include "mesh/side_table.hpp"

namespace tessera::mesh {

namespace {

/// Exterior facets by the nodes of the file that they have.
class FacetsOfNodes {
 public:
  FacetsOfNodes(const Mesh& mesh, const std::vector<char>& of_file)
      : start_(static_cast<std::size_t>(mesh.nodes()) + 1, 0), hits_(mesh.facets.cell.size(), 0), nodes_(hits_) {
    const auto for_each = [&](auto visit) {
      for (Index f = 0; f < mesh.facets.size(); ++f) {
        if (!mesh.facets.exterior[f]) continue;
        const CellBlock& block = mesh.block_of(mesh.facets.cell[f]);
        const Index* cell = block.cell(mesh.facets.cell[f] - block.first_cell);
        for (std::int8_t local : facet_nodes(block.shape, mesh.facets.side[f], block.order))
          if (of_file[cell[local]]) visit(cell[local], f);
      }
    };
    for_each([&](Index node, Index f) { ++start_[node], ++nodes_[f]; });
    facets_.resize(static_cast<std::size_t>(counts_to_starts(start_)));
    std::vector<Offset> next = start_;
    for_each([&](Index node, Index f) { facets_[next[node]++] = f; });
  }

  /// Facets all of whose nodes are in a set without duplicates; ascending.
  std::vector<Index> within(const std::vector<Index>& nodes) {
    std::vector<Index> touched, result;
    for (Index node : nodes)
      for (Offset i = start_[node]; i < start_[node + 1]; ++i)
        if (hits_[facets_[i]]++ == 0) touched.push_back(facets_[i]);
    for (Index f : touched) {
      if (hits_[f] == nodes_[f]) result.push_back(f);
      hits_[f] = 0;
    }
    std::sort(result.begin(), result.end());
    return result;
  }

 private:
  std::vector<Offset> start_;  // [nodes + 1]
  std::vector<Index> facets_;
  std::vector<int> hits_, nodes_;  // [facets]
};

std::vector<char> vertices_of(const Mesh& mesh) {
  std::vector<char> is_vertex(static_cast<std::size_t>(mesh.nodes()), 0);
  for (const CellBlock& block : mesh.blocks)
    for (Index c = 0; c < block.cells(); ++c)
      for (int v = 0; v < vertex_count(block.shape); ++v) is_vertex[block.cell(c)[v]] = 1;
  return is_vertex;
}

}  // namespace

void add_node_sets(const GmshModel& model, const std::vector<Index>& number, const std::string& file, Mesh& mesh) {
  if (model.node_sets.empty()) return;
  std::vector<char> of_file(static_cast<std::size_t>(mesh.nodes()), 0);
  for (Index old = 0; old < model.file_nodes; ++old)
    if (number[old] >= 0) of_file[number[old]] = 1;
  FacetsOfNodes facets(mesh, of_file);
  const std::vector<char> is_vertex = vertices_of(mesh);
  std::set<std::pair<std::string, int>> taken;
  for (const Group& group : mesh.groups) taken.insert({group.name, group.dim});
  for (const NodeSet& set : model.node_sets) {
    std::vector<Index> nodes;
    for (Index old : set.nodes)
      if (number[old] >= 0) nodes.push_back(number[old]);
    std::sort(nodes.begin(), nodes.end());
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    Group group{set.name, mesh.dim - 1, facets.within(nodes), {}};
    if (group.entities.empty()) {
      std::erase_if(nodes, [&](Index node) { return !is_vertex[node]; });
      group.dim = 0;
      group.vertices = std::move(nodes);
      const bool lost = group.vertices.empty() || mesh.dim == 1;
      log_info(
          fmt::format("{}: the node set '{}' holds no whole exterior facet: {}", file, set.name,
                      lost ? "it makes no group" : fmt::format("it is a group of {} points", group.vertices.size())));
      if (lost) continue;
    }
    if (taken.insert({group.name, group.dim}).second)
      mesh.groups.push_back(std::move(group));
    else
      log_info(fmt::format("{}: '{}' is a set of elements or a surface, and the node set of that name is left out",
                           file, set.name));
  }
}

}  // namespace tessera::mesh
