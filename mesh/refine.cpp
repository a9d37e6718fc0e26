#include "mesh/refine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "base/team.hpp"
#include "mesh/elevate.hpp"
#include "mesh/geometry.hpp"
#include "mesh/refine_tables.hpp"
#include "mesh/side_table.hpp"

namespace tessera::mesh {
namespace {

/// Mean ratio of a tet, 12 (3V)^(2/3) / sum of squared edges: the same measure as quality(), without its tables.
double tet_quality(const double* a, const double* b, const double* c, const double* d) {
  double e[3][3], sum = 0;
  const double* x[4] = {a, b, c, d};
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) e[i][k] = x[i + 1][k] - a[k];
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < i; ++j)
      for (int k = 0; k < 3; ++k) sum += (x[i][k] - x[j][k]) * (x[i][k] - x[j][k]);
  const double det = e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) -
                     e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
                     e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
  return sum > 0 ? std::copysign(12 * std::pow(0.5 * std::abs(det), 2.0 / 3), det) / sum : 0;
}

/// The diagonal whose worst child is best; among equal ones (to round-off) the first.
std::int8_t best_cut(const Mesh& mesh, const Index* nodes) {
  const std::vector<Cut>& choices = cuts(Shape::tet);
  std::int8_t best = 0;
  double best_quality = -2;
  for (std::size_t k = 0; k < choices.size(); ++k) {
    double worst = 2;
    for (std::size_t c = 4; c < 8; ++c) {
      const auto& t = choices[k].children[c];
      worst = std::min(worst, tet_quality(mesh.point(nodes[t[0]]), mesh.point(nodes[t[1]]), mesh.point(nodes[t[2]]),
                                          mesh.point(nodes[t[3]])));
    }
    if (worst > best_quality + 1e-9) {
      best_quality = worst;
      best = static_cast<std::int8_t>(k);
    }
  }
  return best;
}

/// Children of order 1 over the nodes of `fine` (order 2). choice: the cut of each cell.
Mesh cut_cells(const Mesh& fine, std::vector<std::int8_t>& choice) {
  Mesh mesh;
  mesh.dim = fine.dim;
  mesh.order = 1;
  mesh.points = fine.points;
  const Index per_cell = Index{1} << fine.dim;
  if (Offset{fine.cells()} * per_cell > std::numeric_limits<Index>::max())
    throw Error(ExitCode::mesh,
                fmt::format("the refined mesh would have {} cells, more than 32-bit indices hold",
                            Offset{fine.cells()} * per_cell),
                "use fewer refinements");
  choice.assign(static_cast<std::size_t>(fine.cells()), 0);
  for (const CellBlock& old : fine.blocks) {
    const int vertices = vertex_count(old.shape);
    CellBlock block{old.shape, 1, vertices, {}, old.first_cell * per_cell};
    block.nodes.resize(static_cast<std::size_t>(old.cells()) * per_cell * vertices);
    const auto& choices = cuts(old.shape);
    const Index cells = old.cells();
    parallel_for(default_threads(), cells, [&](Index c) {
      const Index* nodes = old.cell(c);
      if (old.shape == Shape::tet) choice[old.first_cell + c] = best_cut(fine, nodes);
      Index* to = block.nodes.data() + static_cast<Offset>(c) * per_cell * vertices;
      for (const auto& child : choices[choice[old.first_cell + c]].children)
        for (std::int8_t v : child) *to++ = nodes[v];
    });
    mesh.blocks.push_back(std::move(block));
  }
  return mesh;
}

void refine_facets(const Mesh& parent, const std::vector<std::int8_t>& choice, Mesh& mesh) {
  const Index per_cell = Index{1} << parent.dim;
  std::vector<std::pair<Offset, Index>> children;  // code of the child's side, parent facet
  for (Index f = 0; f < parent.facets.size(); ++f) {
    const Index cell = parent.facets.cell[f];
    const Cut& cut = cuts(parent.block_of(cell).shape)[choice[cell]];
    for (const auto& [child, side] : cut.on_side[parent.facets.side[f]])
      children.push_back({SideTable::code(cell * per_cell + child, side), f});
  }
  std::sort(children.begin(), children.end());
  std::vector<std::vector<Index>> of_parent(static_cast<std::size_t>(parent.facets.size()));
  for (const auto& [code, f] : children) {
    of_parent[f].push_back(mesh.facets.size());
    mesh.facets.cell.push_back(SideTable::cell(code));
    mesh.facets.side.push_back(SideTable::side(code));
    mesh.facets.exterior.push_back(parent.facets.exterior[f]);
  }
  for_each_group(mesh, [&](Group& group) {
    if (group.dim != parent.dim - 1) return;
    std::vector<Index> fine;
    for (Index f : group.entities) fine.insert(fine.end(), of_parent[f].begin(), of_parent[f].end());
    std::sort(fine.begin(), fine.end());
    group.entities = std::move(fine);
  });
}

void refine_cell_groups(const Mesh& parent, Mesh& mesh) {
  const Index per_cell = Index{1} << parent.dim;
  for_each_group(mesh, [&](Group& group) {
    if (group.dim != parent.dim) return;
    std::vector<Index> cells;
    cells.reserve(group.entities.size() * per_cell);
    for (Index cell : group.entities)
      for (Index k = 0; k < per_cell; ++k) cells.push_back(cell * per_cell + k);
    group.entities = std::move(cells);
  });
}

/// Curves of a 3-D mesh: each edge becomes its two halves. `fine` is the parent with nodes of order 2.
void refine_curves(const Mesh& fine, Mesh& mesh) {
  if (fine.dim != 3) return;
  std::vector<std::array<Index, 2>> wanted;
  auto key = [](Index a, Index b) { return std::array{std::min(a, b), std::max(a, b)}; };
  for_each_group(fine, [&](const Group& group) {
    for (std::size_t i = 0; group.dim == 1 && i + 1 < group.vertices.size(); i += 2)
      wanted.push_back(key(group.vertices[i], group.vertices[i + 1]));
  });
  if (wanted.empty()) return;
  std::sort(wanted.begin(), wanted.end());
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  std::vector<Index> middle(wanted.size(), -1);
  for (const CellBlock& block : fine.blocks) {
    const auto& local = topology(block.shape).edges;
    for (Index c = 0; c < block.cells(); ++c)
      for (std::size_t e = 0; e < local.size(); ++e) {
        const auto edge = key(block.cell(c)[local[e][0]], block.cell(c)[local[e][1]]);
        const auto at = std::lower_bound(wanted.begin(), wanted.end(), edge);
        if (at != wanted.end() && *at == edge)
          middle[at - wanted.begin()] = block.cell(c)[vertex_count(block.shape) + static_cast<int>(e)];
      }
  }
  for_each_group(mesh, [&](Group& group) {
    if (group.dim != 1) return;
    const bool is_entity = &group >= mesh.entities.data() && &group < mesh.entities.data() + mesh.entities.size();
    std::vector<Index> halves;
    for (std::size_t i = 0; i + 1 < group.vertices.size(); i += 2) {
      const Index a = group.vertices[i], b = group.vertices[i + 1];
      const Index m = middle[std::lower_bound(wanted.begin(), wanted.end(), key(a, b)) - wanted.begin()];
      if (m < 0 && is_entity) continue;  // a curve that nobody named, such as a beam beside the solid
      if (m < 0)
        throw Error(ExitCode::mesh,
                    fmt::format("curve '{}' runs along {}-{}, which is no edge of a cell", group.name, a, b),
                    "mesh the curve together with the volume, so that cells have it as edges");
      halves.insert(halves.end(), {a, m, m, b});
    }
    group.vertices = std::move(halves);
  });
}

/// Moves the new nodes of `mesh` (elevated children) onto the curved map of their parents in `parent`.
void curve_new_nodes(const Mesh& parent, const std::vector<std::int8_t>& choice, Mesh& mesh) {
  const Index per_cell = Index{1} << parent.dim;
  const int dim = parent.dim;
  std::vector<char> placed(static_cast<std::size_t>(mesh.nodes()), 0);
  for (std::size_t b = 0; b < parent.blocks.size(); ++b) {
    const CellBlock& old = parent.blocks[b];
    const CellBlock& block = mesh.blocks[b];
    const auto xi = reference_nodes(old.shape, 2), child_xi = reference_nodes(old.shape, 2);
    const int n = block.nodes_per_cell, vertices = vertex_count(old.shape);
    // Where each node of each child lies in the parent: the child's linear map, then the parent's shape functions.
    std::vector<double> phi(cuts(old.shape).size() * per_cell * n * n);
    for (std::size_t k = 0; k < cuts(old.shape).size(); ++k)
      for (Index j = 0; j < per_cell; ++j)
        for (int i = 0; i < n; ++i) {
          std::array<double, max_nodes> linear;
          shape_functions(old.shape, 1, child_xi.data() + i * dim, linear.data(), nullptr);
          std::array<double, 3> at{};
          for (int v = 0; v < vertices; ++v)
            for (int d = 0; d < dim; ++d) at[d] += linear[v] * xi[cuts(old.shape)[k].children[j][v] * dim + d];
          shape_functions(old.shape, 2, at.data(), phi.data() + ((k * per_cell + j) * n + i) * n, nullptr);
        }
    for (Index c = 0; c < old.cells(); ++c)
      for (Index j = 0; j < per_cell; ++j)
        for (int i = vertices; i < n; ++i) {
          const Index node = block.cell(c * per_cell + j)[i];
          if (placed[node]++) {
            placed[node] = 1;
            continue;
          }
          const double* weight = phi.data() + ((choice[old.first_cell + c] * std::size_t(per_cell) + j) * n + i) * n;
          for (int d = 0; d < 3; ++d) {
            double x = 0;
            for (int p = 0; p < n; ++p) x += weight[p] * parent.point(old.cell(c)[p])[d];
            mesh.points[3 * static_cast<std::size_t>(node) + d] = x;
          }
        }
  }
}

}  // namespace

Mesh refine(const Mesh& mesh) {
  const bool curved = mesh.order == 2;
  const Mesh elevated = curved ? Mesh{} : elevate(mesh);
  const Mesh& fine = curved ? mesh : elevated;
  std::vector<std::int8_t> choice;
  Mesh result = cut_cells(fine, choice);
  result.groups = fine.groups;
  result.entities = fine.entities;
  refine_facets(fine, choice, result);
  refine_cell_groups(fine, result);
  refine_curves(fine, result);
  if (!curved) return result;
  result = elevate(result);
  curve_new_nodes(mesh, choice, result);
  return result;
}

}  // namespace tessera::mesh
