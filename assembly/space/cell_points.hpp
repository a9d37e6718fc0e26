#pragma once
#include "base/backend.hpp"
#include "base/types.hpp"

namespace tessera::assembly {

/// The geometry of one block of cells on the backend, and reference points in it. Node g of the cell at a place is
/// geometry[place * geometry_stride + g * geometry_step].
struct CellPointsView {
  int points = 0;
  int geometry_nodes = 0;
  const double* phi = nullptr;          ///< [points, geometry_nodes]: functions of the geometric map
  const double* coordinates = nullptr;  ///< [mesh nodes, 3]
  const Index* geometry = nullptr;
  Offset geometry_stride = 0, geometry_step = 1;

  /// x of point q of the cell at a place.
  TESSERA_HD void point(Offset place, int q, double (&x)[3]) const {
    x[0] = x[1] = x[2] = 0;
    for (int g = 0; g < geometry_nodes; ++g) {
      const double* node = coordinates + Offset{3} * geometry[place * geometry_stride + g * geometry_step];
      const double value = phi[q * geometry_nodes + g];
      for (int d = 0; d < 3; ++d) x[d] += value * node[d];
    }
  }
};

/// A nodal field on the cells of a CellPointsView. Dof i of the cell at a place is dofs[place * dof_stride + i *
/// dof_step].
struct CellFieldView {
  int dim = 0;
  int nodes = 0;
  const double* phi = nullptr;   ///< [points, nodes]
  const double* dphi = nullptr;  ///< [points, nodes, dim]
  const double* map = nullptr;   ///< [points, geometry_nodes, dim]: derivatives of the geometric map
  const Index* dofs = nullptr;
  Offset dof_stride = 0, dof_step = 1;
  const double* u = nullptr;  ///< [dofs]
};

/// The points of `count` cells to xyz [3, count, points]: of the cells at places[i], or without a list at first + i.
/// count * points stays below 2^31. 24 B a point are written.
void write_points(Threads& exec, const CellPointsView& cells, const Index* places, Index first, Index count,
                  double* xyz);
void write_points(Cuda& exec, const CellPointsView& cells, const Index* places, Index first, Index count, double* xyz);

/// The field and its gradient there: to[0] its values [count, points], to[1 + d] the derivatives along axis d < dim.
/// 8 (1 + dim) B a point are written.
void write_field(Threads& exec, const CellPointsView& cells, const CellFieldView& field, const Index* places,
                 Index first, Index count, double* to);
void write_field(Cuda& exec, const CellPointsView& cells, const CellFieldView& field, const Index* places, Index first,
                 Index count, double* to);

}  // namespace tessera::assembly
