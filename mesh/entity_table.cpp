#include "mesh/entity_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/counted.hpp"
#include "mesh/geometry.hpp"
#include "mesh/group_items.hpp"
#include "mesh/partition.hpp"

namespace tessera::mesh {

namespace {

/// Below this, in units of the area, a sum of area vectors is nothing: the surface is closed.
constexpr double closed_below = 1e-9;

void add_node(const Mesh& mesh, Index node, EntityRow& row) {
  for (int d = 0; d < 3; ++d) {
    row.min[d] = std::min(row.min[d], mesh.point(node)[d]);
    row.max[d] = std::max(row.max[d], mesh.point(node)[d]);
  }
}

void add_item(double size, const std::array<double, 3>& centre, EntityRow& row) {
  ++row.count;
  row.size += size;
  for (int d = 0; d < 3; ++d) row.centre[d] += size * centre[d];
}

void add_cell(const Mesh& mesh, Index cell, EntityRow& row) {
  const CellBlock& block = mesh.block_of(cell);
  for (int n = 0; n < block.nodes_per_cell; ++n) add_node(mesh, block.cell(cell - block.first_cell)[n], row);
  add_item(cell_measure(mesh, cell), centroid(mesh, cell), row);
}

void add_facet(const Mesh& mesh, Index facet, EntityRow& row) {
  const Index cell = mesh.facets.cell[facet];
  const CellBlock& block = mesh.block_of(cell);
  const auto nodes = facet_nodes(block.shape, mesh.facets.side[facet], block.order);
  std::array<double, 3> centre{};
  for (std::int8_t local : nodes) {
    const Index node = block.cell(cell - block.first_cell)[local];
    add_node(mesh, node, row);
    for (int d = 0; d < 3; ++d) centre[d] += mesh.point(node)[d] / static_cast<double>(nodes.size());
  }
  add_item(facet_measure(mesh, facet), centre, row);
  const auto normal = area_vector(mesh, facet);
  for (int d = 0; d < 3; ++d) row.normal[d] += normal[d];
  row.exterior = row.exterior && mesh.facets.exterior[facet];
  row.some_exterior = row.some_exterior || mesh.facets.exterior[facet];
}

void add_edge(const Mesh& mesh, Index a, Index b, EntityRow& row) {
  std::array<double, 3> centre;
  double length = 0;
  for (int d = 0; d < 3; ++d) {
    centre[d] = 0.5 * (mesh.point(a)[d] + mesh.point(b)[d]);
    length = std::hypot(length, mesh.point(a)[d] - mesh.point(b)[d]);
  }
  add_node(mesh, a, row);
  add_node(mesh, b, row);
  add_item(length, centre, row);
}

EntityRow make_row(const Mesh& mesh, const Group& group, bool is_group) {
  EntityRow row;
  row.name = group.name;
  row.dim = group.dim;
  row.is_group = is_group;
  row.min.fill(std::numeric_limits<double>::infinity());
  row.max.fill(-std::numeric_limits<double>::infinity());
  row.exterior = group.dim == mesh.dim - 1 && !group.entities.empty();
  if (group.dim == mesh.dim)
    for (Index cell : group.entities) add_cell(mesh, cell, row);
  else if (group.dim == mesh.dim - 1)
    for (Index facet : group.entities) add_facet(mesh, facet, row);
  else if (group.dim == 1)
    for (std::size_t v = 0; v + 1 < group.vertices.size(); v += 2)
      add_edge(mesh, group.vertices[v], group.vertices[v + 1], row);
  else
    for (Index node : group.vertices) {
      add_node(mesh, node, row);
      add_item(1, {mesh.point(node)[0], mesh.point(node)[1], mesh.point(node)[2]}, row);
    }
  const double sum = row.size;
  for (double& x : row.centre) x = sum > 0 ? x / sum : 0;
  // Vertices span area vectors: on curved facets their own area, not the curved one, makes the normal of a flat surface
  // 1 long.
  double spanned = 0;
  if (row.exterior)
    for (Index facet : group.entities) {
      const auto v = area_vector(mesh, facet);
      spanned += std::hypot(v[0], v[1], v[2]);
    }
  for (double& x : row.normal) x = spanned > 0 ? x / spanned : 0;
  if (group.dim == 0) row.size = 0;
  return row;
}

/// Whether an item of `entity` is in `group`: of facets and cells the first, as only partitions overlap with others.
bool holds(const Group& group, const Group& entity) {
  if (group.dim != entity.dim) return false;
  const auto has = [&](Index item) { return std::binary_search(group.entities.begin(), group.entities.end(), item); };
  if (partition_number(entity)) return std::any_of(entity.entities.begin(), entity.entities.end(), has);
  if (!entity.entities.empty()) return has(entity.entities.front());
  const std::size_t width = static_cast<std::size_t>(entity.dim) + 1;
  for (std::size_t v = 0; v + width <= group.vertices.size() && entity.vertices.size() >= width; v += width)
    if (std::is_permutation(entity.vertices.begin(), entity.vertices.begin() + static_cast<std::ptrdiff_t>(width),
                            group.vertices.begin() + static_cast<std::ptrdiff_t>(v)))
      return true;
  return false;
}

/// Numbers of one triple are rounded against the largest extent of the mesh, so that 1e-17 reads 0.
std::string triple(const std::array<double, 3>& x, double scale, int dim) {
  std::array<double, 3> rounded;
  for (int d = 0; d < 3; ++d) rounded[d] = std::abs(x[d]) < 1e-9 * scale ? 0 : x[d];
  return fmt::format("({:.4g})", fmt::join(rounded.begin(), rounded.begin() + dim, ", "));
}

std::string normal_text(const EntityRow& row, const Mesh& mesh) {
  if (row.dim != mesh.dim - 1 || row.count == 0) return "";
  if (!row.exterior) return row.some_exterior ? "partly inside" : "inside";
  const double length = std::hypot(row.normal[0], row.normal[1], row.normal[2]);
  if (length < closed_below) return "closed";
  std::array<double, 3> n = row.normal;
  for (double& x : n) x /= length;
  // Round-off of a flat surface stays far below the millionth that tells it from a curved one.
  return triple(n, 1e3, mesh.dim) + (length > 1 - 1e-6 ? "" : " curved");
}

constexpr const char* kinds[] = {"point", "curve", "surface", "volume"};

std::vector<std::string> cells_of(const EntityRow& row, const Mesh& mesh, double extent) {
  const char* item = row.dim == mesh.dim ? "cell" : row.dim == mesh.dim - 1 ? "facet" : row.dim == 1 ? "edge" : "node";
  return {row.name,
          kinds[row.dim],
          counted(row.count, item),
          row.dim == 0 ? "" : fmt::format("{:.4g}", row.size),
          row.count > 0 ? triple(row.centre, extent, mesh.dim) : "",
          normal_text(row, mesh),
          row.count > 0 ? fmt::format("{} to {}", triple(row.min, extent, mesh.dim), triple(row.max, extent, mesh.dim))
                        : "",
          row.is_group ? "" : fmt::format("{}", fmt::join(row.in, ", "))};
}

std::string aligned(const std::vector<std::vector<std::string>>& lines) {
  std::vector<std::size_t> widths(lines.front().size(), 0);
  std::vector<bool> used(widths.size(), false);  // a column that is empty in all rows is left out
  for (const auto& line : lines)
    for (std::size_t c = 0; c < line.size(); ++c) {
      widths[c] = std::max(widths[c], line[c].size());
      used[c] = used[c] || (&line != &lines.front() && !line[c].empty());
    }
  std::string result;
  for (const auto& line : lines) {
    std::string row;
    for (std::size_t c = 0; c < line.size(); ++c)
      if (used[c]) row += fmt::format("{:<{}}  ", line[c], widths[c]);
    row.erase(row.find_last_not_of(' ') + 1);
    result += "  " + row + "\n";
  }
  return result;
}

std::vector<EntityRow> rows_of(const Mesh& mesh, bool with_entities) {
  std::vector<EntityRow> rows;
  for (int dim = mesh.dim; dim >= 0; --dim)
    for (const Group& group : mesh.groups)
      if (group.dim == dim) rows.push_back(make_row(mesh, group, true));
  for (int dim = mesh.dim; dim >= 0; --dim) {
    const bool has_groups =
        std::any_of(mesh.groups.begin(), mesh.groups.end(), [&](const Group& group) { return group.dim == dim; });
    if (has_groups && !with_entities) continue;
    for (const Group& entity : mesh.entities) {
      if (entity.dim != dim) continue;
      rows.push_back(make_row(mesh, entity, false));
      for (const Group& group : mesh.groups)
        if (holds(group, entity)) rows.back().in.push_back(group.name);
    }
  }
  return rows;
}

}  // namespace

std::vector<EntityRow> entity_rows(const Mesh& mesh) { return rows_of(mesh, true); }

std::string entity_table(const Mesh& mesh, std::size_t most, bool with_entities) {
  const std::vector<EntityRow> rows = rows_of(mesh, with_entities);
  if (rows.empty()) return {};
  const BoundingBox box = bounding_box(mesh);
  double extent = 0;
  for (int d = 0; d < 3; ++d) extent = std::max(extent, box.max[d] - box.min[d]);
  std::vector<std::vector<std::string>> lines{{"name", "kind", "items", "size", "centre", "normal", "between", "in"}};
  const std::size_t shown = most > 0 ? std::min(most, rows.size()) : rows.size();
  for (std::size_t r = 0; r < shown; ++r) lines.push_back(cells_of(rows[r], mesh, extent));
  std::string text = aligned(lines);
  if (shown < rows.size()) text += fmt::format("  ... {} more: `tessera mesh DECK --list`\n", rows.size() - shown);
  return text;
}

}  // namespace tessera::mesh
