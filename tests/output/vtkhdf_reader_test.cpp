// VTKHDF files as VTK's own reader takes them: a solution, and the first state of a series.
#include <gtest/gtest.h>

#ifdef TESSERA_VTK_READS_HDF
#include <vtkCellArray.h>
#include <vtkCellData.h>
#include <vtkDataArray.h>
#include <vtkHDFReader.h>
#include <vtkIdList.h>
#include <vtkNew.h>
#include <vtkPointData.h>
#include <vtkPoints.h>
#include <vtkUnstructuredGrid.h>
#endif

#include <filesystem>

#include "mesh/vtk_messages.hpp"
#include "output/vtkhdf.hpp"
#include "support/lattice.hpp"
#include "support/strip.hpp"

namespace tessera::output {
namespace {

namespace fs = std::filesystem;

#ifdef TESSERA_VTK_READS_HDF

void expect_field(vtkFieldData* data, const char* name, const Field& field) {
  vtkDataArray* const array = data->GetArray(name);
  ASSERT_NE(array, nullptr) << name;
  ASSERT_EQ(array->GetNumberOfComponents(), field.components) << name;
  ASSERT_EQ(static_cast<std::size_t>(array->GetNumberOfValues()), field.values.size()) << name;
  for (std::size_t i = 0; i < field.values.size(); ++i)
    EXPECT_EQ(array->GetVariantValue(static_cast<vtkIdType>(i)).ToDouble(), field.values[i]) << name << " " << i;
}

/// The grid of a file is that of the .vtu file of the same data.
void expect_read(const fs::path& path, const VtkData& data) {
  const fs::path vtu_path = path.parent_path() / "same.vtu";
  write_vtu(data, vtu_path);
  const VtuFile vtu = read_vtu(vtu_path);
  const mesh::VtkMessages quiet;  // 9.1 warns of files of version 2.0
  vtkNew<vtkHDFReader> reader;
  reader->SetFileName(path.c_str());
  reader->Update();
  auto* const grid = vtkUnstructuredGrid::SafeDownCast(reader->GetOutputDataObject(0));
  ASSERT_NE(grid, nullptr);
  ASSERT_EQ(3 * static_cast<std::size_t>(grid->GetNumberOfPoints()), vtu.points.size());
  for (vtkIdType p = 0; p < grid->GetNumberOfPoints(); ++p)
    for (int axis = 0; axis < 3; ++axis)
      EXPECT_EQ(grid->GetPoint(p)[axis], vtu.points[static_cast<std::size_t>(3 * p + axis)]);
  ASSERT_EQ(static_cast<std::size_t>(grid->GetNumberOfCells()), vtu.types.size());
  std::vector<Offset> connectivity;
  vtkNew<vtkIdList> nodes;
  for (vtkIdType c = 0; c < grid->GetNumberOfCells(); ++c) {
    EXPECT_EQ(grid->GetCellType(c), vtu.types[static_cast<std::size_t>(c)]);
    grid->GetCellPoints(c, nodes);
    for (vtkIdType n = 0; n < nodes->GetNumberOfIds(); ++n) connectivity.push_back(nodes->GetId(n));
  }
  EXPECT_EQ(connectivity, vtu.connectivity);
  for (const Field& field : data.point_fields) expect_field(grid->GetPointData(), field.name.c_str(), field);
  for (const Field& field : data.cell_fields)
    expect_field(grid->GetCellData(), field.name == "in a/b" ? "in a_b" : field.name.c_str(), field);
}

TEST(VtkReads, ASolutionAndTheFirstStateOfASeries) {
  if (hdf5_version().empty()) GTEST_SKIP() << "built without HDF5";
  const fs::path folder = fs::path(::testing::TempDir()) / "tessera_vtkhdf_of_vtk";
  fs::create_directories(folder);
  write_vtkhdf(testing::strip(0.5), folder / "a.vtkhdf");
  expect_read(folder / "a.vtkhdf", testing::strip(0.5));
  VtkhdfSeries series(folder / "b.vtkhdf");
  for (const double t : {0.0, 1.0, 2.0}) series.add(t, testing::strip(t));
  expect_read(folder / "b.vtkhdf", testing::strip(0));
  write_vtkhdf(testing::strip(0.5), folder / "c.vtkhdf", {.precision = Precision::of_float});
  expect_read(folder / "c.vtkhdf", testing::as_floats(testing::strip(0.5)));
}

TEST(VtkReads, CellsOfHighOrder) {
  if (hdf5_version().empty()) GTEST_SKIP() << "built without HDF5";
  const fs::path folder = fs::path(::testing::TempDir()) / "tessera_vtkhdf_orders";
  fs::create_directories(folder);
  for (const mesh::Shape shape : {mesh::Shape::triangle, mesh::Shape::quad, mesh::Shape::tet, mesh::Shape::hex})
    for (const int order : {2, 3, 4}) {
      const std::vector<double> nodes = testing::lattice(shape, order);
      const auto dim = static_cast<std::size_t>(mesh::dimension(shape));
      VtkData data;
      std::vector<Index> conn;
      for (std::size_t node = 0; node < nodes.size() / dim; ++node) {
        conn.push_back(static_cast<Index>(node));
        for (std::size_t axis = 0; axis < 3; ++axis) data.points.push_back(axis < dim ? nodes[node * dim + axis] : 0);
      }
      data.blocks = {vtk_cells(shape, order, nodes, conn)};
      data.point_fields = {{"x", 3, data.points}};
      write_vtkhdf(data, folder / "a.vtkhdf");
      expect_read(folder / "a.vtkhdf", data);
    }
}

#else

TEST(VtkReads, ASolutionAndTheFirstStateOfASeries) { GTEST_SKIP() << "this VTK has no reader of VTKHDF files"; }

#endif

}  // namespace
}  // namespace tessera::output
