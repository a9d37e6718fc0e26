#include "mesh/gmsh_reader_model.hpp"

#include <fmt/format.h>
#include <gmsh.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "base/error.hpp"
#include "mesh/gmsh_convert.hpp"
#include "mesh/gmsh_mixed_orders.hpp"
#include "mesh/gmsh_types.hpp"

namespace tessera::mesh {

namespace {

using Tags = std::vector<std::size_t>;

[[noreturn]] void refuse(const std::string& message, const std::string& help) {
  throw Error(ExitCode::mesh, message, help);
}

// Tag -> number, numbers ascending with the tags. Tags are nearly always dense; a table then, else a search.
class NodeNumbers {
 public:
  explicit NodeNumbers(Tags tags) {
    const std::size_t largest = tags.empty() ? 0 : *std::max_element(tags.begin(), tags.end());
    std::sort(tags.begin(), tags.end());
    tags.erase(std::unique(tags.begin(), tags.end()), tags.end());
    if (largest <= 4 * tags.size() + 1000) {
      table_.assign(largest + 1, -1);
      for (std::size_t i = 0; i < tags.size(); ++i) table_[tags[i]] = static_cast<Index>(i);
      count_ = tags.size();
    } else {
      count_ = tags.size();
      sorted_ = std::move(tags);
    }
  }
  std::size_t count() const { return count_; }
  /// -1: no such node.
  Index operator()(std::size_t tag) const {
    if (sorted_.empty()) return tag < table_.size() ? table_[tag] : -1;
    const auto found = std::lower_bound(sorted_.begin(), sorted_.end(), tag);
    return found != sorted_.end() && *found == tag ? static_cast<Index>(found - sorted_.begin()) : -1;
  }

 private:
  std::vector<Index> table_;
  Tags sorted_;
  std::size_t count_ = 0;
};

NodeNumbers copy_points(const std::string& file, GmshModel& model) {
  Tags tags;
  std::vector<double> coordinates, parameters;
  gmsh::model::mesh::getNodes(tags, coordinates, parameters, -1, -1, false, false);
  if (tags.size() > static_cast<std::size_t>(std::numeric_limits<Index>::max()))
    refuse(fmt::format("{} has {} nodes, more than 32-bit numbers count", file, tags.size()), "use a coarser mesh");
  NodeNumbers numbers(tags);
  model.points.resize(3 * numbers.count());
  for (std::size_t i = 0; i < tags.size(); ++i) {
    double* point = model.points.data() + 3 * static_cast<std::size_t>(numbers(tags[i]));
    for (int axis = 0; axis < 3; ++axis) {
      point[axis] = coordinates[3 * i + axis];
      if (!std::isfinite(point[axis]))
        refuse(fmt::format("node {} of {} has the coordinate {}", tags[i], file, point[axis]), "write the mesh again");
    }
  }
  return numbers;
}

std::size_t count_elements(int type) {
  Tags elements, nodes;
  gmsh::model::mesh::getElementsByType(type, elements, nodes);
  return elements.size();
}

// Finds the dimension of the model; returns the types of its cells.
std::vector<int> cell_types(GmshModel& model) {
  std::vector<int> types;
  for (model.dim = 3; model.dim > 0; --model.dim) {
    gmsh::model::mesh::getElementTypes(types, model.dim);
    if (!types.empty()) break;
  }
  return types;
}

// Elements that a file repeats for each group of their entity: positions of the first of each, ascending; empty: all
// differ.
std::vector<std::size_t> without_repeats(const Index* nodes, std::size_t elements, int width, int vertices) {
  std::vector<std::array<Index, 8>> keys(elements);
  for (std::size_t e = 0; e < elements; ++e) {
    keys[e].fill(-1);
    std::copy_n(nodes + e * width, vertices, keys[e].begin());
    std::sort(keys[e].begin(), keys[e].begin() + vertices);
  }
  std::vector<std::size_t> order(elements), kept;
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return keys[a] != keys[b] ? keys[a] < keys[b] : a < b; });
  for (std::size_t i = 0; i < elements; ++i)
    if (i == 0 || keys[order[i]] != keys[order[i - 1]]) kept.push_back(order[i]);
  if (kept.size() == elements) return {};
  std::sort(kept.begin(), kept.end());
  return kept;
}

// Appends `width` of every `stride` node tags as numbers, each element once.
void append(const std::string& file, const NodeNumbers& numbers, const Tags& tags, int stride, int width, int vertices,
            bool may_repeat, std::vector<Index>& out) {
  const std::size_t start = out.size(), elements = tags.size() / stride;
  out.resize(start + elements * width);
  for (std::size_t e = 0; e < elements; ++e)
    for (int n = 0; n < width; ++n) {
      const Index node = numbers(tags[e * stride + n]);
      if (node < 0)
        refuse(fmt::format("{} has an element with node {}, which does not exist", file, tags[e * stride + n]),
               "write the mesh again");
      out[start + e * width + n] = node;
    }
  if (!may_repeat) return;
  const std::vector<std::size_t> kept = without_repeats(out.data() + start, elements, width, vertices);
  if (kept.empty()) return;
  for (std::size_t k = 0; k < kept.size(); ++k)
    std::copy_n(out.begin() + start + kept[k] * width, width, out.begin() + start + k * width);
  out.resize(start + kept.size() * width);
}

/// Where an entity comes from: of a file with partitions, Gmsh has cut those of the file into one a partition.
struct Origin {
  int tag = 0;              ///< of the entity of the file
  int partition = 0;        ///< its number; 0: the file has none
  bool is_between = false;  ///< a cut between partitions, or ghosts: nothing of the file's own
};

Origin origin_of(int dim, int entity) {
  std::vector<int> partitions;
  gmsh::model::getPartitions(dim, entity, partitions);
  if (partitions.empty()) return {entity};
  int parent_dim = -1, parent = -1;
  gmsh::model::getParent(dim, entity, parent_dim, parent);
  if (parent_dim != dim) return {entity, 0, true};
  return {parent, partitions.front()};
}

/// Cuts between partitions have the groups of what they cut, in their own dimension.
bool is_group_of_cuts(int dim, int tag) {
  std::vector<int> entities;
  gmsh::model::getEntitiesForPhysicalGroup(dim, tag, entities);
  return !entities.empty() &&
         std::all_of(entities.begin(), entities.end(), [&](int entity) { return origin_of(dim, entity).is_between; });
}

using GroupNumbers = std::map<std::pair<int, int>, int>;  // (dim, physical tag) -> position in GmshModel::groups

GroupNumbers copy_groups(const std::map<std::pair<int, int>, std::string>& names, GmshModel& model) {
  GroupNumbers numbers;
  gmsh::vectorpair physical;
  gmsh::model::getPhysicalGroups(physical);
  for (const auto& [dim, tag] : physical) {
    if (dim > model.dim || is_group_of_cuts(dim, tag)) continue;
    std::string name;
    gmsh::model::getPhysicalName(dim, tag, name);
    for (const int known : {dim, -1})  // -1: the file does not say the dimension
      if (const auto own = names.find({known, tag}); name.empty() && own != names.end()) name = own->second;
    if (name.empty()) name = fmt::format("tag_{}", tag);
    const auto same = [&, d = dim](const PhysicalGroup& group) { return group.dim == d && group.name == name; };
    const auto found = std::find_if(model.groups.begin(), model.groups.end(), same);
    numbers[{dim, std::abs(tag)}] = static_cast<int>(found - model.groups.begin());
    if (found == model.groups.end()) model.groups.push_back({name, dim});
  }
  return numbers;
}

std::vector<int> groups_of(const GroupNumbers& numbers, int dim, int entity) {
  std::vector<int> tags, result;
  gmsh::model::getPhysicalGroupsForEntity(dim, entity, tags);
  for (int tag : tags)
    if (const auto found = numbers.find({dim, std::abs(tag)}); found != numbers.end()) result.push_back(found->second);
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

void copy_cells(const std::string& file, const NodeNumbers& numbers, int entity, const Origin& origin,
                const std::vector<int>& groups, GmshModel& model) {
  std::vector<int> types;
  std::vector<Tags> elements, nodes;
  gmsh::model::mesh::getElements(types, elements, nodes, model.dim, entity);
  refuse_mixed_orders(file, model.dim, entity, types, elements);
  elements.clear();
  elements.shrink_to_fit();
  for (std::size_t t = 0; t < types.size(); ++t) {
    const GmshType& type = *gmsh_type(types[t]);
    CellBlock& block = block_of_type(model, type.id);
    const Index first = block.cells();
    if (nodes[t].size() / type.nodes + first > static_cast<std::size_t>(std::numeric_limits<Index>::max()))
      refuse(fmt::format("{} has more cells than 32-bit numbers count", file), "use a coarser mesh");
    append(file, numbers, nodes[t], type.nodes, type.nodes, type.vertices(), groups.size() > 1, block.nodes);
    nodes[t] = {};
    model.cells.push_back({static_cast<std::size_t>(&block - model.blocks.data()), first, block.cells() - first,
                           origin.tag, groups, origin.partition});
  }
}

void copy_lower(const std::string& file, const NodeNumbers& numbers, int dim, int entity, const Origin& origin,
                const std::vector<int>& groups, GmshModel& model) {
  std::vector<int> types;
  std::vector<Tags> elements, nodes;
  gmsh::model::mesh::getElements(types, elements, nodes, dim, entity);
  refuse_mixed_orders(file, dim, entity, types, elements);
  for (std::size_t t = 0; t < types.size(); ++t) {
    const GmshType* type = gmsh_type(types[t]);
    if (!type && groups.empty()) continue;  // nobody asked for them
    if (!type)
      refuse(fmt::format("{} has elements of the unsupported Gmsh type {}", file, types[t]),
             "use geometric order 1 or 2");
    EntityElements copied{dim, origin.tag, type->shape, groups, {}};
    const int vertices = type->vertices();
    append(file, numbers, nodes[t], type->nodes, vertices, vertices, true, copied.vertices);
    model.elements.push_back(std::move(copied));
  }
}

// The elements of one type and entity, by the groups of each: [groups] -> node tags, elements that are repeated once.
std::map<std::vector<int>, Tags> split_by_groups(const Tags& elements, const Tags& nodes, int stride, int vertices,
                                                 int dim, const std::vector<std::pair<std::uint64_t, int>>& physical,
                                                 const GroupNumbers& numbers) {
  std::map<std::vector<std::size_t>, std::pair<std::size_t, std::vector<int>>> by_nodes;  // -> first element, groups
  for (std::size_t e = 0; e < elements.size(); ++e) {
    std::vector<std::size_t> key(nodes.begin() + e * stride, nodes.begin() + e * stride + vertices);
    std::sort(key.begin(), key.end());
    auto& groups = by_nodes.try_emplace(std::move(key), e, std::vector<int>{}).first->second.second;
    const auto found = std::lower_bound(physical.begin(), physical.end(), std::pair{std::uint64_t{elements[e]}, 0});
    for (auto it = found; it != physical.end() && it->first == elements[e]; ++it)
      if (const auto number = numbers.find({dim, it->second}); number != numbers.end())
        groups.push_back(number->second);
  }
  std::vector<std::pair<std::size_t, std::vector<int>>> ordered;
  for (auto& [key, value] : by_nodes) ordered.push_back(std::move(value));
  std::sort(ordered.begin(), ordered.end());
  std::map<std::vector<int>, Tags> result;
  for (auto& [element, groups] : ordered) {
    std::sort(groups.begin(), groups.end());
    groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
    Tags& part = result[groups];
    part.insert(part.end(), nodes.begin() + element * stride, nodes.begin() + (element + 1) * stride);
  }
  return result;
}

// Entities of a 2.2 file whose elements each name their own group.
void copy_split(const std::string& file, const NodeNumbers& numbers, int dim, int entity, const Origin& origin,
                const GroupNumbers& group_numbers, const std::vector<std::pair<std::uint64_t, int>>& physical,
                GmshModel& model) {
  std::vector<int> types;
  std::vector<Tags> elements, nodes;
  gmsh::model::mesh::getElements(types, elements, nodes, dim, entity);
  refuse_mixed_orders(file, dim, entity, types, elements);
  for (std::size_t t = 0; t < types.size(); ++t) {
    const GmshType* type = gmsh_type(types[t]);
    if (!type)
      refuse(fmt::format("{} has elements of the unsupported Gmsh type {}", file, types[t]),
             "use geometric order 1 or 2");
    const int vertices = type->vertices();
    for (const auto& [groups, part] :
         split_by_groups(elements[t], nodes[t], type->nodes, vertices, dim, physical, group_numbers)) {
      if (dim < model.dim) {
        EntityElements copied{dim, origin.tag, type->shape, groups, {}};
        append(file, numbers, part, type->nodes, vertices, vertices, false, copied.vertices);
        model.elements.push_back(std::move(copied));
      } else {
        CellBlock& block = block_of_type(model, type->id);
        const Index first = block.cells();
        append(file, numbers, part, type->nodes, type->nodes, vertices, false, block.nodes);
        model.cells.push_back({static_cast<std::size_t>(&block - model.blocks.data()), first, block.cells() - first,
                               origin.tag, groups, origin.partition});
      }
    }
  }
}

}  // namespace

void set_order(const std::string& file, const std::vector<int>& types, const std::function<std::size_t(int)>& count,
               GmshModel& model) {
  if (types.empty())
    refuse(fmt::format("{} has no cells", file),
           "a mesh needs lines, triangles, quadrangles, tetrahedra, hexahedra or prisms; if it was saved with physical "
           "groups, Gmsh kept the elements of these groups only: add one for the cells");
  model.order = 0;
  for (int id : types) {
    const GmshType* type = gmsh_type(id);
    const std::string title = type ? fmt::format("{} (Gmsh type {})", type->name, id) : fmt::format("Gmsh type {}", id);
    if (!type || !type->convertible())
      refuse(fmt::format("{} has {} elements of an unsupported type: {}", file, count(id), title),
             "geometric orders 1 and 2 are read, 3 and 4 are converted: set Mesh.ElementOrder = 1 or 2");
    if (model.order != 0 && model.order != type->order)
      refuse(fmt::format("{} mixes cells of geometric orders 1 and 2", file), "write all cells with one order");
    model.order = type->order;
  }
  model.order = std::min(model.order, 2);  // those above are converted
}

CellBlock& block_of_type(GmshModel& model, int type) {
  for (std::size_t b = 0; b < model.blocks.size(); ++b)
    if (model.types[b] == type) return model.blocks[b];
  const GmshType& known = *gmsh_type(type);
  model.types.push_back(type);
  model.blocks.push_back({known.shape, known.order, known.nodes, {}, 0});
  return model.blocks.back();
}

GmshModel copy_model(const std::string& file, bool grouped_only, const MshFacts& facts) {
  GmshModel model;
  set_order(file, cell_types(model), count_elements, model);
  const NodeNumbers numbers = copy_points(file, model);
  const GroupNumbers group_numbers = copy_groups(facts.names, model);
  grouped_only = grouped_only && std::any_of(model.groups.begin(), model.groups.end(),
                                             [&](const PhysicalGroup& group) { return group.dim == model.dim; });
  gmsh::vectorpair entities;
  gmsh::model::getEntities(entities);
  std::sort(entities.begin(), entities.end());
  for (const auto& [dim, entity] : entities) {
    const Origin origin = origin_of(dim, entity);
    if (origin.is_between) continue;
    const std::vector<int> groups = groups_of(group_numbers, dim, entity);
    const auto own_groups = facts.split.find({dim, origin.tag});
    if (own_groups != facts.split.end() && dim <= model.dim) {
      copy_split(file, numbers, dim, entity, origin, group_numbers, own_groups->second, model);
    } else if (dim == model.dim) {
      if (!groups.empty() || !grouped_only) copy_cells(file, numbers, entity, origin, groups, model);
    } else if (dim < model.dim) {
      copy_lower(file, numbers, dim, entity, origin, groups, model);
    }
    std::string label;
    gmsh::model::getEntityName(dim, entity, label);
    if (!label.empty() && dim <= model.dim) model.labels.push_back({dim, entity, label});
  }
  convert_cells(file, model);
  if (model.cells.empty()) refuse(fmt::format("{} has no cells", file), "its physical groups of cells are empty");
  return model;
}

}  // namespace tessera::mesh
