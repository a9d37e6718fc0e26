#pragma once
// Fields on another mesh than that of a run, evaluated at points.
#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "assembly/space/element.hpp"
#include "mesh/geometry.hpp"
#include "mesh/nearest_point.hpp"

namespace tessera::assembly {

/// A grid of Lagrange cells of one order whose nodes bear values.
struct NodalGrid {
  struct Cells {
    mesh::Shape shape = mesh::Shape::tet;
    std::vector<Index> nodes;  ///< [cells, nodes of lagrange(shape, order)], in the order of that
  };
  int dim = 3;
  int order = 1;
  std::vector<double> points;  ///< [nodes, 3]
  std::vector<Cells> blocks;
  int components = 1;
  std::vector<double> values;  ///< [nodes, components]
};

/// Nodes at the equispaced points of cells become those of the elements, where these are others (above order 4): the
/// same polynomials. Changes points and values.
void take_element_nodes(NodalGrid& grid);

/// The field of a grid at any point. Cells that are straight to rounding are found as such; of orders above 2 curved
/// ones are found as cells of order 2. What is evaluated there is the basis of the grid's own order. At a node the
/// value is that of the node to the last bit, also where the place differs by some rounding. Takes the grid and, of a
/// mesh with straight cells, 4 B a vertex of a cell and about 12 B a cell beside it. Safe to ask from several threads.
class GridField {
 public:
  explicit GridField(NodalGrid grid);
  GridField(const GridField&) = delete;

  const NodalGrid& grid() const { return grid_; }
  /// Where a point is; empty: in no cell.
  std::optional<mesh::Location> find(const std::array<double, 3>& point) const { return locator_->find(point); }
  /// Where a point is as seen from `inside`, which is a little nearer to the middle of a cell of another mesh: where
  /// several cells of this one have the point with values of their own, as along cracks and contacts, that towards
  /// `inside` is found. Otherwise as `find`.
  std::optional<mesh::Location> find_towards(const std::array<double, 3>& inside,
                                             const std::array<double, 3>& point) const;
  /// The nearest place to a point outside, after `prepare_nearest`.
  void prepare_nearest();
  mesh::Nearest nearest(const std::array<double, 3>& point) const { return nearest_->find(point); }
  /// values [components] at a place of a cell, which is `point` unless that is outside.
  void evaluate(const mesh::Location& at, const std::array<double, 3>& point, double* values) const;

 private:
  NodalGrid grid_;
  mesh::Mesh mesh_;                        ///< the cells as they are found
  std::vector<std::vector<Index>> nodes_;  ///< [blocks of mesh_] those of the grid: [cells, nodes]
  double rounding_ = 0;                    ///< of a coordinate
  std::unique_ptr<const mesh::PointLocator> locator_;
  std::unique_ptr<const mesh::NearestPoints> nearest_;
};

}  // namespace tessera::assembly
