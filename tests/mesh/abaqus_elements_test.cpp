// Element types of Abaqus and CalculiX: what they become, and that each node lies where Abaqus says.
#include <fmt/format.h>

#include <cmath>
#include <map>

#include "base/log.hpp"
#include "mesh/abaqus_elements.hpp"
#include "mesh/geometry.hpp"
#include "mesh/gmsh_files.hpp"
#include "mesh/gmsh_reader.hpp"
#include "mesh/gmsh_types.hpp"
#include "mesh/quality.hpp"

namespace tessera::mesh {
namespace {

using Point = std::array<double, 3>;
using Sets = std::vector<std::vector<int>>;

/// One element as Abaqus numbers its nodes: each stands at the mean of some vertices (1, 2, ... as in the manual).
struct Element {
  int dim;
  std::vector<Point> vertices;
  Sets nodes;
};

const std::vector<Point> line{{0, 0, 0}, {1, 0, 0}}, triangle{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
    quad{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}}, tet{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
    pyramid{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0.5, 0.5, 1}},
    prism{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {0, 1, 1}},
    hex{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};

Sets corners(int count) {
  Sets sets;
  for (int v = 1; v <= count; ++v) sets.push_back({v});
  return sets;
}
Sets operator+(Sets a, const Sets& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// By dimension and number of nodes; edges and faces as the manual of Abaqus draws them.
Element element(int dim, int nodes) {
  const Sets hex_edges{{1, 2}, {2, 3}, {3, 4}, {4, 1}, {5, 6}, {6, 7}, {7, 8}, {8, 5}, {1, 5}, {2, 6}, {3, 7}, {4, 8}};
  static const std::map<std::pair<int, int>, Element> all{
      {{1, 2}, {1, line, corners(2)}},
      {{1, 3}, {1, line, {{1}, {1, 2}, {2}}}},
      {{2, 3}, {2, triangle, corners(3)}},
      {{2, 4}, {2, quad, corners(4)}},
      {{2, 6}, {2, triangle, corners(3) + Sets{{1, 2}, {2, 3}, {3, 1}}}},
      {{2, 8}, {2, quad, corners(4) + Sets{{1, 2}, {2, 3}, {3, 4}, {4, 1}}}},
      {{2, 9}, {2, quad, corners(4) + Sets{{1, 2}, {2, 3}, {3, 4}, {4, 1}, {1, 2, 3, 4}}}},
      {{3, 4}, {3, tet, corners(4)}},
      {{3, 5}, {3, pyramid, corners(5)}},
      {{3, 6}, {3, prism, corners(6)}},
      {{3, 8}, {3, hex, corners(8)}},
      {{3, 10}, {3, tet, corners(4) + Sets{{1, 2}, {2, 3}, {3, 1}, {1, 4}, {2, 4}, {3, 4}}}},
      {{3, 13}, {3, pyramid, corners(5) + Sets{{1, 2}, {2, 3}, {3, 4}, {4, 1}, {1, 5}, {2, 5}, {3, 5}, {4, 5}}}},
      {{3, 15}, {3, prism, corners(6) + Sets{{1, 2}, {2, 3}, {3, 1}, {4, 5}, {5, 6}, {6, 4}, {1, 4}, {2, 5}, {3, 6}}}},
      {{3, 20}, {3, hex, corners(8) + hex_edges}},
      {{3, 27},
       {3, hex,
        corners(8) + hex_edges +
            Sets{{1, 2, 3, 4, 5, 6, 7, 8},
                 {1, 2, 3, 4},
                 {5, 6, 7, 8},
                 {1, 2, 6, 5},
                 {2, 3, 7, 6},
                 {3, 4, 8, 7},
                 {4, 1, 5, 8}}}},
  };
  return all.at({dim, nodes});
}

/// A curved map that no symmetry of a cell hides, of degree 2.
Point bent(int dim, const Point& p) {
  const auto& [x, y, z] = p;
  if (dim == 1) return {x + 0.2 * x * x, 0, 0};
  if (dim == 2) return {x + 0.15 * y * y, y + 0.1 * x * x + 0.05 * x * y, 0};
  return {x + 0.1 * y * y, y + 0.12 * z * z + 0.05 * x * y, z + 0.08 * x * x};
}

Point mean(const Element& of, const std::vector<int>& set) {
  Point sum{};
  for (int vertex : set)
    for (int axis = 0; axis < 3; ++axis) sum[axis] += of.vertices[vertex - 1][axis] / static_cast<double>(set.size());
  return sum;
}

/// A deck of one element.
std::string deck_of(const std::string& type, const Element& one) {
  std::string nodes = "*NODE\n", element = "*ELEMENT, TYPE=" + type + ", ELSET=all\n7";
  for (std::size_t n = 0; n < one.nodes.size(); ++n) {
    const Point x = bent(one.dim, mean(one, one.nodes[n]));
    nodes += fmt::format("{}, {:.17g}, {:.17g}, {:.17g}\n", 10 * n + 5, x[0], x[1], x[2]);
    element += fmt::format(",{}{}", n == 15 ? "\n" : " ", 10 * n + 5);
  }
  return nodes + element + "\n";
}

struct Case {
  const char* type;
  int dim, nodes;
};
void PrintTo(const Case& one, std::ostream* out) { *out << one.type; }

class AbaqusElement : public ::testing::TestWithParam<Case> {};

TEST_P(AbaqusElement, HasItsNodesWhereTheManualSaysSo) {
  const Case& one = GetParam();
  const Element own = element(one.dim, one.nodes);
  TemporaryFolder folder;
  write_text(folder / "one.inp", deck_of(one.type, own));
  clear_warnings();
  const Mesh mesh = read_gmsh(folder / "one.inp");
  EXPECT_TRUE(warnings().empty());
  EXPECT_EQ(mesh.dim, one.dim);
  const bool quadratic = own.nodes.size() > own.vertices.size();
  EXPECT_EQ(mesh.order, quadratic ? 2 : 1);
  ASSERT_EQ(mesh.blocks.size(), 1u);
  EXPECT_NO_THROW(check_cells(mesh));
  EXPECT_NE(mesh.group("all", one.dim), nullptr);
  if (one.nodes == 5 || one.nodes == 13) {  // a pyramid has become tetrahedra
    EXPECT_EQ(mesh.blocks[0].shape, Shape::tet);
    EXPECT_EQ(mesh.cells(), 2);
    EXPECT_EQ(mesh.nodes(), one.nodes + (quadratic ? 1 : 0));  // and the middle of the base
    return;
  }
  const CellBlock& block = mesh.blocks[0];
  ASSERT_EQ(mesh.cells(), 1);
  ASSERT_EQ(mesh.nodes(), block.nodes_per_cell);
  // Those of the file: vertices and edges, and all of a complete cell.
  const auto& places = node_vertices(block.shape);
  for (int n = 0; n < std::min(one.nodes, block.nodes_per_cell); ++n) {
    std::vector<int> set = places[n];
    for (int& vertex : set) ++vertex;
    const Point expected = bent(one.dim, mean(own, set));
    for (int axis = 0; axis < 3; ++axis)
      EXPECT_NEAR(mesh.point(block.cell(0)[n])[axis], expected[axis], 1e-15) << "node " << n << " of Gmsh";
  }
}

std::vector<Case> cases() {
  std::vector<Case> all;
  const std::vector<std::pair<std::pair<int, int>, std::vector<const char*>>> names{
      {{1, 2}, {"T2D2", "T3D2", "T3D2H", "B21", "B31", "B31H", "B33", "DC1D2", "R2D2", "SAX1"}},
      {{1, 3}, {"T3D3", "B22", "B32", "B32R", "DC1D3"}},
      {{2, 3}, {"CPS3", "CPE3", "CAX3", "S3", "S3R", "M3D3", "STRI3", "DC2D3", "DCAX3", "AC2D3", "R3D3", "DS3"}},
      {{2, 4},
       {"CPS4", "CPS4R", "CPS4I", "CPE4", "CPE4H", "CPEG4", "CAX4", "CAX4RT", "S4", "S4R", "S4R5", "M3D4", "DC2D4",
        "DS4", "R3D4", "SFM3D4R"}},
      {{2, 6}, {"CPS6", "CPS6M", "CPE6", "CAX6", "S6", "STRI65", "DC2D6", "M3D6"}},
      {{2, 8}, {"CPS8", "CPS8R", "CPE8", "CPE8RH", "CAX8", "S8R", "S8R5", "DC2D8", "M3D8R", "DS8"}},
      {{2, 9}, {"S9R5", "M3D9"}},
      {{3, 4}, {"C3D4", "C3D4H", "DC3D4", "F3D4", "AC3D4"}},
      {{3, 5}, {"C3D5", "AC3D5"}},
      {{3, 6}, {"C3D6", "DC3D6", "F3D6", "AC3D6", "SC6R"}},
      {{3, 8}, {"C3D8", "C3D8R", "C3D8I", "C3D8H", "C3D8RT", "DC3D8", "DCC3D8", "F3D8", "SC8R"}},
      {{3, 10}, {"C3D10", "C3D10M", "C3D10T", "C3D10MH", "DC3D10"}},
      {{3, 13}, {"C3D13"}},
      {{3, 15}, {"C3D15", "DC3D15", "AC3D15"}},
      {{3, 20}, {"C3D20", "C3D20R", "C3D20RI", "C3D20RT", "DC3D20"}},
      {{3, 27}, {"C3D27", "C3D27R"}},
  };
  for (const auto& [key, types] : names)
    for (const char* type : types) all.push_back({type, key.first, key.second});
  return all;
}
INSTANTIATE_TEST_SUITE_P(Types, AbaqusElement, ::testing::ValuesIn(cases()),
                         [](const auto& info) { return std::string(info.param.type); });

TEST(AbaqusTypes, ThatAreUnknownHaveNone) {
  for (const char* name :
       {"", "C3D", "C3D7", "C3D-8", "CAXA4N", "U1", "X3D8", "B34", "CONN3D2", "COH3D8", "8", "CPS44444444444"})
    EXPECT_FALSE(abaqus_type(name)) << name;
  EXPECT_TRUE(has_no_geometry("MASS"));
  EXPECT_FALSE(has_no_geometry("C3D8"));
}

// Each face of a solid, taken with its vertices in the order of Abaqus, looks out of the cell or into it all alike:
// an order that mixes vertices would show.
TEST(AbaqusFaces, EncloseTheirCell) {
  for (const auto& [type, vertices, faces] : {std::tuple{"C3D4", tet, 4}, std::tuple{"C3D5", pyramid, 5},
                                              std::tuple{"C3D6", prism, 5}, std::tuple{"C3D8", hex, 6}}) {
    double volume = 0;
    for (int f = 1; f <= faces; ++f) {
      const std::vector<int> face = abaqus_face(*abaqus_type(type), fmt::format("S{}", f));
      ASSERT_GE(face.size(), 3u) << type << " S" << f;
      for (std::size_t k = 1; k + 1 < face.size(); ++k) {
        const Point &a = vertices[face[0]], &b = vertices[face[k]], &c = vertices[face[k + 1]];
        volume += a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
                  a[2] * (b[0] * c[1] - b[1] * c[0]);
      }
    }
    const double expected = faces == 4 ? 1. / 6 : vertices.size() == 5 ? 1. / 3 : vertices.size() == 6 ? 0.5 : 1;
    EXPECT_NEAR(std::abs(volume) / 6, expected, 1e-14) << type;
    EXPECT_TRUE(abaqus_face(*abaqus_type(type), fmt::format("S{}", faces + 1)).empty());
    EXPECT_TRUE(abaqus_face(*abaqus_type(type), "SPOS").empty());
  }
}

// Analysis User's Manual, "Three-dimensional solid element library": the first vertices of each face.
TEST(AbaqusFaces, HaveTheNumbersOfTheManual) {
  const auto sorted = [](const char* type, const char* label) {
    std::vector<int> face = abaqus_face(*abaqus_type(type), label);
    std::sort(face.begin(), face.end());
    return face;
  };
  using Face = std::vector<int>;
  EXPECT_EQ(sorted("C3D4", "S2"), (Face{0, 1, 3}));
  EXPECT_EQ(sorted("C3D10", "S3"), (Face{1, 2, 3}));
  EXPECT_EQ(sorted("C3D4", "S4"), (Face{0, 2, 3}));
  EXPECT_EQ(sorted("C3D6", "S3"), (Face{0, 1, 3, 4}));
  EXPECT_EQ(sorted("C3D15", "S4"), (Face{1, 2, 4, 5}));
  EXPECT_EQ(sorted("C3D8", "S2"), (Face{4, 5, 6, 7}));
  EXPECT_EQ(sorted("C3D8R", "S3"), (Face{0, 1, 4, 5}));
  EXPECT_EQ(sorted("C3D20", "S4"), (Face{1, 2, 5, 6}));
  EXPECT_EQ(sorted("C3D8", "S5"), (Face{2, 3, 6, 7}));
  EXPECT_EQ(sorted("C3D8", "S6"), (Face{0, 3, 4, 7}));
  EXPECT_EQ(sorted("CPS4", "S4"), (Face{0, 3}));
  EXPECT_EQ(sorted("CAX6", "S3"), (Face{0, 2}));
  EXPECT_EQ(sorted("S4R", "SPOS"), (Face{0, 1, 2, 3}));
  EXPECT_EQ(sorted("S4", "E2"), (Face{1, 2}));
  EXPECT_EQ(sorted("S8R", "S3"), (Face{0, 1}));  // CalculiX: two sides, then the edges
  EXPECT_EQ(sorted("T3D2", "END2"), (Face{1}));
}

}  // namespace
}  // namespace tessera::mesh
