#pragma once
// VTK's types inside output/; not for other folders.
#include <vtkSmartPointer.h>

#include "mesh/mesh.hpp"

class vtkCell;

namespace tessera::output {

/// VTK_LINE ... VTK_WEDGE for order 1, VTK_LAGRANGE_* above.
int vtk_cell_type(mesh::Shape shape, int order);

/// An empty cell of that type with its order set. nodes: of the complete Lagrange cell.
vtkSmartPointer<vtkCell> make_vtk_cell(mesh::Shape shape, int order, int nodes);

}  // namespace tessera::output
