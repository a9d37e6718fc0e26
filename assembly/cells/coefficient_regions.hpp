#pragma once
// Which cells of a block have which expressions.
#include <array>

#include "assembly/cells/coefficient_expressions.hpp"
#include "assembly/cells/definite.hpp"
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

/// The reference points of the cell integrals of each block, as the geometric map sees them.
struct ReferencePoints {
  int points = 0, geometry_nodes = 0;
  std::vector<double> phi;  ///< [points, geometry_nodes]
};
std::vector<ReferencePoints> reference_points(const mesh::Mesh& mesh, const DofMap& map);

/// These points in the cells of a block, where a backend has both; phi is that of `reference` there.
inline CellPointsView view_of(const ReferencePoints& reference, const double* phi, const PlacedCells& cells) {
  return {reference.points,      reference.geometry_nodes, phi, cells.coordinates, cells.geometry,
          cells.geometry_stride, cells.geometry_step};
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
