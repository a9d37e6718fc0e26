#include "assembly/edge/boundary_normals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <span>

#include "assembly/space/geometry_map.hpp"
#include "assembly/space/quadrature.hpp"
#include "base/error.hpp"

namespace tessera::assembly {
namespace {

/// Side `side` of the cells of a block at the points of a rule that integrates phi_i phi_j n exactly: the normal's
/// length is a product of dim - 1 tangents.
struct SideTables {
  const Quadrature& rule;
  const std::vector<int>& local;  ///< dofs on the side
  GeometryMap map;
  std::vector<double> phi;  ///< [points, dofs on the side]
  std::array<double, 3> normal;

  SideTables(const mesh::CellBlock& cells, int order, LineNodes nodes, int side)
      : rule(quadrature(mesh::topology(cells.shape).facets[side].shape,
                        2 * order + (mesh::dimension(cells.shape) - 1) * cells.order)),
        local(facet_local_dofs(cells.shape, order, side)),
        map(cells, facet_to_cell(cells.shape, side, rule.points)),
        normal(reference_normal(cells.shape, side)) {
    std::vector<double> all, unused;
    const Element& element = lagrange(cells.shape, order, nodes);
    tabulate(element, facet_to_cell(cells.shape, side, rule.points), all, unused);
    for (int q = 0; q < rule.size(); ++q)
      for (const int n : local) phi.push_back(all[q * element.nodes + n]);
  }

  /// n ds at point q: |det J| J^-T n w  (Nanson).
  std::array<double, 3> normal_at(const mesh::Mesh& mesh, const Index* cell, int q) const {
    double J[9], inverse[9];
    const double det = map.jacobian(mesh, cell, q, J);
    GeometryMap::invert(J, map.dim, inverse);
    std::array<double, 3> n{};
    for (int d = 0; d < map.dim; ++d)
      for (int a = 0; a < map.dim; ++a) n[d] += inverse[a * map.dim + d] * normal[a] * std::abs(det) * rule.weights[q];
    return n;
  }
};

/// Contribution of one facet to a pair; sorted by pair, then in the order of the facets.
struct Contribution {
  Index i, j;
  Index facet;
  std::array<double, 3> s;
};

std::vector<Contribution> integrate(const mesh::Mesh& mesh, const DofMap& map, const mesh::Group& group) {
  std::vector<Contribution> result;
  std::map<std::pair<std::size_t, int>, SideTables> known;
  for (const Index facet : group.entities) {
    const Index number = mesh.facets.cell[facet];
    const mesh::CellBlock& cells = mesh.block_of(number);
    const std::size_t b = static_cast<std::size_t>(&cells - mesh.blocks.data());
    const int side = mesh.facets.side[facet];
    const SideTables& tables = known.try_emplace({b, side}, cells, map.order, map.nodes, side).first->second;
    const Index* dofs = map.blocks[b].cell(number - cells.first_cell);
    const int n = static_cast<int>(tables.local.size());
    std::vector<std::array<double, 3>> sums(static_cast<std::size_t>(n) * n);
    for (int q = 0; q < tables.rule.size(); ++q) {
      const std::array<double, 3> normal = tables.normal_at(mesh, cells.cell(number - cells.first_cell), q);
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
          for (int d = 0; d < 3; ++d) sums[i * n + j][d] += tables.phi[q * n + i] * tables.phi[q * n + j] * normal[d];
    }
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        result.push_back({dofs[tables.local[i]], dofs[tables.local[j]], facet, sums[i * n + j]});
  }
  std::sort(result.begin(), result.end(), [](const Contribution& a, const Contribution& b) {
    return std::tie(a.i, a.j, a.facet) < std::tie(b.i, b.j, b.facet);
  });
  return result;
}

}  // namespace

std::vector<FacetNormal> nodal_facet_normals(const mesh::Mesh& mesh, const DofMap& map, const mesh::Group& group) {
  std::vector<FacetNormal> result;
  std::vector<Contribution> contributions = integrate(mesh, map, group);
  std::stable_sort(contributions.begin(), contributions.end(), [](const Contribution& a, const Contribution& b) {
    return std::tie(a.i, a.facet) < std::tie(b.i, b.facet);
  });
  for (const Contribution& c : contributions) {  // phi_i = sum_j phi_i phi_j
    if (result.empty() || result.back().dof != c.i || result.back().facet != c.facet)
      result.push_back({c.i, c.facet, {}});
    for (std::size_t d = 0; d < 3; ++d) result.back().n[d] += c.s[d];
  }
  return result;
}

mesh::Group exterior_group(const mesh::Mesh& mesh) {
  mesh::Group group{"exterior", mesh.dim - 1, {}, {}};
  for (Index facet = 0; facet < mesh.facets.size(); ++facet)
    if (mesh.facets.exterior[facet]) group.entities.push_back(facet);
  return group;
}

BoundaryNormals<Host> boundary_normals_on_host(const mesh::Mesh& mesh, const DofMap& map, const mesh::Group& group) {
  if (group.dim != mesh.dim - 1)
    throw Error(ExitCode::internal,
                fmt::format("group '{}' of dimension {} is no boundary of a mesh of dimension {}", group.name,
                            group.dim, mesh.dim),
                "name a group of facets");
  const std::vector<Contribution> contributions = integrate(mesh, map, group);
  std::vector<Index> dofs, cols;
  std::vector<Offset> row_ptr{0};
  std::vector<std::array<double, 3>> s, normal;
  for (const Contribution& c : contributions) {
    if (dofs.empty() || dofs.back() != c.i) {
      dofs.push_back(c.i);
      row_ptr.push_back(row_ptr.back());
      normal.push_back({});
    }
    if (row_ptr.back() == row_ptr[row_ptr.size() - 2] || cols.back() != c.j) {
      cols.push_back(c.j);
      s.push_back({});
      ++row_ptr.back();
    }
    for (int d = 0; d < 3; ++d) {
      s.back()[d] += c.s[d];
      normal.back()[d] += c.s[d];
    }
  }
  auto columns = [&](const std::vector<std::array<double, 3>>& rows) {
    std::vector<double> values;
    for (int d = 0; d < mesh.dim; ++d)
      for (const auto& row : rows) values.push_back(row[d]);
    return to_space<Host>(values);
  };
  return {mesh.dim, to_space<Host>(dofs), to_space<Host>(row_ptr), to_space<Host>(cols), columns(s), columns(normal)};
}

void check_boundary(int function_dim, int dim, Offset u, int inputs, Offset f, int outputs) {
  if (function_dim != dim)
    throw Error(ExitCode::internal,
                fmt::format("a boundary function of dimension {} on a boundary in dimension {}", function_dim, dim),
                "take the function of the mesh's dimension");
  if (u % inputs != 0 || f % outputs != 0 || u / inputs != f / outputs)
    throw Error(ExitCode::internal, fmt::format("{} values of {} components and {} of {}", u, inputs, f, outputs),
                "vectors of edge loops are [components, nodes]");
}

}  // namespace tessera::assembly
