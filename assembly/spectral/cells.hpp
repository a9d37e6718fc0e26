#pragma once
// Spectral elements on a mesh, on the host: their nodes, their diagonal mass, how long steps may be, and the nodes of
// sides with their normals.
#include <array>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "assembly/space/dof_map.hpp"
#include "assembly/spectral/rule.hpp"
#include "mesh/geometry.hpp"

namespace tessera::assembly::spectral {

/// The nodes of all quads or hexes of a mesh, which are the points of the rule of Gauss and Lobatto as well. A node of
/// a cell is called by its place in the lattice, x fastest.
struct Cells {
  int dim = 2;
  int n = 0;       ///< nodes of an axis, degree + 1
  int places = 0;  ///< n^dim
  Index cells = 0;
  std::vector<Index> dofs;  ///< [cells, places], cells in the order of the mesh

  const Index* cell(Index c) const { return dofs.data() + Offset{c} * places; }
  std::span<const Index> of_block(const mesh::CellBlock& block) const {
    return {cell(block.first_cell), static_cast<std::size_t>(Offset{block.cells()} * places)};
  }
};

/// Throws Error(usage) for dofs that are not those of spectral elements of degree 2 to 8, Error(mesh) where the map of
/// a cell is folded at one of its nodes, which it names.
Cells make_cells(const mesh::Mesh& mesh, const DofMap& dofs);

/// Numbers of a material: [cells, places, components], or of cells in which they are the same everywhere [cells,
/// components].
struct Coefficients {
  int components = 1;
  bool at_places = false;
  std::vector<double> values;

  double at(const Cells& cells, Index cell, int place, int component = 0) const {
    const Offset of_cell = at_places ? Offset{cell} * cells.places + place : Offset{cell};
    return values[static_cast<std::size_t>(of_cell * components + component)];
  }
};

/// "degree 4, 1000 hexes, geometry from the vertices, material of cells": how an operator has the cells of a block.
std::string describe(const Cells& cells, const mesh::CellBlock& block, bool stored, const Coefficients& material);

/// M_i = sum of w_q |J| factor over the cells that have node i: the mass, which collocation makes a diagonal. [dofs]
std::vector<double> diagonal_mass(const mesh::Mesh& mesh, const DofMap& dofs, const Cells& cells,
                                  const Coefficients& factor);

/// J^-1 by rows, then w |J|, of the cells [first, first + count): [count, dim^2 + 1, places].
std::vector<double> stored_geometry(const mesh::Mesh& mesh, const Cells& cells, Index first, Index count);

/// A node, and what is largest there.
struct Most {
  double value = 0;  ///< 0: there are no cells
  std::array<double, 3> at{};
};
/// An estimate of the largest omega with omega^2 an eigenvalue of M^-1 K, for waves of this greatest speed: the largest
/// of
///   sqrt(lambda c^2 sum_ab |g_ab|),   g = J^-1 J^-T,
/// over all nodes, with the largest eigenvalue lambda of an axis (Rule). Exact for equal bricks of one material, a
/// bound for equal parallelepipeds; of distorted cells, in which J varies, it may be too low by some per cent.
Most highest_frequency(const mesh::Mesh& mesh, const Cells& cells, const Coefficients& speed);
/// The longest time that a wave of this least speed needs along an axis of a cell, 2 |dx/dxi_a| / c: degree / (value
/// frequency) nodes stand on a wave.
Most longest_passage(const mesh::Mesh& mesh, const Cells& cells, const Coefficients& speed);

/// A node of a side of a cell.
struct SideNode {
  Index cell;
  int place;
  Index dof;
  std::array<double, 3> normal;  ///< outward, its length the node's part w |dS| of the side's measure
};
/// A side of a cell, its number in topology(shape).facets.
struct CellSide {
  Index cell;
  int side;
};
/// Calls visit for every node of every one of these sides, in their order within each of a shape's.
void for_each_side_node(const mesh::Mesh& mesh, const DofMap& dofs, const Cells& cells, std::span<const CellSide> sides,
                        const std::function<void(const SideNode&)>& visit);
/// The same of the facets of a group.
void for_each_side_node(const mesh::Mesh& mesh, const DofMap& dofs, const Cells& cells, const mesh::Group& group,
                        const std::function<void(const SideNode&)>& visit);

/// A point of the mesh in the element that has it.
struct ElementPoint {
  Index cell = 0;
  double distance = 0;                        ///< between the point and that of the element that was found for it
  std::vector<Index> dofs;                    ///< [nodes of the element]
  std::vector<double> values;                 ///< [nodes]: the functions there
  std::vector<std::array<double, 3>> slopes;  ///< [nodes]: their gradients in space
};
/// By Newton's method in the cell's own map (mesh::PointLocator). Empty where no cell has the point.
std::optional<ElementPoint> element_point(const mesh::Mesh& mesh, const DofMap& dofs, const mesh::PointLocator& locator,
                                          const std::array<double, 3>& point);

}  // namespace tessera::assembly::spectral
