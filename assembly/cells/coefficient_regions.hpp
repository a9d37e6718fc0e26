#pragma once
// Which cells of a block have which expressions.
#include "assembly/cells/coefficient_expressions.hpp"

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

}  // namespace tessera::assembly
