#pragma once
// Cells as VTK has them. For sources that talk to VTK themselves.
#include <span>
#include <vector>

#include <vtkSmartPointer.h>

#include "mesh/mesh.hpp"

class vtkCell;

namespace tessera::mesh {

/// VTK_LINE ... VTK_WEDGE for order 1, VTK_LAGRANGE_* above.
int vtk_cell_type(Shape shape, int order);

/// An empty cell of that type with its order set. nodes: of the complete Lagrange cell.
vtkSmartPointer<vtkCell> make_vtk_cell(Shape shape, int order, int nodes);

/// A place in Gmsh's reference cell, [dim], in VTK's parametric coordinates: [-1, 1] becomes [0, 1].
void to_vtk_parameters(Shape shape, const double* xi, double (&p)[3]);

/// VTK's place of each of our local nodes: result[local] is the position in VTK's cell (VTK_LINE ... VTK_WEDGE for
/// order 1, VTK_LAGRANGE_* above). Found by matching equispaced `node_points` [nodes, dim], in Gmsh's reference cells
/// (interval, quad, hex on [-1,1]; unit simplices; prism: unit triangle x [-1,1]), to VTK's own parametric
/// coordinates. Throws Error(internal) where the points are not those of a complete Lagrange cell.
std::vector<int> vtk_node_order(Shape shape, int order, std::span<const double> node_points);
/// The same of another of VTK's cells with the same nodes, as VTK_QUADRATIC_TETRA or VTK_VOXEL.
std::vector<int> vtk_node_order(vtkCell& cell, Shape shape, std::span<const double> node_points);

}  // namespace tessera::mesh
