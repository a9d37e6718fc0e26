#include "mesh/vtk_cell.hpp"

#include <fmt/format.h>
#include <vtkCell.h>
#include <vtkCellType.h>
#include <vtkGenericCell.h>
#include <vtkHigherOrderCurve.h>
#include <vtkHigherOrderHexahedron.h>
#include <vtkHigherOrderQuadrilateral.h>
#include <vtkHigherOrderWedge.h>
#include <vtkPoints.h>

#include <cmath>

#include "base/error.hpp"

namespace tessera::mesh {

int vtk_cell_type(Shape shape, int order) {
  const bool linear = order == 1;
  switch (shape) {
    case Shape::point: return VTK_VERTEX;
    case Shape::interval: return linear ? VTK_LINE : VTK_LAGRANGE_CURVE;
    case Shape::triangle: return linear ? VTK_TRIANGLE : VTK_LAGRANGE_TRIANGLE;
    case Shape::quad: return linear ? VTK_QUAD : VTK_LAGRANGE_QUADRILATERAL;
    case Shape::tet: return linear ? VTK_TETRA : VTK_LAGRANGE_TETRAHEDRON;
    case Shape::hex: return linear ? VTK_HEXAHEDRON : VTK_LAGRANGE_HEXAHEDRON;
    case Shape::prism: return linear ? VTK_WEDGE : VTK_LAGRANGE_WEDGE;
  }
  throw Error(ExitCode::internal, "unknown cell shape for VTK");
}

vtkSmartPointer<vtkCell> make_vtk_cell(Shape shape, int order, int nodes) {
  auto cell = vtkSmartPointer<vtkCell>::Take(vtkGenericCell::InstantiateCell(vtk_cell_type(shape, order)));
  cell->Points->SetNumberOfPoints(nodes);
  cell->PointIds->SetNumberOfIds(nodes);
  for (int n = 0; n < nodes; ++n) {
    cell->Points->SetPoint(n, 0, 0, 0);
    cell->PointIds->SetId(n, n);
  }
  if (auto* quad = vtkHigherOrderQuadrilateral::SafeDownCast(cell)) quad->SetOrder(order, order);
  if (auto* hex = vtkHigherOrderHexahedron::SafeDownCast(cell)) hex->SetOrder(order, order, order);
  if (auto* wedge = vtkHigherOrderWedge::SafeDownCast(cell)) wedge->SetOrder(order, order, order, nodes);
  if (auto* curve = vtkHigherOrderCurve::SafeDownCast(cell)) curve->GetOrder();  // sets it from the number of points
  cell->Initialize();
  return cell;
}

void to_vtk_parameters(Shape shape, const double* xi, double (&p)[3]) {
  const int dim = dimension(shape);
  const bool symmetric = shape == Shape::interval || shape == Shape::quad || shape == Shape::hex;
  for (int d = 0; d < 3; ++d) {
    p[d] = d < dim ? xi[d] : 0;
    if (d < dim && (symmetric || (shape == Shape::prism && d == 2))) p[d] = 0.5 * (p[d] + 1);
  }
}

std::vector<int> vtk_node_order(Shape shape, int order, std::span<const double> node_points) {
  const int dim = dimension(shape);
  if (dim == 0) return {0};
  const int nodes = static_cast<int>(node_points.size()) / dim;
  return vtk_node_order(*make_vtk_cell(shape, order, nodes), shape, node_points);
}

std::vector<int> vtk_node_order(vtkCell& cell, Shape shape, std::span<const double> node_points) {
  const int dim = dimension(shape), nodes = static_cast<int>(node_points.size()) / dim;
  std::vector<int> result;
  std::vector<char> taken(static_cast<std::size_t>(nodes), 0);
  std::vector<double> weights(static_cast<std::size_t>(nodes));
  for (int n = 0; n < nodes; ++n) {
    double p[3];
    to_vtk_parameters(shape, node_points.data() + static_cast<std::size_t>(n) * dim, p);
    // The place whose shape function is 1 there: VTK's interpolation is what readers use, so it decides.
    cell.InterpolateFunctions(p, weights.data());
    int place = -1;
    for (int v = 0; v < nodes; ++v)
      if (std::abs(weights[static_cast<std::size_t>(v)] - 1) < 1e-8 && !taken[static_cast<std::size_t>(v)]) place = v;
    if (place < 0)
      throw Error(ExitCode::internal, fmt::format("node {} of a {} has no counterpart among the {} nodes of VTK's {}",
                                                  n, name(shape), nodes, cell.GetClassName()));
    taken[static_cast<std::size_t>(place)] = 1;
    result.push_back(place);
  }
  return result;
}

}  // namespace tessera::mesh
