// VTK's unstructured grids as meshes: what the program writes, and what others do.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <vtkCell.h>
#include <vtkCellData.h>
#include <vtkCellType.h>
#include <vtkGenericCell.h>
#include <vtkIdList.h>
#include <vtkIntArray.h>
#include <vtkLongLongArray.h>
#include <vtkNew.h>
#include <vtkPoints.h>
#include <vtkUnsignedCharArray.h>
#include <vtkUnstructuredGrid.h>
#include <vtkXMLUnstructuredGridWriter.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <random>

#include "base/error.hpp"
#include "base/log.hpp"
#include "mesh/box.hpp"
#include "mesh/conformity.hpp"
#include "mesh/geometry.hpp"
#include "mesh/gmsh_reader.hpp"
#include "mesh/gmsh_types.hpp"
#include "mesh/quality.hpp"
#include "output/vtk_writer.hpp"

namespace tessera::output {
namespace {

using mesh::Mesh;
using mesh::Shape;
using Point = std::array<double, 3>;

std::filesystem::path scratch(const std::string& name) {
  const auto folder = std::filesystem::path(::testing::TempDir()) / fmt::format("tessera_vtu_mesh_{}", getpid());
  std::filesystem::create_directories(folder);
  return folder / name;
}

std::string read_text(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
void write_text(const std::filesystem::path& file, const std::string& text) {
  std::ofstream(file, std::ios::binary) << text;
}

/// The code that reading the file throws; the message goes to `message`.
ExitCode code_of(const std::filesystem::path& file, std::string& message) {
  try {
    mesh::read_gmsh(file);
    return ExitCode::ok;
  } catch (const Error& error) {
    message = error.report();
    return error.code();
  }
}

/// A curved map of degree 2 that no symmetry of a cell hides.
Point bent(int dim, const Point& p) {
  const auto& [x, y, z] = p;
  if (dim == 1) return {x + 0.2 * x * x, 0, 0};
  if (dim == 2) return {x + 0.15 * y * y, y + 0.1 * x * x + 0.05 * x * y, 0};
  return {x + 0.1 * y * y, y + 0.12 * z * z + 0.05 * x * y, z + 0.08 * x * x};
}
void bend(Mesh& mesh) {
  for (Index n = 0; n < mesh.nodes(); ++n) {
    const Point x = bent(mesh.dim, {mesh.point(n)[0], mesh.point(n)[1], mesh.point(n)[2]});
    std::copy(x.begin(), x.end(), mesh.points.begin() + 3 * n);
  }
}

Mesh box(Shape shape, int order) {
  const std::size_t dim = static_cast<std::size_t>(mesh::dimension(shape));
  mesh::BoxParams params;
  params.shape = mesh::name(shape);
  params.min.assign(dim, 0.0);
  params.max.assign(dim, 1.0);
  params.cells = std::vector<int>{2, 1, 2};
  params.cells.resize(dim);
  return make_box(params, order);
}

/// Equispaced nodes of a Lagrange cell in Gmsh's reference cell, in lexicographic order.
std::vector<double> lattice(Shape shape, int order) {
  std::vector<double> points;
  const int dim = mesh::dimension(shape);
  const bool simplex = shape == Shape::triangle || shape == Shape::tet;
  for (int k = 0; k <= (dim > 2 ? order : 0); ++k)
    for (int j = 0; j <= (dim > 1 ? order : 0); ++j)
      for (int i = 0; i <= order; ++i) {
        if (simplex && i + j + k > order) continue;
        if (shape == Shape::prism && i + j > order) continue;
        const int index[3] = {i, j, k};
        for (int d = 0; d < dim; ++d) {
          const bool unit = simplex || (shape == Shape::prism && d < 2);
          points.push_back(unit ? double(index[d]) / order : 2.0 * index[d] / order - 1);
        }
      }
  return points;
}

/// The box as the program writes fields of this order on it: Lagrange cells that share their nodes, bent for orders
/// above 1.
VtkData written(Shape shape, int order) {
  const Mesh mesh = box(shape, 1);
  const std::vector<double> nodes = lattice(shape, order);
  std::map<std::array<long, 3>, Index> numbers;
  VtkData data;
  std::vector<Index> conn;
  for (Index c = 0; c < mesh.cells(); ++c) {
    const mesh::CellBlock& block = mesh.block_of(c);
    for (std::size_t n = 0; n < nodes.size() / mesh.dim; ++n) {
      double phi[27];
      shape_functions(shape, 1, nodes.data() + n * mesh.dim, phi, nullptr);
      Point x{};
      for (int v = 0; v < block.nodes_per_cell; ++v)
        for (int axis = 0; axis < 3; ++axis) x[axis] += phi[v] * mesh.point(block.cell(c)[v])[axis];
      const std::array<long, 3> key{std::lround(1e9 * x[0]), std::lround(1e9 * x[1]), std::lround(1e9 * x[2])};
      const auto [found, added] = numbers.try_emplace(key, static_cast<Index>(numbers.size()));
      conn.push_back(found->second);
      if (!added) continue;
      if (order > 1) x = bent(mesh.dim, x);
      data.points.insert(data.points.end(), x.begin(), x.end());
    }
  }
  data.blocks = {vtk_cells(shape, order, nodes, conn)};
  return data;
}

struct Case {
  Shape shape;
  int order;
};
class VtuOfTheProgram : public ::testing::TestWithParam<Case> {};

TEST_P(VtuOfTheProgram, IsTheMeshItWasWrittenFrom) {
  const auto [shape, order] = GetParam();
  const auto path = scratch(fmt::format("{}{}.vtu", mesh::name(shape), order));
  VtkData data = written(shape, order);
  std::vector<double> parity;
  for (Index c = 0; c < box(shape, 1).cells(); ++c) parity.push_back(c % 2);
  data.cell_fields = {{"material", 1, parity, true}, {"in odd", 1, parity, true}};
  write_vtu(data, path);

  Mesh expected = box(shape, std::min(order, 2));
  if (order > 1) bend(expected);
  clear_warnings();
  const Mesh mesh = mesh::read_gmsh(path);
  EXPECT_EQ(mesh.dim, expected.dim);
  EXPECT_EQ(mesh.order, expected.order);
  EXPECT_EQ(mesh.cells(), expected.cells());
  EXPECT_EQ(mesh.nodes(), expected.nodes());
  EXPECT_NEAR(measure(mesh), measure(expected), 1e-13);
  EXPECT_EQ(mesh.facets.size(), expected.facets.size());
  double area = 0, expected_area = 0;
  for (Index f = 0; f < mesh.facets.size(); ++f) area += facet_measure(mesh, f);
  for (Index f = 0; f < expected.facets.size(); ++f) expected_area += facet_measure(expected, f);
  EXPECT_NEAR(area, expected_area, 1e-12);
  EXPECT_NO_THROW(check_cells(mesh));
  EXPECT_NO_THROW(check_conformity(mesh, false));
  for (const char* name : {"material_0", "material_1", "odd"}) EXPECT_NE(mesh.group(name, mesh.dim), nullptr) << name;
  EXPECT_NEAR(measure(mesh, *mesh.group("odd", mesh.dim)), measure(mesh, *mesh.group("material_1", mesh.dim)), 0);
  EXPECT_EQ(mesh.groups.size(), 3u);
  if (order <= 2) {
    EXPECT_TRUE(warnings().empty());
  } else {
    ASSERT_EQ(warnings().size(), 1u);
    EXPECT_NE(warnings()[0].find(fmt::format("of order {} become cells of geometric order 2", order)),
              std::string::npos);
  }
}

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const Shape shape : {Shape::interval, Shape::triangle, Shape::quad, Shape::tet, Shape::hex, Shape::prism})
    for (int order = 1; order <= 4; ++order) cases.push_back({shape, order});
  for (const Shape shape : {Shape::interval, Shape::quad, Shape::hex})
    for (int order = 5; order <= 8; ++order) cases.push_back({shape, order});
  return cases;
}
INSTANTIATE_TEST_SUITE_P(AllShapes, VtuOfTheProgram, ::testing::ValuesIn(all_cases()), [](const auto& info) {
  return std::string(mesh::name(info.param.shape)) + std::to_string(info.param.order);
});

/// A grid to be filled and written.
struct Grid {
  vtkNew<vtkUnstructuredGrid> grid;
  vtkNew<vtkPoints> points;
  Grid() {
    points->SetDataTypeToDouble();
    grid->SetPoints(points);
  }
  void cell(int type, const std::vector<vtkIdType>& nodes) {
    grid->InsertNextCell(type, static_cast<vtkIdType>(nodes.size()), nodes.data());
  }
  template <class Array>
  void array(const char* name, const std::vector<int>& values) {
    vtkNew<Array> array;
    array->SetName(name);
    for (int value : values) array->InsertNextValue(static_cast<typename Array::ValueType>(value));
    grid->GetCellData()->AddArray(array);
  }
  std::filesystem::path write(const std::string& name, bool ascii = true) {
    const auto path = scratch(name);
    vtkNew<vtkXMLUnstructuredGridWriter> writer;
    writer->SetFileName(path.c_str());
    writer->SetInputData(grid);
    ascii ? writer->SetDataModeToAscii() : writer->SetDataModeToBinary();
    writer->Write();
    return path;
  }
};

class VtkCellType : public ::testing::TestWithParam<int> {};

// The nodes of a cell lie where VTK says, bent; then those of the mesh lie where Gmsh's order says, bent.
TEST_P(VtkCellType, HasItsNodesWhereVtkSays) {
  const int type = GetParam();
  const auto cell = vtkSmartPointer<vtkCell>::Take(vtkGenericCell::InstantiateCell(type));
  const double* places = cell->GetParametricCoords();
  Grid grid;
  std::vector<vtkIdType> nodes;
  const int dim = cell->GetCellDimension();
  for (vtkIdType n = 0; n < cell->GetNumberOfPoints(); ++n) {
    const Point x = bent(dim, {places[3 * n], places[3 * n + 1], places[3 * n + 2]});
    grid.points->InsertNextPoint(x.data());
    nodes.push_back(n);
  }
  grid.cell(type, nodes);
  const Mesh mesh = mesh::read_gmsh(grid.write(fmt::format("type_{}.vtu", type), type % 2));
  EXPECT_EQ(mesh.dim, dim);
  EXPECT_NO_THROW(check_cells(mesh));
  if (type == VTK_PYRAMID || type == VTK_QUADRATIC_PYRAMID) {
    EXPECT_EQ(mesh.cells(), 2);
    EXPECT_EQ(mesh.order, type == VTK_PYRAMID ? 1 : 2);
    EXPECT_EQ(mesh.nodes(), type == VTK_PYRAMID ? 5 : 14);
    return;
  }
  ASSERT_EQ(mesh.cells(), 1);
  const mesh::CellBlock& block = mesh.blocks[0];
  ASSERT_EQ(mesh.nodes(), block.nodes_per_cell);
  const std::span<const double> reference = mesh::reference_nodes(block.shape, block.order);
  const bool unit = block.shape == Shape::triangle || block.shape == Shape::tet;
  for (int n = 0; n < std::min<int>(static_cast<int>(nodes.size()), block.nodes_per_cell); ++n) {
    Point place{};
    for (int d = 0; d < dim; ++d) {
      const double xi = reference[n * dim + d];
      place[d] = unit || (block.shape == Shape::prism && d < 2) ? xi : (xi + 1) / 2;
    }
    const Point expected = bent(dim, place);
    for (int axis = 0; axis < 3; ++axis) EXPECT_NEAR(mesh.point(block.cell(0)[n])[axis], expected[axis], 1e-14) << n;
  }
}
INSTANTIATE_TEST_SUITE_P(Types, VtkCellType,
                         ::testing::Values(VTK_LINE, VTK_TRIANGLE, VTK_PIXEL, VTK_QUAD, VTK_TETRA, VTK_VOXEL,
                                           VTK_HEXAHEDRON, VTK_WEDGE, VTK_PYRAMID, VTK_QUADRATIC_EDGE,
                                           VTK_QUADRATIC_TRIANGLE, VTK_QUADRATIC_QUAD, VTK_QUADRATIC_TETRA,
                                           VTK_QUADRATIC_HEXAHEDRON, VTK_QUADRATIC_WEDGE, VTK_QUADRATIC_PYRAMID,
                                           VTK_BIQUADRATIC_QUAD, VTK_TRIQUADRATIC_HEXAHEDRON,
                                           VTK_BIQUADRATIC_QUADRATIC_WEDGE));

/// Two squares in a row, [0, 1] and [1, 2], a line on the left, the upper sides as one polyline, and a vertex.
void squares(Grid& grid) {
  for (int j = 0; j < 2; ++j)
    for (int i = 0; i < 3; ++i) grid.points->InsertNextPoint(i, j, 0);
  grid.cell(VTK_QUAD, {0, 1, 4, 3});
  grid.cell(VTK_POLYGON, {1, 2, 5, 4});
  grid.cell(VTK_LINE, {0, 3});
  grid.cell(VTK_POLY_LINE, {3, 4, 5});
  grid.cell(VTK_VERTEX, {2});
}

TEST(VtuGroups, AreTheValuesOfIntegerArrays) {
  Grid grid;
  squares(grid);
  grid.array<vtkIntArray>("part", {1, 2, 2, -3, 2});
  grid.array<vtkLongLongArray>("gmsh:physical", {7, 7, 8, 9, 10});
  const Mesh mesh = mesh::read_gmsh(grid.write("groups.vtu"));
  EXPECT_EQ(mesh.dim, 2);
  const auto size = [&](const char* name, int dim) {
    const mesh::Group* group = mesh.group(name, dim);
    return group ? static_cast<int>(group->entities.size() + group->vertices.size()) : -1;
  };
  EXPECT_EQ(size("part_1", 2), 1);
  EXPECT_EQ(size("part_2", 2), 1);
  EXPECT_EQ(size("part_2", 1), 1);
  EXPECT_EQ(size("part_-3", 1), 2);
  EXPECT_EQ(size("part_2", 0), 1);
  EXPECT_EQ(size("gmsh:physical_7", 2), 2);
  EXPECT_EQ(size("gmsh:physical_8", 1), 1);
  EXPECT_EQ(size("gmsh:physical_10", 0), 1);
}

TEST(VtuGroups, OfTheProgramKeepTheirNames) {
  Grid grid;
  squares(grid);
  grid.array<vtkIntArray>("in wet part", {1, 0, 0, 0, 0});
  grid.array<vtkIntArray>("in doubt", {1, 0, 2, 0, 0});
  grid.array<vtkIntArray>("group", {0, -1, -1, -1, -1});
  const Mesh mesh = mesh::read_gmsh(grid.write("names.vtu"));
  EXPECT_NE(mesh.group("wet part", 2), nullptr);
  EXPECT_NE(mesh.group("in doubt_2", 1), nullptr);
  EXPECT_NE(mesh.group("group_0", 2), nullptr);
  EXPECT_EQ(mesh.group("group_-1", 2), nullptr);
}

TEST(VtuGroups, AreNotMadeOfManyValues) {
  Grid grid;
  std::vector<int> numbers;
  for (int i = 0; i <= 1500; ++i) grid.points->InsertNextPoint(i, 0, 0);
  for (int i = 0; i < 1500; ++i) grid.cell(VTK_LINE, {i, i + 1}), numbers.push_back(i);
  grid.array<vtkIntArray>("id", numbers);
  EXPECT_TRUE(mesh::read_gmsh(grid.write("many.vtu")).groups.empty());
}

TEST(VtuGhosts, AreLeftOut) {
  Grid grid;
  squares(grid);
  grid.array<vtkUnsignedCharArray>("vtkGhostType", {0, 1, 0, 0, 0});
  const Mesh mesh = mesh::read_gmsh(grid.write("ghosts.vtu"));
  EXPECT_EQ(mesh.cells(), 1);
  EXPECT_TRUE(mesh.groups.empty());
}

void expect_refused(const std::filesystem::path& file, const std::vector<std::string>& parts) {
  std::string message;
  EXPECT_EQ(code_of(file, message), ExitCode::mesh) << message;
  for (const std::string& part : parts)
    EXPECT_NE(message.find(part), std::string::npos) << "expected: " << part << "\n" << message;
  EXPECT_NE(message.find("help: "), std::string::npos) << message;
}

TEST(VtuErrors, SayWhatAndWhatToDo) {
  write_text(scratch("text.vtu"), "hello");
  expect_refused(scratch("text.vtu"), {"cannot read", "text.vtu", "it is not a VTK XML file", "a whole .vtu file"});
  Grid grid;
  squares(grid);
  const std::string whole = read_text(grid.write("whole.vtu"));
  write_text(scratch("cut.vtu"), whole.substr(0, whole.size() / 2));
  expect_refused(scratch("cut.vtu"), {"it is cut off"});
  std::string other = whole;
  other.replace(other.find("\"UnstructuredGrid\""), 18, "\"PolyData\"");
  write_text(scratch("poly.vtu"), other);
  expect_refused(scratch("poly.vtu"), {"it holds PolyData, not an UnstructuredGrid"});
  other = whole;
  other.replace(other.find("NumberOfPoints=\"6\""), 18, "NumberOfPoints=\"600000\"");
  write_text(scratch("claim.vtu"), other);
  expect_refused(scratch("claim.vtu"), {"cannot read"});
}

TEST(VtuErrors, NameCellsThatAreNotRead) {
  Grid grid;
  squares(grid);
  grid.cell(VTK_TRIANGLE_STRIP, {0, 1, 3, 4});
  expect_refused(grid.write("strip.vtu"), {"1 cells of the type vtkTriangleStrip (6)", "Tetrahedralize"});
  Grid seven;
  for (int i = 0; i < 7; ++i) seven.points->InsertNextPoint(i, i * i, 0);
  seven.cell(VTK_LAGRANGE_TRIANGLE, {0, 1, 2, 3, 4, 5, 6});
  expect_refused(seven.write("seven.vtu"), {"vtkLagrangeTriangle (69)", "complete Lagrange cells"});
}

TEST(VtuErrors, OfMixedOrders) {
  Grid grid;
  squares(grid);
  for (int i = 0; i < 7; ++i) grid.points->InsertNextPoint(5 + i % 3, i / 3, 0);
  grid.cell(VTK_QUADRATIC_TRIANGLE, {6, 7, 8, 9, 10, 11});
  expect_refused(grid.write("mixed.vtu"), {"mixes cells of orders 1 and 2", "one order"});
}

TEST(VtuErrors, OfCellsThatNameNoPoints) {
  Grid grid;
  squares(grid);
  std::string text = read_text(grid.write("points.vtu"));
  const std::size_t at = text.find("0 1 4 3", text.find("connectivity"));
  ASSERT_NE(at, std::string::npos);
  text.replace(at, 7, "0 1 4 9");
  write_text(scratch("points.vtu"), text);
  expect_refused(scratch("points.vtu"), {"its cells name points that are not there"});
  Grid empty;
  expect_refused(empty.write("empty.vtu"), {"empty.vtu", "no cells"});
}

TEST(VtuErrors, OfOtherFormatsOfVtk) {
  for (const char* name : {"a.pvtu", "a.vtp", "a.vti", "a.pvd", "a.VTM", "a.vts", "a.vtr"}) {
    write_text(scratch(name), "<VTKFile/>");
    expect_refused(scratch(name), {name, "ParaView"});
  }
}

// Whatever is in the file: a mesh, or an error.
TEST(VtuDamaged, IsReadOrRefused) {
  std::mt19937 random(99);
  Grid grid;
  squares(grid);
  grid.array<vtkIntArray>("part", {1, 2, 2, -3, 2});
  write_vtu(written(Shape::tet, 2), scratch("appended.vtu"));
  for (const auto& file : {grid.write("ascii.vtu"), grid.write("binary.vtu", false), scratch("appended.vtu")}) {
    const std::string whole = read_text(file);
    for (int trial = 0; trial < 60; ++trial) {
      std::string text = whole, message;
      if (trial % 3 == 0) text.erase(random() % text.size(), 1 + random() % 20);
      for (int change = 0; change <= trial % 3; ++change)
        text[random() % text.size()] = trial % 2 ? static_cast<char>(random()) : static_cast<char>('0' + random() % 10);
      write_text(scratch("damaged.vtu"), text);
      const ExitCode code = code_of(scratch("damaged.vtu"), message);
      EXPECT_TRUE(code == ExitCode::ok || code == ExitCode::mesh) << message;
    }
  }
}

}  // namespace
}  // namespace tessera::output
