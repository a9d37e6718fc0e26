#pragma once
#include <array>
#include <utility>
#include <vector>

#include "base/types.hpp"

namespace tessera::mesh {

/// The nodes of a structured box of geometric order 1 or 2 as bricks, one a rank, with the least area between them.
/// On unused axes there are no cells.
class Bricks {
 public:
  Bricks(const std::array<Index, 3>& cells, int dim, int order, int ranks);

  /// Whether each rank has a brick with a cell; else there are too few for them.
  bool exist() const { return along_[0] > 0; }
  int along(int axis) const { return along_[axis]; }
  /// As many bricks along each axis in a box of other cells.
  Bricks in(const std::array<Index, 3>& cells) const;
  /// Of the node at this place of the lattice.
  int owner(const std::array<Offset, 3>& at) const;
  /// [first, last) of the cells along an axis that have a vertex of a rank.
  std::pair<Index, Index> cells(int axis, int rank) const;

 private:
  std::array<int, 3> along_{0, 0, 0};  ///< bricks
  std::array<Index, 3> cells_;
  std::array<Offset, 3> nodes_{1, 1, 1};
  int dim_, order_;
};

struct Mesh;
/// Whose brick each node of the mesh of that box lies in, [nodes].
std::vector<int> owners_of(const Bricks& bricks, const Mesh& box);

}  // namespace tessera::mesh
