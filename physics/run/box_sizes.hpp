#pragma once
#include <string>
#include <vector>

#include "mesh/params.hpp"

namespace tessera::physics {

/// How large the mesh of a box is that ranks make in parts, its space, and what each of them has of it.
struct BoxSizes {
  double nodes = 0, cells = 0, facets = 0, dofs = 0;
  std::vector<std::string> names;   ///< of groups
  std::vector<double> entities;     ///< [groups]
  std::vector<double> rank_dofs;    ///< [ranks] that each owns
  std::vector<double> rank_cells;   ///< [ranks] that it sees
  std::vector<double> rank_ghosts;  ///< [ranks] dofs of others that it sees

  /// The rank that sees most dofs.
  int largest() const;
};

/// `geometric`: the order of the mesh, `order`: that of the space. All that is counted grows with each extent of the
/// bricks alike: it is a polynomial of degree one in each of them, found from bricks of few cells. Memory of these
/// alone, whatever the size of the box. The bricks (mesh/bricks.hpp) must exist.
BoxSizes sizes_of_box(const mesh::BoxParams& box, int geometric, int order, int ranks, int threads);

}  // namespace tessera::physics
