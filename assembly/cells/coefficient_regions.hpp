#pragma once
// Which cells of a block have which expressions.
#include <array>

#include "assembly/cells/coefficient_expressions.hpp"
#include "assembly/cells/definite.hpp"
#include "base/array.hpp"
#include "base/memory.hpp"

namespace tessera::assembly {

class BlockRegions {
 public:
  BlockRegions(const mesh::Mesh& mesh, const std::vector<Index>& region,
               const std::vector<RegionExpressions>& coefficients);

  Index count() const { return count_; }
  /// Of the cell at a place of a block.
  Index of(std::size_t block, std::span<const Index> order, Index place) const;
  /// The places of each region in a block, ascending.
  std::vector<std::vector<Index>> places(std::size_t block, std::span<const Index> order) const;

 private:
  const mesh::Mesh& mesh_;
  std::vector<Index> region_;
  Index count_ = 1;
};

/// The reference points of the cell integrals of each block, as the geometric map and a field see them.
struct ReferencePoints {
  int points = 0, geometry_nodes = 0;
  std::vector<double> phi;  ///< [points, geometry_nodes]
  std::vector<double> map;  ///< [points, geometry_nodes, dim]
  int nodes = 0;
  std::vector<double> field, slopes;  ///< [points, nodes] and [points, nodes, dim]
};
std::vector<ReferencePoints> reference_points(const mesh::Mesh& mesh, const DofMap& map);

/// These points in the cells of a block, where a backend has both; phi is that of `reference` there.
inline CellPointsView view_of(const ReferencePoints& reference, const double* phi, const PlacedCells& cells) {
  return {reference.points,      reference.geometry_nodes, phi, cells.coordinates, cells.geometry,
          cells.geometry_stride, cells.geometry_step};
}

/// A field on the same cells, with tables where a backend has them.
inline CellFieldView field_view_of(const ReferencePoints& reference, int dim, const double* map, const double* field,
                                   const double* slopes, const PlacedCells& cells) {
  return {dim, reference.nodes, field, slopes, map, cells.dofs, cells.dof_stride, cells.dof_step, cells.u};
}

/// Whether one of them depends on the solution.
bool depends_on_solution(const std::vector<RegionExpressions>& coefficients);
/// Throws Error(internal) where there is none though they do.
void require_solution(const std::vector<RegionExpressions>& coefficients, const PlacedCells& cells);

/// `values` with memory of `scratch` in the place of those that are null, [points, components].
template <class Space>
std::vector<double*> with_scratch(std::span<double* const> values, const std::vector<RegionExpressions>& coefficients,
                                  Offset points, std::vector<Array<double, Space>>& scratch) {
  std::vector<double*> result(values.begin(), values.end());
  scratch.resize(values.size());
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (values[k]) continue;
    const Offset size = points * static_cast<Offset>(coefficients[k].front().size());
    if (scratch[k].size() < size) scratch[k] = Array<double, Space>(size);
    result[k] = scratch[k].data();
  }
  return result;
}

/// x, y, z of a point by its place in the values of a block: cell * points of a cell + point.
std::array<double, 3> point_at(const mesh::Mesh& mesh, const DofMap& map, std::size_t block, Offset place);

/// Calls definite.refuse for the first point of each coefficient of a block that is not as it asks.
template <class Exec>
void check_definite(Exec& exec, const Definite& definite, const mesh::Mesh& mesh, const DofMap& map,
                    const BlockRegions& regions, const std::vector<RegionExpressions>& coefficients, std::size_t block,
                    int points, std::span<double* const> values) {
  for (const std::size_t k : definite.coefficients) {
    const int components = static_cast<int>(coefficients[k].front().size());
    const auto place = first_not_definite(exec, values[k], Offset{mesh.blocks[block].cells()} * points, components);
    if (!place) continue;
    std::vector<double> there(static_cast<std::size_t>(components));
    copy_bytes(typename Exec::Space{}, values[k] + *place * components, Host{}, there.data(),
               sizeof(double) * there.size());
    const Index region = regions.of(block, {}, static_cast<Index>(*place / points));
    definite.refuse(k, region, there.data(), point_at(mesh, map, block, *place).data());
  }
}

}  // namespace tessera::assembly
