#include "mesh/conformity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/team.hpp"
#include "mesh/facets.hpp"
#include "mesh/point_tree.hpp"

namespace tessera::mesh {
namespace {

/// How near, measured by the cells there, is the same place: files written with seven digits still touch.
constexpr double near = 1e-6;
/// How deep, measured by the height of the cell, is inside for certain.
constexpr double deep = 1e-9;
/// How near to an interior side is on it; flatter cells than that are refused as degenerate.
constexpr double exact = 1e-13;

/// For each side of a shape, the affine function of reference coordinates that is 0 on the side and 1 at the farthest
/// vertex: [sides][constant, xi, eta, zeta].
std::vector<std::array<double, 4>> make_side_functions(Shape shape) {
  const int dim = dimension(shape), vertices = vertex_count(shape);
  const auto x = reference_nodes(shape, 1);
  std::vector<std::array<double, 4>> functions;
  for (const auto& facet : topology(shape).facets) {
    std::array<std::array<double, 3>, 3> p{};
    for (int v = 0; v < std::min(dim, 3); ++v)
      for (int d = 0; d < dim; ++d) p[v][d] = x[facet.vertices[v] * dim + d];
    std::array<double, 3> n{1, 0, 0};
    if (dim == 2) n = {p[1][1] - p[0][1], p[0][0] - p[1][0], 0};
    if (dim == 3)
      for (int d = 0; d < 3; ++d) {
        const int e = (d + 1) % 3, f = (d + 2) % 3;
        n[d] = (p[1][e] - p[0][e]) * (p[2][f] - p[0][f]) - (p[1][f] - p[0][f]) * (p[2][e] - p[0][e]);
      }
    double far = 0;
    for (int v = 0; v < vertices; ++v) {
      double height = 0;
      for (int d = 0; d < dim; ++d) height += n[d] * (x[v * dim + d] - p[0][d]);
      if (std::abs(height) > std::abs(far)) far = height;
    }
    std::array<double, 4> function{};
    for (int d = 0; d < dim; ++d) {
      function[d + 1] = n[d] / far;
      function[0] -= n[d] / far * p[0][d];
    }
    functions.push_back(function);
  }
  return functions;
}

const std::vector<std::array<double, 4>>& side_functions(Shape shape) {
  static const std::array<std::vector<std::array<double, 4>>, shape_count> tables = [] {
    std::array<std::vector<std::array<double, 4>>, shape_count> all;
    for (int s = 1; s < shape_count; ++s) all[s] = make_side_functions(static_cast<Shape>(s));
    return all;
  }();
  return tables[static_cast<int>(shape)];
}

bool is_exterior(const Mesh& mesh, Index cell, int side) {
  const Facets& facets = mesh.facets;
  auto at = std::lower_bound(facets.cell.begin(), facets.cell.end(), cell) - facets.cell.begin();
  for (; at < facets.size() && facets.cell[at] == cell; ++at)
    if (facets.side[at] == side) return facets.exterior[at];
  return false;
}

double distance(const double* a, const double* b) { return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]); }

/// The vertices of exterior facets, ascending, and what is found at each.
class Search {
 public:
  Search(const Mesh& mesh, std::span<const std::string> apart);
  Misfits run();

 private:
  /// Where a vertex lies in a cell that does not have it: on an exterior side, on an interior one, or inside.
  enum class Place { elsewhere, on_side, between, inside };

  void measure_edges(const CellBlock& block);
  void look_into_cells(const CellBlock& block);
  void look_around_vertices();
  bool same_place(Index a, Index b) const;
  std::array<double, 6> round_off(const CellBlock& block, Index local, const std::array<double, 3>& xi) const;
  Place place(const CellBlock& block, Index local, Index vertex) const;
  static void lower(double& shortest, double length) {
    std::atomic_ref<double> least(shortest);
    for (double known = least.load(); length < known && !least.compare_exchange_weak(known, length);) {
    }
  }
  /// Keeps the lowest-numbered thing that is met, so that the message does not depend on threads.
  static void meet(std::vector<Index>& met, Index vertex, Index other) {
    std::atomic_ref<Index> least(met[vertex]);
    for (Index known = least.load(); (known < 0 || other < known) && !least.compare_exchange_weak(known, other);) {
    }
  }
  Misfits::Kind kind(const std::vector<Index>& met) const;

  const Mesh& mesh_;
  std::vector<Index> vertices_;                                 ///< [boundary vertices] node
  std::vector<Index> number_;                                   ///< [nodes] boundary vertex, or -1
  std::vector<double> edge_;                                    ///< [boundary vertices] length of its shortest edge
  std::vector<Index> coincident_, hanging_, between_, inside_;  ///< [boundary vertices] what each meets, or -1
  std::vector<char> apart_;                                     ///< [nodes] of groups that may touch others; or empty
  PointTree tree_{{}};
  double round_off_ = 0;
};

Search::Search(const Mesh& mesh, std::span<const std::string> apart)
    : mesh_(mesh), number_(static_cast<std::size_t>(mesh.nodes()), -1) {
  for (Index f = 0; f < mesh.facets.size(); ++f)
    if (mesh.facets.exterior[f])
      for (const Index v : side_vertices(mesh, mesh.facets.cell[f], mesh.facets.side[f]))
        if (v >= 0) number_[v] = 0;
  std::vector<PointTree::Point> points;
  double largest = 0;
  for (Index node = 0; node < mesh.nodes(); ++node) {
    if (number_[node] < 0) continue;
    number_[node] = static_cast<Index>(vertices_.size());
    vertices_.push_back(node);
    const double* x = mesh.point(node);
    points.push_back({x[0], x[1], x[2]});
    for (int d = 0; d < 3; ++d) largest = std::max(largest, std::abs(x[d]));
  }
  round_off_ = 16 * std::numeric_limits<double>::epsilon() * largest;
  const std::size_t count = vertices_.size();
  edge_.assign(count, std::numeric_limits<double>::infinity());
  coincident_.assign(count, -1);
  hanging_.assign(count, -1);
  between_.assign(count, -1);
  inside_.assign(count, -1);
  tree_ = PointTree(std::move(points));
  for (const std::string& name : apart) {
    const Group* const group = mesh.group(name, mesh.dim - 1);
    if (!group) continue;
    apart_.resize(number_.size(), 0);
    for (const Index f : group->entities)
      for (const Index v : side_vertices(mesh, mesh.facets.cell[f], mesh.facets.side[f]))
        if (v >= 0) apart_[v] = 1;
  }
}

void Search::measure_edges(const CellBlock& block) {
  const auto& edges = topology(block.shape).edges;
  const Index cells = block.cells();
  parallel_for(default_threads(), cells, [&](Offset cell) {
    const auto c = static_cast<Index>(cell);
    for (const auto& edge : edges) {
      const Index ends[2] = {block.cell(c)[edge[0]], block.cell(c)[edge[1]]};
      if (number_[ends[0]] < 0 && number_[ends[1]] < 0) continue;
      const double length = distance(mesh_.point(ends[0]), mesh_.point(ends[1]));
      for (const Index end : ends)
        if (number_[end] >= 0) lower(edge_[number_[end]], length);
    }
  });
}

void Search::look_around_vertices() {
  const Index count = tree_.size();
  parallel_for(default_threads(), count, [&](Offset number) {
    const auto v = static_cast<Index>(number);
    const PointTree::Point& x = tree_.point(v);
    const double reach = near * edge_[v] + round_off_;
    BoundingBox box;
    for (int d = 0; d < 3; ++d) {
      box.min[d] = x[d] - reach;
      box.max[d] = x[d] + reach;
    }
    tree_.in_box(box, [&](Index other) {
      if (other != v && same_place(v, other)) meet(coincident_, v, vertices_[other]);
    });
  });
}

bool Search::same_place(Index a, Index b) const {
  const double shortest = std::min(edge_[a], edge_[b]);
  const double apart = distance(tree_.point(a).data(), tree_.point(b).data());
  return apart <= near * shortest + round_off_ && apart < 0.1 * shortest;
}

/// By how much the side functions of a cell at xi may be wrong because coordinates are rounded: [sides].
std::array<double, 6> Search::round_off(const CellBlock& block, Index local, const std::array<double, 3>& xi) const {
  std::array<double, max_nodes> phi;
  std::array<double, 3 * max_nodes> dphi;
  double J[9], size[3] = {};
  shape_functions(block.shape, block.order, xi.data(), phi.data(), dphi.data());
  const double det = jacobian(mesh_, block, local, dphi.data(), J);
  for (int v = 0; v < vertex_count(block.shape); ++v)
    for (int d = 0; d < 3; ++d) size[d] = std::max(size[d], std::abs(mesh_.point(block.cell(local)[v])[d]));
  const auto& functions = side_functions(block.shape);
  std::array<double, 6> result{};
  for (int d = 0; d < 3; ++d) {
    // Column d of J^-1, by cofactors: how xi moves with coordinate d.
    const int e = (d + 1) % 3, f = (d + 2) % 3;
    double column[3];
    for (int k = 0; k < 3; ++k) {
      const int l = (k + 1) % 3, m = (k + 2) % 3;
      column[k] = (J[3 * e + l] * J[3 * f + m] - J[3 * e + m] * J[3 * f + l]) / det;
    }
    for (std::size_t side = 0; side < functions.size(); ++side) {
      double slope = 0;
      for (int k = 0; k < mesh_.dim; ++k) slope += functions[side][k + 1] * column[k];
      result[side] += 4 * std::numeric_limits<double>::epsilon() * size[d] * std::abs(slope);
    }
  }
  return result;
}

Search::Place Search::place(const CellBlock& block, Index local, Index vertex) const {
  const Index* nodes = block.cell(local);
  for (int v = 0; v < vertex_count(block.shape); ++v) {
    const Index corner = number_[nodes[v]];
    if (corner >= 0 && (corner == vertex || same_place(corner, vertex))) return Place::elsewhere;
  }
  std::array<double, 3> xi{};
  if (!reference_coordinates(mesh_, block, local, tree_.point(vertex), xi)) return Place::elsewhere;
  const auto& functions = side_functions(block.shape);
  std::array<double, 6> depth{};
  for (std::size_t side = 0; side < functions.size(); ++side) {
    const auto& f = functions[side];
    depth[side] = f[0] + f[1] * xi[0] + f[2] * xi[1] + f[3] * xi[2];
    if (depth[side] < -2 * near) return Place::elsewhere;
  }
  const std::array<double, 6> rounded = round_off(block, local, xi);
  Place found = Place::inside;
  for (std::size_t side = 0; side < functions.size(); ++side) {
    if (depth[side] > near + rounded[side]) continue;
    if (depth[side] < -(near + rounded[side])) return Place::elsewhere;
    if (is_exterior(mesh_, block.first_cell + local, static_cast<int>(side))) return Place::on_side;
    if (depth[side] > deep + rounded[side]) continue;
    found = depth[side] < -(exact + rounded[side]) || found == Place::elsewhere ? Place::elsewhere : Place::between;
  }
  return found;
}

void Search::look_into_cells(const CellBlock& block) {
  const Index cells = block.cells();
  parallel_for(default_threads(), cells, [&](Offset cell) {
    const auto c = static_cast<Index>(cell);
    BoundingBox box = cell_box(mesh_, block, c);
    for (int d = 0; d < 3; ++d) {
      const double margin = 2 * near * (box.max[d] - box.min[d]) + round_off_;
      box.min[d] -= margin;
      box.max[d] += margin;
    }
    tree_.in_box(box, [&](Index vertex) {
      const Place found = place(block, c, vertex);
      if (found == Place::on_side) meet(hanging_, vertex, block.first_cell + c);
      if (found == Place::between) meet(between_, vertex, block.first_cell + c);
      if (found == Place::inside) meet(inside_, vertex, block.first_cell + c);
    });
  });
}

Misfits::Kind Search::kind(const std::vector<Index>& met) const {
  Misfits::Kind result;
  for (std::size_t v = 0; v < met.size(); ++v) {
    if (met[v] < 0 || (!apart_.empty() && apart_[vertices_[v]])) continue;
    if (result.count++ > 0) continue;
    result.vertex = vertices_[v];
    result.other = met[v];
  }
  return result;
}

Misfits Search::run() {
  for (const CellBlock& block : mesh_.blocks) measure_edges(block);
  look_around_vertices();
  for (const CellBlock& block : mesh_.blocks) look_into_cells(block);
  // On an interior side of one cell and on no exterior side of another: inside of the mesh. (A vertex that hangs on an
  // edge is on interior sides of some cells around the edge.)
  for (std::size_t v = 0; v < between_.size(); ++v)
    if (between_[v] >= 0 && hanging_[v] < 0 && inside_[v] < 0) inside_[v] = between_[v];
  return {kind(coincident_), kind(hanging_), kind(inside_)};
}

std::string at(const double* x) { return fmt::format("({:g}, {:g}, {:g})", x[0], x[1], x[2]); }

std::string cell_text(const Mesh& mesh, Index cell) {
  const auto centre = centroid(mesh, cell);
  return fmt::format("cell {}, a {} around {}", cell, name(mesh.block_of(cell).shape), at(centre.data()));
}

constexpr const char* join_parts =
    "mesh the parts together: in Gmsh, BooleanFragments (OpenCASCADE) or Coherence joins volumes before meshing";

}  // namespace

Misfits find_misfits(const Mesh& mesh, std::span<const std::string> apart) { return Search(mesh, apart).run(); }

void check_conformity(const Mesh& mesh, bool allow_cracks, std::span<const std::string> apart) {
  const Misfits misfits = find_misfits(mesh, apart);
  if (const auto& kind = misfits.inside; kind.count > 0)
    throw Error(ExitCode::mesh,
                fmt::format("cells overlap: {} vertices of the boundary lie inside cells; the first is {}, inside {}",
                            kind.count, at(mesh.point(kind.vertex)), cell_text(mesh, kind.other)),
                join_parts);
  const Index touching = misfits.coincident.count + misfits.hanging.count;
  if (touching == 0) return;
  if (allow_cracks) {
    log_info(fmt::format("{} vertices touch other cells without being theirs: mesh.allow_cracks keeps them apart",
                         touching));
    return;
  }
  const auto& same = misfits.coincident;
  const auto& hanging = misfits.hanging;
  if (hanging.count > 0)
    throw Error(
        ExitCode::mesh,
        fmt::format("the mesh is not conforming: {} hanging vertices lie on sides of cells that do not have "
                    "them{}; the first is {}, on a side of {}: nothing passes there",
                    hanging.count, same.count > 0 ? fmt::format(", and {} coincide with others", same.count) : "",
                    at(mesh.point(hanging.vertex)), cell_text(mesh, hanging.other)),
        fmt::format("{}; if the sides are meant to be apart (cracks), say mesh.allow_cracks = true, or, where heat is "
                    "to pass between them, name both in a boundary of type = \"contact\"",
                    join_parts));
  throw Error(
      ExitCode::mesh,
      fmt::format("{} vertices lie where another one does, and cells use either: the first are nodes {} and {} at {}: "
                  "nothing passes between their cells",
                  same.count, same.vertex, same.other, at(mesh.point(same.vertex))),
      "say mesh.merge_nodes = 1e-9 (a length) to make one of nodes that lie so near; or mesh.allow_cracks = true if "
      "the sides are meant to be apart, or, where heat is to pass between them, a boundary of type = "
      "\"contact\" on both");
}

}  // namespace tessera::mesh
