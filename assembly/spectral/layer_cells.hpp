#pragma once
// Perfectly matched layers on the host.
#include <vector>

#include "assembly/spectral/cells.hpp"

namespace tessera::assembly::spectral {

/// Where coordinates are stretched: s_a = 1 + d_a / (alpha_a + i omega). Along every axis d and alpha are the same
/// wherever the coordinate is, and d = 0 where a layer begins.
struct Layers {
  std::vector<unsigned char> axes;  ///< [cells] bit a: the cell is stretched along axis a; 0: it is in no layer
  std::vector<double> damping;      ///< [dofs, dim] d, 1 / s
  std::vector<double> relaxation;   ///< [dofs, dim] alpha, 1 / s
  std::vector<double> lag;          ///< [cells] eta: the force of a cell in a layer is that of u + eta u'
  bool pushed = false;              ///< another medium pushes nodes of layers, too: a step ends with leap_nodes

  bool has(Index dof, int dim) const;
};

/// A mesh in which cells of one block that are stretched along the same axes follow each other, as blocks of their own.
struct OrderedCells {
  mesh::Mesh mesh;  ///< without facets and groups
  Cells cells;
  Coefficients material;
  std::vector<Index> number;        ///< [cells] in the mesh as it was
  std::vector<unsigned char> axes;  ///< [blocks]
  std::vector<Index> nodes;         ///< ascending: those of layers with d > 0 that are owned and not held
  std::vector<Index> held;          ///< ascending: these and those that are held
};
/// highest_frequency of each cell alone, [cells].
std::vector<double> highest_frequencies(const mesh::Mesh& mesh, const Cells& cells, const Coefficients& speed);
OrderedCells order_by_layers(const mesh::Mesh& mesh, const Cells& cells, const Coefficients& material,
                             const Layers& layers, Index owned, std::span<const Index> held);

}  // namespace tessera::assembly::spectral
