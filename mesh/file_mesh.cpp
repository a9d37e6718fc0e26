#include "mesh/file_mesh.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <utility>

#include "base/error.hpp"
#include "mesh/gmsh_convert.hpp"
#include "mesh/gmsh_types.hpp"

namespace tessera::mesh {

namespace {

/// The groups of each element, as the number of a list: [elements]. List 0 is empty.
struct Memberships {
  std::vector<int> list_of;
  std::vector<std::vector<int>> lists;
};

Memberships memberships(const FileMesh& mesh) {
  std::vector<Offset> start(static_cast<std::size_t>(mesh.elements()) + 1, 0);
  for (const FileGroup& group : mesh.groups)
    for (Index e : group.elements) ++start[e + 1];
  for (std::size_t e = 1; e < start.size(); ++e) start[e] += start[e - 1];
  std::vector<int> groups(static_cast<std::size_t>(start.back()));
  std::vector<Offset> next(start.begin(), start.end() - 1);
  for (std::size_t g = 0; g < mesh.groups.size(); ++g)  // ascending, so that each list is sorted
    for (Index e : mesh.groups[g].elements) groups[next[e]++] = static_cast<int>(g);
  Memberships result{std::vector<int>(static_cast<std::size_t>(mesh.elements())), {{}}};
  std::map<std::vector<int>, int> number{{{}, 0}};
  std::vector<int> list;
  for (Index e = 0; e < mesh.elements(); ++e) {
    list.assign(groups.begin() + start[e], groups.begin() + start[e + 1]);
    list.erase(std::unique(list.begin(), list.end()), list.end());
    if (e > 0 && list == result.lists[result.list_of[e - 1]]) {
      result.list_of[e] = result.list_of[e - 1];
      continue;
    }
    const auto [found, added] = number.try_emplace(list, static_cast<int>(result.lists.size()));
    if (added) result.lists.push_back(list);
    result.list_of[e] = found->second;
  }
  return result;
}

/// All elements of a dimension are one entity.
constexpr int entity_tag = 1;

void add_cells(const FileMesh& mesh, int type, const std::vector<Index>& elements, const std::vector<int>& groups,
               GmshModel& model) {
  CellBlock& block = block_of_type(model, type);
  const Index first = block.cells();
  for (Index e : elements) block.nodes.insert(block.nodes.end(), mesh.element(e).begin(), mesh.element(e).end());
  model.cells.push_back(
      {static_cast<std::size_t>(&block - model.blocks.data()), first, block.cells() - first, entity_tag, groups});
}

void add_lower(const FileMesh& mesh, const GmshType& type, const std::vector<Index>& elements,
               const std::vector<int>& groups, GmshModel& model) {
  EntityElements lower{type.dim(), entity_tag, type.shape, groups, {}};
  for (Index e : elements)
    lower.vertices.insert(lower.vertices.end(), mesh.element(e).begin(), mesh.element(e).begin() + type.vertices());
  model.elements.push_back(std::move(lower));
}

}  // namespace

void FileMesh::add(int type, std::span<const Index> element) {
  if (types.size() >= static_cast<std::size_t>(std::numeric_limits<Index>::max()))
    throw Error(ExitCode::mesh, "the file has more elements than 32-bit numbers count", "use a coarser mesh");
  types.push_back(static_cast<std::uint8_t>(type));
  nodes.insert(nodes.end(), element.begin(), element.end());
  starts.push_back(static_cast<Offset>(nodes.size()));
}

int FileMesh::dim(Index e) const { return gmsh_type(types[e])->dim(); }

void FileMesh::add_group(const std::string& name, std::span<const Index> elements) {
  std::array<std::vector<Index>, 4> by_dim;
  for (Index e : elements) by_dim[dim(e)].push_back(e);
  for (int d = 0; d < 4; ++d) {
    if (by_dim[d].empty()) continue;
    const auto [found, added] = group_numbers.try_emplace({name, d}, groups.size());
    if (added) groups.push_back({name, d, {}});
    std::vector<Index>& all = groups[found->second].elements;
    all.insert(all.end(), by_dim[d].begin(), by_dim[d].end());
  }
}

GmshModel model_of(const std::string& file, FileMesh&& mesh) {
  GmshModel model;
  std::array<std::size_t, 256> count{};
  for (std::uint8_t type : mesh.types) ++count[type];
  for (int type = 0; type < 256; ++type)
    if (count[type] > 0) model.dim = std::max(model.dim, gmsh_type(type)->dim());
  if (model.dim == 0)
    throw Error(ExitCode::mesh, fmt::format("{} has no cells", file),
                "a mesh needs lines, triangles, quadrangles, tetrahedra, hexahedra, prisms or pyramids");
  std::vector<int> types;
  for (int type = 0; type < 256; ++type)
    if (count[type] > 0 && gmsh_type(type)->dim() == model.dim) types.push_back(type);
  set_order(
      file, types, [&](int type) { return count[type]; }, model);

  for (const FileGroup& group : mesh.groups) model.groups.push_back({group.name, group.dim});
  const Memberships of = memberships(mesh);
  std::map<std::pair<int, int>, std::vector<Index>> parts;  // (type, list of groups) -> elements
  for (Index e = 0; e < mesh.elements(); ++e) parts[{mesh.types[e], of.list_of[e]}].push_back(e);
  for (const auto& [key, elements] : parts) {
    const GmshType& type = *gmsh_type(key.first);
    const std::vector<int>& groups = of.lists[key.second];
    if (type.dim() == model.dim)
      add_cells(mesh, type.id, elements, groups, model);
    else
      add_lower(mesh, type, elements, groups, model);
  }
  model.file_nodes = static_cast<Index>(mesh.points.size() / 3);
  model.points = std::move(mesh.points);
  model.node_sets = std::move(mesh.node_sets);
  model.infos = std::move(mesh.infos);
  model.warnings = std::move(mesh.warnings);
  convert_cells(file, model);
  return model;
}

}  // namespace tessera::mesh
