#pragma once
// The part of the set-up that needs no backend.
#include <vector>

#include "assembly/matrix_free/blocks.hpp"
#include "assembly/matrix_free/operator.hpp"
#include "assembly/space/space.hpp"
#include "base/team.hpp"

namespace tessera::assembly::matrix_free {

/// Throws Error(usage) for unknown names.
void check_options(const MatrixFreeOptions& options);

/// Whether cells go by sum factorisation: quads and hexes whose Gauss points are those of the assembled path.
bool by_sum_factorisation(const mesh::CellBlock& cells, int order, const MatrixFreeOptions& options, bool on_gpu);

/// Coefficients of the maps of cells of geometric order 1: [cells, 2^dim - 1, dim], see LineJacobian.
std::vector<double> multilinear_maps(const mesh::Mesh& mesh, const mesh::CellBlock& cells);

/// A block as the list of contributions sees it.
struct Contributions {
  const Index* dofs = nullptr;
  Index cells = 0;
  int nodes = 0;
  Offset first = 0, cell_stride = 0, node_stride = 0;
  int n = 0, dim = 0;  ///< n > 0: places inside the cell are left out
};
/// Rows in ascending order, contributions in the order of the blocks: repeatable. Dofs inside a quad or hex have no
/// row, nor have those from `dofs` on; those without any contribution have an empty one, or none with `only_touched`.
/// Throws as check_entries.
HostGatherList gather_list(const std::vector<Contributions>& blocks, Index dofs, bool only_touched = false);

/// Entries that the blocks need in the element vector.
Offset element_entries(const std::vector<Contributions>& blocks);
/// Throws Error(mesh) where they exceed 32-bit numbers.
void check_entries(Offset entries);

/// All terms over facets, those of boundary.facets among them.
FacetTerms facet_terms(const mesh::Mesh& mesh, const DofMap& map, const BoundaryData& boundary);
/// Throws Error(internal) where they have other rows than the operator.
void check_terms(const DofMap& map, int components, const FacetTerms& terms);

/// Tables at the quadrature points of the assembled path: see PointsView.
struct PointTables {
  int points = 0;
  std::vector<double> weights, map, basis;
};
PointTables point_tables(const mesh::CellBlock& cells, int order, bool with_basis);

/// i * nodes + j for i <= j, packed.
std::vector<Index> packed_pairs(int nodes);

/// Transposes [rows, columns].
template <class T>
std::vector<T> transposed(const std::vector<T>& values, std::size_t rows, std::size_t columns) {
  std::vector<T> result(values.size());
  parallel_for(default_threads(), rows, [&](std::size_t i) {
    for (std::size_t j = 0; j < columns; ++j) result[j * rows + i] = values[i * columns + j];
  });
  return result;
}

}  // namespace tessera::assembly::matrix_free
