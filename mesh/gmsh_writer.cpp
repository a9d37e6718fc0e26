#include "mesh/gmsh_writer.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "mesh/gmsh_types.hpp"

namespace tessera::mesh {

namespace {

/// An entity of the file: elements that are in the same groups.
struct Entity {
  int dim = 0;
  std::vector<int> groups;  // physical tags: position in Mesh::groups + 1
};

/// Elements of one type of one entity: tags of their nodes are node numbers + 1.
struct ElementBlock {
  std::size_t entity = 0;
  int type = 0;
  int nodes = 0;
  std::vector<Index> conn;  // [elements, nodes]
};

struct Layout {
  std::vector<Entity> entities;  // ascending dimension
  std::vector<ElementBlock> blocks;
};

/// Splits `count` items by the groups that they are in: set of each item (0: no group), and the groups of each set.
struct GroupSets {
  std::vector<Index> set;
  std::vector<std::vector<int>> groups{{}};

  explicit GroupSets(std::size_t count) : set(count, 0) {}
  void add(int group, std::span<const Index> items) {
    std::map<Index, Index> with_group;
    for (Index item : items) {
      const auto [found, fresh] = with_group.try_emplace(set[item], static_cast<Index>(groups.size()));
      if (fresh) {
        groups.push_back(groups[set[item]]);
        groups.back().push_back(group);
      }
      set[item] = found->second;
    }
  }
};

void add_cells(const Mesh& mesh, Layout& layout) {
  GroupSets sets(static_cast<std::size_t>(mesh.cells()));
  for (std::size_t g = 0; g < mesh.groups.size(); ++g)
    if (mesh.groups[g].dim == mesh.dim) sets.add(static_cast<int>(g) + 1, mesh.groups[g].entities);
  const std::size_t first_entity = layout.entities.size();
  for (const auto& groups : sets.groups) layout.entities.push_back({mesh.dim, groups});
  for (const CellBlock& block : mesh.blocks) {
    std::vector<ElementBlock> parts(sets.groups.size());
    for (std::size_t s = 0; s < parts.size(); ++s)
      parts[s] = {first_entity + s, gmsh_type_of(block.shape, block.order), block.nodes_per_cell, {}};
    for (Index c = 0; c < block.cells(); ++c) {
      auto& conn = parts[sets.set[block.first_cell + c]].conn;
      conn.insert(conn.end(), block.cell(c), block.cell(c) + block.nodes_per_cell);
    }
    for (ElementBlock& part : parts)
      if (!part.conn.empty()) layout.blocks.push_back(std::move(part));
  }
}

void add_facets(const Mesh& mesh, Layout& layout) {
  GroupSets sets(static_cast<std::size_t>(mesh.facets.size()));
  for (std::size_t g = 0; g < mesh.groups.size(); ++g)
    if (mesh.groups[g].dim == mesh.dim - 1) sets.add(static_cast<int>(g) + 1, mesh.groups[g].entities);
  const std::size_t first_entity = layout.entities.size();
  std::map<std::pair<Index, int>, ElementBlock> parts;  // (set, type)
  for (Index f = 0; f < mesh.facets.size(); ++f) {
    if (sets.set[f] == 0) continue;
    const CellBlock& block = mesh.block_of(mesh.facets.cell[f]);
    const Index* cell = block.cell(mesh.facets.cell[f] - block.first_cell);
    const int side = mesh.facets.side[f];
    const auto nodes = facet_nodes(block.shape, side, block.order);
    const int type = gmsh_type_of(topology(block.shape).facets[side].shape, block.order);
    ElementBlock& part = parts[{sets.set[f], type}];
    part.entity = first_entity + static_cast<std::size_t>(sets.set[f]) - 1;
    part.type = type;
    part.nodes = static_cast<int>(nodes.size());
    for (std::int8_t node : nodes) part.conn.push_back(cell[node]);
  }
  for (std::size_t s = 1; s < sets.groups.size(); ++s) layout.entities.push_back({mesh.dim - 1, sets.groups[s]});
  for (auto& [key, part] : parts) layout.blocks.push_back(std::move(part));
}

// Points and, in 3-D, curves: by their vertices.
void add_lower(const Mesh& mesh, int dim, Layout& layout) {
  std::map<std::array<Index, 2>, std::vector<int>> elements;
  for (std::size_t g = 0; g < mesh.groups.size(); ++g) {
    const Group& group = mesh.groups[g];
    if (group.dim != dim) continue;
    for (std::size_t v = 0; v < group.vertices.size(); v += dim + 1)
      elements[{group.vertices[v], dim > 0 ? group.vertices[v + 1] : -1}].push_back(static_cast<int>(g) + 1);
  }
  std::map<std::vector<int>, std::size_t> blocks;
  for (const auto& [vertices, groups] : elements) {
    const auto [found, fresh] = blocks.try_emplace(groups, layout.blocks.size());
    if (fresh) {
      layout.blocks.push_back({layout.entities.size(), dim > 0 ? 1 : 15, dim + 1, {}});
      layout.entities.push_back({dim, groups});
    }
    auto& conn = layout.blocks[found->second].conn;
    conn.insert(conn.end(), vertices.begin(), vertices.begin() + dim + 1);
  }
}

Layout make_layout(const Mesh& mesh) {
  Layout layout;
  for (int dim = 0; dim < mesh.dim - 1; ++dim) add_lower(mesh, dim, layout);
  add_facets(mesh, layout);
  add_cells(mesh, layout);
  for (std::size_t g = 0; g < mesh.groups.size(); ++g) {  // an empty group needs an entity to be remembered
    const Group& group = mesh.groups[g];
    if (group.entities.empty() && group.vertices.empty())
      layout.entities.push_back({group.dim, {static_cast<int>(g) + 1}});
  }
  return layout;
}

class BinaryFile {
 public:
  explicit BinaryFile(const std::filesystem::path& file) : stream_(file, std::ios::binary | std::ios::trunc) {}
  void text(const std::string& text) { stream_.write(text.data(), static_cast<std::streamsize>(text.size())); }
  template <class T>
  void put(T value) {
    stream_.write(reinterpret_cast<const char*>(&value), sizeof(T));
  }
  template <class T>
  void put(const std::vector<T>& values) {
    stream_.write(reinterpret_cast<const char*>(values.data()),
                  static_cast<std::streamsize>(values.size() * sizeof(T)));
  }
  bool close() {
    stream_.close();
    return stream_.good();
  }
  bool good() const { return stream_.good(); }

 private:
  std::ofstream stream_;
};

using Tag = std::int32_t;
using Count = std::uint64_t;

void write_names(const Mesh& mesh, BinaryFile& out) {
  out.text(fmt::format("$PhysicalNames\n{}\n", mesh.groups.size()));
  for (std::size_t g = 0; g < mesh.groups.size(); ++g)
    out.text(fmt::format("{} {} \"{}\"\n", mesh.groups[g].dim, g + 1, mesh.groups[g].name));
  out.text("$EndPhysicalNames\n");
}

void write_entities(const Mesh& mesh, const Layout& layout, BinaryFile& out) {
  std::array<double, 6> box{};
  for (std::size_t i = 0; i < mesh.points.size(); ++i) {
    const double x = mesh.points[i];
    box[i % 3] = i < 3 ? x : std::min(box[i % 3], x);
    box[3 + i % 3] = i < 3 ? x : std::max(box[3 + i % 3], x);
  }
  out.text("$Entities\n");
  for (int dim = 0; dim < 4; ++dim)
    out.put<Count>(std::count_if(layout.entities.begin(), layout.entities.end(),
                                 [&](const Entity& entity) { return entity.dim == dim; }));
  for (int dim = 0; dim < 4; ++dim)
    for (std::size_t e = 0; e < layout.entities.size(); ++e) {
      const Entity& entity = layout.entities[e];
      if (entity.dim != dim) continue;
      out.put<Tag>(static_cast<Tag>(e + 1));
      for (int i = 0; i < (dim == 0 ? 3 : 6); ++i) out.put(box[i]);
      out.put<Count>(entity.groups.size());
      for (int group : entity.groups) out.put<Tag>(group);
      if (dim > 0) out.put<Count>(0);  // bounding entities: not known
    }
  out.text("\n$EndEntities\n");
}

// All nodes in the first entity of the cells.
void write_nodes(const Mesh& mesh, const Layout& layout, BinaryFile& out) {
  const auto entity = std::find_if(layout.entities.begin(), layout.entities.end(),
                                   [&](const Entity& candidate) { return candidate.dim == mesh.dim; });
  const Count nodes = static_cast<Count>(mesh.nodes());
  out.text("$Nodes\n");
  for (Count number : {Count{1}, nodes, Count{1}, nodes}) out.put(number);
  for (Tag number : {mesh.dim, static_cast<Tag>(entity - layout.entities.begin()) + 1, 0}) out.put(number);
  out.put(nodes);
  std::vector<Count> tags(nodes);
  for (Count i = 0; i < nodes; ++i) tags[i] = i + 1;
  out.put(tags);
  out.put(mesh.points);
  out.text("\n$EndNodes\n");
}

void write_elements(const Layout& layout, BinaryFile& out) {
  Count count = 0;
  for (const ElementBlock& block : layout.blocks) count += block.conn.size() / block.nodes;
  out.text("$Elements\n");
  for (Count number : {static_cast<Count>(layout.blocks.size()), count, Count{1}, count}) out.put(number);
  Count tag = 1;
  std::vector<Count> rows;
  for (const ElementBlock& block : layout.blocks) {
    const Count elements = block.conn.size() / block.nodes;
    out.put<Tag>(layout.entities[block.entity].dim);
    out.put<Tag>(static_cast<Tag>(block.entity + 1));
    out.put<Tag>(block.type);
    out.put(elements);
    constexpr Count piece = 65536;  // elements at once, so that a large mesh is not copied whole
    for (Count first = 0; first < elements; first += piece) {
      rows.clear();
      for (Count e = first; e < std::min(elements, first + piece); ++e) {
        rows.push_back(tag++);
        for (int n = 0; n < block.nodes; ++n) rows.push_back(static_cast<Count>(block.conn[e * block.nodes + n]) + 1);
      }
      out.put(rows);
    }
  }
  out.text("\n$EndElements\n");
}

}  // namespace

void write_msh(const Mesh& mesh, const std::filesystem::path& file) {
  const auto fail = [&](const std::string& reason) {
    throw Error(ExitCode::file_system, fmt::format("cannot write {}: {}", file.string(), reason),
                "check that the folder exists, can be written to, and has room");
  };
  const Layout layout = make_layout(mesh);
  std::filesystem::path temporary = file;
  temporary += fmt::format(".{}.tmp", getpid());
  BinaryFile out(temporary);
  if (!out.good()) fail(std::strerror(errno));
  out.text("$MeshFormat\n4.1 1 8\n");
  out.put<std::int32_t>(1);
  out.text("\n$EndMeshFormat\n");
  write_names(mesh, out);
  write_entities(mesh, layout, out);
  write_nodes(mesh, layout, out);
  write_elements(layout, out);
  const bool written = out.close();
  const std::string reason = std::strerror(errno);
  std::error_code error;
  if (written) {
    std::filesystem::rename(temporary, file, error);
    if (!error) return;
  }
  std::error_code ignored;
  std::filesystem::remove(temporary, ignored);
  fail(written ? error.message() : reason);
}

}  // namespace tessera::mesh
