#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "assembly/edge/builder.hpp"
#include "assembly/space/element.hpp"
#include "assembly/space/quadrature.hpp"
#include "assembly/space/quadrature_points.hpp"
#include "base/error.hpp"
#include "mesh/facets.hpp"

namespace tessera::assembly {
namespace {

bool is_simplex(mesh::Shape shape) { return mesh::vertex_count(shape) == mesh::dimension(shape) + 1; }

/// Degree at which phi_i grad phi_j det J is integrated exactly: the cofactors of J are products of dim - 1 tangents.
int exact_degree(const mesh::CellBlock& cells, int order) {
  const int tangents = mesh::dimension(cells.shape) - 1;
  return 2 * order - 1 + tangents * (is_simplex(cells.shape) ? cells.order - 1 : cells.order);
}

EdgeRule make_rule(const mesh::CellBlock& cells, int order, LineNodes nodes, int degree) {
  const Quadrature& rule = quadrature(cells.shape, degree);
  EdgeRule result;
  result.weights = rule.weights;
  std::vector<double> phi;
  tabulate(lagrange(cells.shape, cells.order), rule.points, phi, result.map);
  tabulate(lagrange(cells.shape, order, nodes), rule.points, result.phi, result.dphi);
  return result;
}

/// int phi_a phi_b, phi_a dphi_b/dX, dphi_a/dX dphi_b/dY over the reference cell, and int phi_a.
void integrate_reference(const EdgeRule& rule, int dim, EdgeTables& tables) {
  const int n = static_cast<int>(rule.phi.size()) / rule.points(), width = 1 + dim + dim * dim;
  tables.reference.assign(static_cast<std::size_t>(n) * n * width, 0.0);
  tables.load.assign(n, 0.0);
  for (int q = 0; q < rule.points(); ++q)
    for (int a = 0; a < n; ++a) {
      const double w = rule.weights[q], phi_a = rule.phi[q * n + a];
      const double* da = &rule.dphi[(q * n + a) * dim];
      tables.load[a] += w * phi_a;
      for (int b = 0; b < n; ++b) {
        const double* db = &rule.dphi[(q * n + b) * dim];
        double* out = &tables.reference[static_cast<std::size_t>(a * n + b) * width];
        out[0] += w * phi_a * rule.phi[q * n + b];
        for (int x = 0; x < dim; ++x) out[1 + x] += w * phi_a * db[x];
        for (int x = 0; x < dim; ++x)
          for (int y = 0; y < dim; ++y) out[1 + dim + x * dim + y] += w * da[x] * db[y];
      }
    }
}

}  // namespace

EdgeTables make_edge_tables(const mesh::CellBlock& cells, int order, LineNodes nodes) {
  EdgeTables tables;
  tables.affine = is_simplex(cells.shape) && cells.order == 1;
  const int degree = quadrature_degree(cells, order);
  tables.rule = make_rule(cells, order, nodes, degree);
  if (tables.affine) {
    integrate_reference(tables.rule, mesh::dimension(cells.shape), tables);
    tables.rule.map.resize(tables.rule.map.size() / tables.rule.points());  // the map's derivatives are constant
  } else if (exact_degree(cells, order) > degree) {
    tables.exact = make_rule(cells, order, nodes, exact_degree(cells, order));
  }
  return tables;
}

DofNeighbours cells_around_dofs(const DofMap& map) {
  DofNeighbours around;
  around.ptr.assign(static_cast<std::size_t>(map.dofs) + 2, 0);
  std::size_t entries = 0;
  for (const DofBlock& block : map.blocks) {
    entries += block.dofs.size();
    for (const Index dof : block.dofs) {
      if (dof < 0 || dof >= map.dofs)
        throw Error(ExitCode::internal, fmt::format("dof {} in a space of {}", dof, map.dofs),
                    "the dof map is damaged; please report this");
      ++around.ptr[dof + 2];
    }
  }
  for (std::size_t i = 2; i < around.ptr.size(); ++i) around.ptr[i] += around.ptr[i - 1];
  around.cells.resize(entries);
  for (const DofBlock& block : map.blocks)
    for (std::size_t k = 0; k < block.dofs.size(); ++k)
      around.cells[around.ptr[block.dofs[k] + 1]++] = block.first_cell + static_cast<Index>(k / block.nodes);
  around.ptr.pop_back();
  return around;
}

std::vector<Index> boundary_pairs(const mesh::Mesh& mesh, const DofMap& map) {
  if (mesh.facets.size() == 0 && mesh.cells() > 0) {  // every mesh with cells has a boundary: nobody looked for it yet
    mesh::Mesh with_facets = mesh;
    mesh::find_exterior_facets(with_facets);
    return boundary_pairs(with_facets, map);
  }
  std::vector<std::array<Index, 2>> pairs;
  for (Index facet = 0; facet < mesh.facets.size(); ++facet) {
    if (!mesh.facets.exterior[facet]) continue;
    const Index cell = mesh.facets.cell[facet];
    const DofBlock& block = map.block_of(cell);
    const Index* dofs = block.cell(cell - block.first_cell);
    const std::vector<int>& local = facet_local_dofs(block.shape, map.order, mesh.facets.side[facet]);
    for (std::size_t a = 0; a < local.size(); ++a)
      for (std::size_t b = 0; b < a; ++b)
        pairs.push_back({std::min(dofs[local[a]], dofs[local[b]]), std::max(dofs[local[a]], dofs[local[b]])});
  }
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  std::vector<Index> flat;
  flat.reserve(2 * pairs.size());
  for (const auto& pair : pairs) flat.insert(flat.end(), pair.begin(), pair.end());
  return flat;
}

std::vector<MarkWord> make_marks(const std::vector<Index>& items, Offset count) {
  std::vector<MarkWord> words(static_cast<std::size_t>((count + 31) / 32));
  for (const Index item : items) words[item / 32].bits |= std::uint32_t{1} << item % 32;
  Index before = 0;
  for (MarkWord& word : words) {
    word.before = before;
    before += __builtin_popcount(word.bits);
  }
  return words;
}

std::vector<Offset> count_upper(const std::vector<Offset>& row_ptr, const std::vector<std::uint16_t>& diagonal) {
  std::vector<Offset> upper(row_ptr.size(), 0);
  for (std::size_t row = 0; row + 1 < row_ptr.size(); ++row) {
    const Offset length = row_ptr[row + 1] - row_ptr[row];
    if (length > std::numeric_limits<std::uint16_t>::max())
      throw Error(ExitCode::mesh,
                  fmt::format("dof {} has {} neighbours; edges hold at most {}", row, length,
                              std::numeric_limits<std::uint16_t>::max()),
                  "the mesh has a vertex with thousands of cells: remesh it");
    upper[row + 1] = upper[row] + (length == 0 ? 0 : length - diagonal[row] - 1);
  }
  if (upper.back() > std::numeric_limits<Index>::max())
    throw Error(ExitCode::mesh,
                fmt::format("{} edges; at most {} are possible", upper.back(), std::numeric_limits<Index>::max()),
                "use a coarser mesh or a lower order");
  return upper;
}

void check_edge_params(const EdgeParams& params, Index cells) {
  if (!params.region.empty() && params.region.size() != static_cast<std::size_t>(cells))
    throw Error(ExitCode::internal, fmt::format("{} regions for {} cells", params.region.size(), cells),
                "give one for each cell");
  if (params.k.empty()) throw Error(ExitCode::internal, "no diffusivity for the edges", "give one for each region");
  for (const Index region : params.region)
    if (region < 0 || region >= static_cast<Index>(params.k.size()))
      throw Error(ExitCode::internal, fmt::format("region {} of {}", region, params.k.size()), "number regions from 0");
}

}  // namespace tessera::assembly
