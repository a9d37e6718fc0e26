#include <gtest/gtest.h>
#include <vtkCell.h>
#include <vtkDoubleArray.h>
#include <vtkFieldData.h>
#include <vtkNew.h>
#include <vtkPointData.h>
#include <vtkPoints.h>
#include <vtkStringArray.h>
#include <vtkUnstructuredGrid.h>
#include <vtkXMLUnstructuredGridReader.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "base/error.hpp"
#include "mesh/vtk_cell.hpp"
#include "output/vtk_reader.hpp"
#include "output/vtk_writer.hpp"
#include "support/lattice.hpp"

namespace tessera::output {
namespace {

using mesh::Shape;

using testing::lattice;

/// An affine map with positive determinant, so that no symmetry hides a wrong order.
void affine(const double* xi, double* x) {
  x[0] = 1.0 + 0.9 * xi[0] + 0.2 * xi[1] - 0.1 * xi[2];
  x[1] = -2.0 + 0.1 * xi[0] + 1.3 * xi[1] + 0.3 * xi[2];
  x[2] = 0.5 + 0.2 * xi[0] - 0.1 * xi[1] + 0.7 * xi[2];
}

double polynomial(const double* x, int degree) {
  return std::pow(x[0] + 0.3, degree) - 2 * std::pow(x[1] - 0.1, degree) + std::pow(x[2] + 0.5 * x[0], degree) + 1;
}

std::filesystem::path scratch(const std::string& name) {
  const auto folder = std::filesystem::path(::testing::TempDir()) / "tessera_output_vtk";
  std::filesystem::create_directories(folder);
  return folder / name;
}

struct Case {
  Shape shape;
  int order;
};

class VtkCells : public ::testing::TestWithParam<Case> {};

/// One cell of the shape with u a polynomial of the cell's degree.
VtkData one_cell(Shape shape, int order) {
  const int dim = mesh::dimension(shape);
  const std::vector<double> reference = lattice(shape, order);
  VtkData data;
  data.title = "one <cell> & more";
  data.time = 2.5;
  Field u{"u", 1, {}, false}, velocity{"velocity", 3, {}, false};
  std::vector<Index> conn;
  for (std::size_t n = 0; n < reference.size() / dim; ++n) {
    double xi[3] = {0, 0, 0}, x[3];
    for (int d = 0; d < dim; ++d) xi[d] = reference[n * dim + d];
    affine(xi, x);
    data.points.insert(data.points.end(), x, x + 3);
    u.values.push_back(polynomial(x, order));
    velocity.values.insert(velocity.values.end(), {x[0], 2 * x[1], 3 * x[2]});
    conn.push_back(static_cast<Index>(n));
  }
  data.blocks = {vtk_cells(shape, order, reference, conn)};
  data.point_fields = {u, velocity};
  data.cell_fields = {{"material", 1, {7}, true}, {"error", 1, {0.25}, false}};
  return data;
}

TEST_P(VtkCells, ReadBackInterpolateExactlyWithPositiveVolume) {
  const auto [shape, order] = GetParam();
  const auto path = scratch(std::string(mesh::name(shape)) + std::to_string(order) + ".vtu");
  const VtkData data = one_cell(shape, order);
  write_vtu(data, path);

  vtkNew<vtkXMLUnstructuredGridReader> reader;
  reader->SetFileName(path.c_str());
  reader->Update();
  vtkUnstructuredGrid* grid = reader->GetOutput();
  ASSERT_EQ(grid->GetNumberOfCells(), 1);
  vtkCell* cell = grid->GetCell(0);
  const int nodes = static_cast<int>(cell->GetNumberOfPoints());
  ASSERT_EQ(nodes, data.blocks[0].nodes);
  vtkDataArray* u = grid->GetPointData()->GetArray("u");
  ASSERT_NE(u, nullptr);

  // VTK's parametric point p is our reference point xi; the interpolated place must be the map of xi, u the polynomial
  // there.
  const bool symmetric = shape == Shape::interval || shape == Shape::quad || shape == Shape::hex;
  const int dim = mesh::dimension(shape);
  std::vector<double> weights(static_cast<std::size_t>(nodes));
  for (const auto& p :
       std::vector<std::array<double, 3>>{{0.2, 0.3, 0.1}, {0.11, 0.57, 0.23}, {0.4, 0.05, 0.31}, {0.1, 0.1, 0.71}}) {
    double q[3] = {p[0], dim > 1 ? p[1] : 0, dim > 2 ? p[2] : 0}, xi[3] = {0, 0, 0}, expected[3], x[3],
           found[3] = {0, 0, 0};
    for (int d = 0; d < dim; ++d) xi[d] = symmetric || (shape == Shape::prism && d == 2) ? 2 * q[d] - 1 : q[d];
    affine(xi, expected);
    int sub = 0;
    cell->EvaluateLocation(sub, q, x, weights.data());
    cell->InterpolateFunctions(q, weights.data());
    double value = 0;
    for (int n = 0; n < nodes; ++n) {
      const vtkIdType id = cell->GetPointId(n);
      value += weights[static_cast<std::size_t>(n)] * u->GetComponent(id, 0);
      for (int d = 0; d < 3; ++d) found[d] += weights[static_cast<std::size_t>(n)] * grid->GetPoint(id)[d];
    }
    for (int d = 0; d < 3; ++d) EXPECT_NEAR(found[d], expected[d], 1e-12);
    EXPECT_NEAR(value, polynomial(expected, order), 1e-10 * (1 + std::abs(value)));
    // EvaluateLocation, as filters use it, agrees where the cell has one sub-cell.
    if (dim == 3) {
      for (int d = 0; d < 3; ++d) EXPECT_NEAR(x[d], expected[d], 1e-12);
    }
  }

  // Positive volume: the Jacobian of VTK's own map, by differences.
  if (dim == 3) {
    double at[4][3];
    const double centre[3] = {0.25, 0.25, 0.25}, h = 1e-4;
    for (int k = 0; k < 4; ++k) {
      double q[3] = {centre[0], centre[1], centre[2]};
      if (k > 0) q[k - 1] += h;
      int sub = 0;
      cell->EvaluateLocation(sub, q, at[k], weights.data());
    }
    double J[3][3];
    for (int k = 0; k < 3; ++k)
      for (int d = 0; d < 3; ++d) J[k][d] = (at[k + 1][d] - at[0][d]) / h;
    const double det = J[0][0] * (J[1][1] * J[2][2] - J[1][2] * J[2][1]) -
                       J[0][1] * (J[1][0] * J[2][2] - J[1][2] * J[2][0]) +
                       J[0][2] * (J[1][0] * J[2][1] - J[1][1] * J[2][0]);
    EXPECT_GT(det, 0.1);
  }
}

TEST_P(VtkCells, EdgesCarryTheirOwnPoints) {
  // VTK finds the points of edges by index tables of its own: a swapped pair of edges shows here.
  const auto [shape, order] = GetParam();
  const auto path = scratch("edges_" + std::string(mesh::name(shape)) + std::to_string(order) + ".vtu");
  write_vtu(one_cell(shape, order), path);
  vtkNew<vtkXMLUnstructuredGridReader> reader;
  reader->SetFileName(path.c_str());
  reader->Update();
  vtkUnstructuredGrid* grid = reader->GetOutput();
  vtkCell* cell = grid->GetCell(0);
  for (int e = 0; e < cell->GetNumberOfEdges(); ++e) {
    // The affine image of an edge: equally spaced points on a line. VTK lists them from end to end (tets) or ends
    // first.
    vtkCell* edge = cell->GetEdge(e);
    ASSERT_EQ(edge->GetNumberOfPoints(), order + 1);
    double a[3], p[3];
    grid->GetPoint(edge->GetPointId(0), a);
    std::vector<double> distances;
    for (vtkIdType n = 0; n <= order; ++n) {
      grid->GetPoint(edge->GetPointId(n), p);
      distances.push_back(std::hypot(p[0] - a[0], p[1] - a[1], p[2] - a[2]));
    }
    std::sort(distances.begin(), distances.end());
    for (int n = 0; n <= order; ++n) EXPECT_NEAR(distances[n], distances[order] * n / order, 1e-12) << "edge " << e;
  }
}

std::string case_name(const ::testing::TestParamInfo<Case>& info) {
  return std::string(mesh::name(info.param.shape)) + std::to_string(info.param.order);
}

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const Shape shape : {Shape::interval, Shape::triangle, Shape::quad, Shape::tet, Shape::hex, Shape::prism})
    for (int order = 1; order <= 4; ++order) cases.push_back({shape, order});
  for (const Shape shape : {Shape::interval, Shape::quad, Shape::hex})
    for (int order = 5; order <= 8; ++order) cases.push_back({shape, order});
  return cases;
}
INSTANTIATE_TEST_SUITE_P(AllShapes, VtkCells, ::testing::ValuesIn(all_cases()), case_name);

TEST(VtkWriter, KeepsFieldsTitleAndTime) {
  const auto path = scratch("fields.vtu");
  const VtkData data = one_cell(Shape::tet, 2);
  write_vtu(data, path);
  const VtuFile file = read_vtu(path);
  EXPECT_EQ(file.points, data.points);
  ASSERT_EQ(file.point_fields.size(), 2u);
  EXPECT_EQ(file.point_fields[1].components, 3);
  EXPECT_EQ(file.point_fields[1].values, data.point_fields[1].values);
  ASSERT_EQ(file.cell_fields.size(), 2u);
  EXPECT_TRUE(file.cell_fields[0].integer);
  EXPECT_EQ(file.cell_fields[0].values, std::vector<double>{7});
  vtkNew<vtkXMLUnstructuredGridReader> reader;
  reader->SetFileName(path.c_str());
  reader->Update();
  vtkFieldData* field = reader->GetOutput()->GetFieldData();
  EXPECT_EQ(field->GetArray("TimeValue")->GetComponent(0, 0), 2.5);
  auto* title = vtkStringArray::SafeDownCast(field->GetAbstractArray("title"));
  ASSERT_NE(title, nullptr);
  EXPECT_EQ(title->GetValue(0), "one <cell> & more");
}

TEST(VtkWriter, WritesSeveralBlocksAndNothing) {
  VtkData data;
  data.points = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 2, 0, 0};
  data.blocks.push_back(vtk_cells(Shape::quad, 1, reference_vertices(Shape::quad), std::vector<Index>{0, 1, 2, 3}));
  data.blocks.push_back(
      vtk_cells(Shape::triangle, 1, reference_vertices(Shape::triangle), std::vector<Index>{1, 4, 2}));
  write_vtu(data, scratch("mixed.vtu"));
  EXPECT_EQ(read_vtu(scratch("mixed.vtu")).offsets, (std::vector<Offset>{0, 4, 7}));
  write_vtu({}, scratch("empty.vtu"));
  EXPECT_TRUE(read_vtu(scratch("empty.vtu")).points.empty());
}

TEST(VtkWriter, RefusesFieldsOfTheWrongSize) {
  VtkData data = one_cell(Shape::tet, 1);
  data.point_fields[0].values.pop_back();
  EXPECT_THROW(write_vtu(data, scratch("wrong.vtu")), Error);
  EXPECT_FALSE(std::filesystem::exists(scratch("wrong.vtu")));
}

TEST(VtkNodeOrder, RefusesPointsThatAreNotALagrangeCell) {
  EXPECT_THROW(mesh::vtk_node_order(Shape::triangle, 1, std::vector<double>{0, 0, 1, 0, 0.5, 0.2}), Error);
}

}  // namespace
}  // namespace tessera::output
