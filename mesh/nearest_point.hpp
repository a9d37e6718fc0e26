#pragma once
// The place of a mesh that is nearest to a point outside of it.
#include <array>
#include <limits>
#include <vector>

#include "mesh/mesh.hpp"
#include "mesh/point_tree.hpp"

namespace tessera::mesh {

struct Nearest {
  Index cell = -1;
  std::array<double, 3> xi{};  ///< reference coordinates
  std::array<double, 3> x{};   ///< the place
  double distance = std::numeric_limits<double>::infinity();
  double size = 0;  ///< the longest extent of the cell
};

/// Finds the places of a mesh that are nearest to points. The cells that may hold one are found by their middles in a
/// tree; in each the sides, edges and vertices are looked at, of which curved ones are followed by the method of Gauss
/// and Newton. Borrows the mesh. Takes 32 B a cell. Safe to ask from several threads.
class NearestPoints {
 public:
  explicit NearestPoints(const Mesh& mesh);
  /// On the boundary of a cell: a point inside of a cell is asked of PointLocator. Without cells its cell is -1.
  Nearest find(const std::array<double, 3>& point) const;

 private:
  const Mesh& mesh_;
  BoundingBox box_;
  PointTree middles_;
  double most_ = 0;  ///< how far a cell reaches from its middle along an axis
};

}  // namespace tessera::mesh
