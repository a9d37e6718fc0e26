#include "assembly/matrix_free/host_setup.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "assembly/facets/integrals.hpp"
#include "assembly/space/geometry_map.hpp"
#include "assembly/space/quadrature.hpp"
#include "assembly/space/quadrature_points.hpp"
#include "base/error.hpp"
#include "base/team.hpp"

namespace tessera::assembly::matrix_free {

using mesh::Shape;

void check_options(const MatrixFreeOptions& options) {
  const auto check = [](const char* what, const std::string& value, const std::vector<std::string>& known) {
    if (std::find(known.begin(), known.end(), value) == known.end())
      throw Error(ExitCode::usage, fmt::format("unknown {} '{}' of a matrix-free operator", what, value),
                  fmt::format("use \"{}\"", fmt::join(known, "\" or \"")));
  };
  check("method", options.method, {"auto", "sum_factorisation", "local_matrices"});
  check("geometry", options.geometry, {"auto", "stored"});
}

bool by_sum_factorisation(const mesh::CellBlock& cells, int order, const MatrixFreeOptions& options, bool on_gpu) {
  if ((cells.shape != Shape::quad && cells.shape != Shape::hex) || cells.order > order) return false;
  if (options.method != "auto") return options.method == "sum_factorisation";
  // Order 1 on an H200 (bench/matrix_free): hexes 0.93 ms by their matrices, 1.10 ms by sum factorisation (8.1 M dofs); quads 0.28 and 0.31
  // (5.8 M).
  const bool matrices_win = on_gpu && order == 1 && options.geometry == "auto";
  return !matrices_win;
}

std::vector<Index> lexicographic_dofs(const DofBlock& dofs, int order) {
  const std::vector<int> nodes = lexicographic_nodes(lagrange(dofs.shape, order));
  std::vector<Index> result(dofs.dofs.size());
  parallel_for(default_threads(), dofs.cells(), [&](Index c) {
    for (int l = 0; l < dofs.nodes; ++l) result[Offset{c} * dofs.nodes + l] = dofs.cell(c)[nodes[l]];
  });
  return result;
}

std::vector<double> multilinear_maps(const mesh::Mesh& mesh, const mesh::CellBlock& cells) {
  const int dim = mesh::dimension(cells.shape), vertices = 1 << dim;
  const std::span<const double> signs = reference_vertices(cells.shape);
  std::vector<double> result(static_cast<std::size_t>(cells.cells()) * (vertices - 1) * dim, 0.0);
  parallel_for(default_threads(), cells.cells(), [&](Index c) {
    double* map = &result[static_cast<std::size_t>(c) * (vertices - 1) * dim];
    for (int m = 1; m < vertices; ++m)
      for (int v = 0; v < vertices; ++v) {
        double sign = 1.0 / vertices;
        for (int axis = 0; axis < dim; ++axis)
          if (m >> axis & 1) sign *= signs[v * dim + axis];
        for (int d = 0; d < dim; ++d) map[(m - 1) * dim + d] += sign * mesh.point(cells.cell(c)[v])[d];
      }
  });
  return result;
}

Offset element_entries(const std::vector<Contributions>& blocks) {
  Offset entries = 0;
  for (const Contributions& block : blocks) entries += Offset{block.cells} * block.nodes;
  return entries;
}

PointTables point_tables(const mesh::CellBlock& cells, int order, bool with_basis) {
  const Quadrature& rule = quadrature(cells.shape, quadrature_degree(cells, order));
  PointTables tables{rule.size(), rule.weights, {}, {}};
  std::vector<double> phi, dphi;
  const auto derivatives = [&](const Element& element, int rows, std::vector<double>& table) {
    tabulate(element, rule.points, phi, dphi);
    const int n = element.nodes, dim = element.dim;
    table.resize(static_cast<std::size_t>(rule.size()) * rows * n);
    for (int q = 0; q < rule.size(); ++q)
      for (int i = 0; i < n; ++i) {
        for (int a = 0; a < dim; ++a)
          table[(std::size_t(q) * rows + a) * n + i] = dphi[(std::size_t(q) * n + i) * dim + a];
        if (rows > dim) table[(std::size_t(q) * rows + dim) * n + i] = phi[std::size_t(q) * n + i];
      }
  };
  const int dim = mesh::dimension(cells.shape);
  derivatives(lagrange(cells.shape, cells.order), dim, tables.map);
  if (with_basis) derivatives(lagrange(cells.shape, order), dim + 1, tables.basis);
  return tables;
}

std::vector<Index> packed_pairs(int nodes) {
  std::vector<Index> pairs;
  for (int i = 0; i < nodes; ++i)
    for (int j = i; j < nodes; ++j) pairs.push_back(i * nodes + j);
  return pairs;
}

HostGatherList gather_list(const std::vector<Contributions>& blocks, Index dofs, bool only_touched) {
  if (const Offset entries = element_entries(blocks); entries > std::numeric_limits<Index>::max())
    throw Error(ExitCode::mesh, fmt::format("the element vector of {} entries exceeds 32-bit numbers", entries),
                "use a coarser mesh or a lower order");
  std::vector<std::vector<char>> interior(blocks.size());
  for (std::size_t b = 0; b < blocks.size(); ++b)
    for (int i = 0; i < blocks[b].nodes; ++i)
      interior[b].push_back(blocks[b].n > 0 && is_interior(i, blocks[b].n, blocks[b].dim));
  // Each part reads all dofs and takes those of its own range, so the order of a row's entries is that of the cells.
  const auto visit = [&](auto&& each) {
    parallel_ranges(default_threads(), dofs, [&](Offset low, Offset high, int) {
      for (std::size_t b = 0; b < blocks.size(); ++b) {
        const Contributions& block = blocks[b];
        for (Index c = 0; c < block.cells; ++c)
          for (int i = 0; i < block.nodes; ++i) {
            const Offset place = c * block.cell_stride + i * block.node_stride;
            const Index dof = block.dofs[place];
            if (dof >= low && dof < high) each(dof, block.first + place, interior[b][i]);
          }
      }
    });
  };
  std::vector<Index> count(static_cast<std::size_t>(dofs), 0);
  visit([&](Index dof, Offset, bool inside) {
    if (inside)
      count[dof] = -1;
    else
      ++count[dof];
  });
  HostGatherList list;
  std::vector<Index> next(static_cast<std::size_t>(dofs));
  list.ptr.push_back(0);
  for (Index dof = 0; dof < dofs; ++dof) {
    if (count[dof] < 0 || (only_touched && count[dof] == 0)) continue;
    next[dof] = list.ptr.back();
    list.rows.push_back(dof);
    list.ptr.push_back(list.ptr.back() + count[dof]);
  }
  list.entries.resize(static_cast<std::size_t>(list.ptr.back()));
  visit([&](Index dof, Offset place, bool inside) {
    if (!inside) list.entries[next[dof]++] = static_cast<Index>(place);
  });
  return list;
}

namespace {

/// ds at the points of a side: |det J| |J^-T n| w  (Nanson).
double surface_measure(const GeometryMap& map, const mesh::Mesh& mesh, const Index* cell, int q, double weight,
                       const std::array<double, 3>& normal) {
  double jacobian[9], inverse[9], square = 0;
  const int dim = map.dim;
  const double det = map.jacobian(mesh, cell, q, jacobian);
  GeometryMap::invert(jacobian, dim, inverse);
  for (int d = 0; d < dim; ++d) {
    double component = 0;
    for (int a = 0; a < dim; ++a) component += inverse[a * dim + d] * normal[a];
    square += component * component;
  }
  return std::abs(det) * std::sqrt(square) * weight;
}

/// One side of the cells of one block.
struct SideTables {
  const Quadrature& rule;
  GeometryMap map;
  std::array<double, 3> normal;
  const std::vector<int>& local;
  std::vector<double> phi;  ///< [points, side dofs]

  SideTables(const mesh::CellBlock& cells, int order, int side)
      : rule(rule_of(cells, order, side)),
        map(cells, facet_to_cell(cells.shape, side, rule.points)),
        normal(reference_normal(cells.shape, side)),
        local(facet_local_dofs(cells.shape, order, side)) {
    std::vector<double> dphi;
    tabulate(lagrange(mesh::topology(cells.shape).facets[side].shape, order), rule.points, phi, dphi);
  }
  /// That of the assembled path.
  static const Quadrature& rule_of(const mesh::CellBlock& cells, int order, int side) {
    const Shape shape = mesh::topology(cells.shape).facets[side].shape;
    return quadrature(shape, 2 * std::max(order, cells.order) + (shape == Shape::triangle ? 0 : 1));
  }
};

void check_length(std::size_t values, std::size_t expected) {
  if (values != 0 && values != expected)
    throw Error(ExitCode::internal, fmt::format("{} facet values where {} are needed", values, expected),
                "give one value for each of facet_quadrature_points()");
}

}  // namespace

std::vector<FacetMatrices> facet_matrices(const mesh::Mesh& mesh, const DofMap& map,
                                          const std::vector<FacetIntegral>& integrals, std::vector<double>& b) {
  std::map<int, FacetMatrices> result;  // by the number of dofs on the facet
  std::map<std::pair<const mesh::CellBlock*, int>, SideTables> tables;
  for (const FacetIntegral& integral : integrals) {
    const std::vector<Index>& facets = integral.group->entities;
    const std::size_t stride = static_cast<std::size_t>(facet_points_per_facet(mesh, map, *integral.group));
    check_length(integral.alpha.size(), facets.size() * stride);
    check_length(integral.g.size(), facets.size() * stride);
    for (std::size_t f = 0; f < facets.size(); ++f) {
      const Index cell = mesh.facets.cell[facets[f]];
      const int side_number = mesh.facets.side[facets[f]];
      const mesh::CellBlock& cells = mesh.block_of(cell);
      const SideTables& side = tables.try_emplace({&cells, side_number}, cells, map.order, side_number).first->second;
      const int nodes = static_cast<int>(side.local.size());
      const Index* dofs = map.block_of(cell).cell(cell - cells.first_cell);
      std::vector<double> matrix(static_cast<std::size_t>(nodes) * (nodes + 1) / 2, 0.0);
      bool any = false;
      for (int q = 0; q < side.rule.size(); ++q) {
        const double ds =
            surface_measure(side.map, mesh, cells.cell(cell - cells.first_cell), q, side.rule.weights[q], side.normal);
        const double* phi = &side.phi[static_cast<std::size_t>(q) * nodes];
        if (!integral.g.empty())
          for (int i = 0; i < nodes; ++i) b[dofs[side.local[i]]] += integral.g[f * stride + q] * ds * phi[i];
        const double alpha = integral.alpha.empty() ? 0 : integral.alpha[f * stride + q];
        if (alpha == 0) continue;
        any = true;
        for (int i = 0, entry = 0; i < nodes; ++i)
          for (int j = i; j < nodes; ++j, ++entry) matrix[entry] += alpha * ds * phi[i] * phi[j];
      }
      if (!any) continue;
      FacetMatrices& of_shape = result[nodes];
      of_shape.nodes = nodes;
      for (const int i : side.local) of_shape.dofs.push_back(dofs[i]);
      of_shape.matrices.insert(of_shape.matrices.end(), matrix.begin(), matrix.end());
    }
  }
  std::vector<FacetMatrices> list;
  for (auto& [nodes, matrices] : result) list.push_back(std::move(matrices));
  return list;
}

}  // namespace tessera::assembly::matrix_free
