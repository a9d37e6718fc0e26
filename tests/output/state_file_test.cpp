#include "output/state_file.hpp"

#include <gtest/gtest.h>
#include <vtkCell.h>
#include <vtkCellType.h>
#include <vtkGenericCell.h>

#include <cmath>

#include "base/error.hpp"
#include "mesh/vtk_cell.hpp"

namespace tessera::output {
namespace {

std::vector<double> nodes_of(mesh::Shape shape, int order) {
  const auto nodes = mesh::reference_nodes(shape, order);
  return {nodes.begin(), nodes.end()};
}

/// One cell of a type of VTK's whose points are where its own parameters put them.
VtuFile one_cell(int type) {
  const auto cell = vtkSmartPointer<vtkCell>::Take(vtkGenericCell::InstantiateCell(type));
  VtuFile file;
  const auto points = static_cast<Offset>(cell->GetNumberOfPoints());
  const double* const parameters = cell->GetParametricCoords();
  file.points.assign(parameters, parameters + 3 * points);
  file.types = {type};
  file.offsets = {0, points};
  for (Offset p = 0; p < points; ++p) file.connectivity.push_back(p);
  return file;
}

TEST(StateFile, TakesTheNodesOfEveryTypeOfCells) {
  for (const auto& [type, shape, order] : {std::tuple{VTK_LINE, mesh::Shape::interval, 1},
                                           {VTK_TRIANGLE, mesh::Shape::triangle, 1},
                                           {VTK_QUAD, mesh::Shape::quad, 1},
                                           {VTK_PIXEL, mesh::Shape::quad, 1},
                                           {VTK_TETRA, mesh::Shape::tet, 1},
                                           {VTK_HEXAHEDRON, mesh::Shape::hex, 1},
                                           {VTK_VOXEL, mesh::Shape::hex, 1},
                                           {VTK_WEDGE, mesh::Shape::prism, 1},
                                           {VTK_QUADRATIC_EDGE, mesh::Shape::interval, 2},
                                           {VTK_QUADRATIC_TRIANGLE, mesh::Shape::triangle, 2},
                                           {VTK_BIQUADRATIC_QUAD, mesh::Shape::quad, 2},
                                           {VTK_QUADRATIC_TETRA, mesh::Shape::tet, 2},
                                           {VTK_TRIQUADRATIC_HEXAHEDRON, mesh::Shape::hex, 2},
                                           {VTK_BIQUADRATIC_QUADRATIC_WEDGE, mesh::Shape::prism, 2}}) {
    const VtuFile file = one_cell(type);
    const std::vector<StateCells> cells = cells_of(file, nodes_of);
    ASSERT_EQ(cells.size(), 1u) << type;
    EXPECT_EQ(cells[0].shape, shape) << type;
    EXPECT_EQ(cells[0].order, order) << type;
    const auto nodes = mesh::reference_nodes(shape, order);
    const std::size_t dim = static_cast<std::size_t>(mesh::dimension(shape));
    ASSERT_EQ(cells[0].nodes.size(), nodes.size() / dim) << type;
    for (std::size_t n = 0; n < cells[0].nodes.size(); ++n) {
      double p[3];
      mesh::to_vtk_parameters(shape, &nodes[n * dim], p);
      for (std::size_t d = 0; d < dim; ++d)
        EXPECT_NEAR(file.points[3 * static_cast<std::size_t>(cells[0].nodes[n]) + d], p[d], 1e-12) << type << " " << n;
    }
  }
}

/// What is refused says why, and what to do.
TEST(StateFile, RefusesCellsInWhichNothingIsInterpolated) {
  const auto says = [](const VtuFile& file, const std::string& part) {
    try {
      cells_of(file, nodes_of);
      ADD_FAILURE() << "nothing was said of " << part;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::usage);
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
      EXPECT_FALSE(error.help().empty());
    }
  };
  says(one_cell(VTK_PYRAMID), "type 14");
  says(one_cell(VTK_QUADRATIC_QUAD), "type 23 with 8 points");
  says(VtuFile{}, "no cells");
  says(one_cell(VTK_VERTEX), "no cells");
  VtuFile mixed = one_cell(VTK_TRIANGLE);
  const VtuFile other = one_cell(VTK_QUADRATIC_TRIANGLE);
  mixed.types.push_back(other.types[0]);
  for (const Offset point : other.connectivity) mixed.connectivity.push_back(point + 3);
  mixed.points.insert(mixed.points.end(), other.points.begin(), other.points.end());
  mixed.offsets.push_back(9);
  says(mixed, "orders 1 and 2");
}

}  // namespace
}  // namespace tessera::output
