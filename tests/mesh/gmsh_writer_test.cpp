#include "mesh/gmsh_writer.hpp"

#include <algorithm>
#include <tuple>

#include "mesh/box.hpp"
#include "mesh/facets.hpp"
#include "mesh/geometry.hpp"
#include "mesh/gmsh_files.hpp"
#include "mesh/gmsh_reader.hpp"

namespace tessera::mesh {
namespace {

/// A group as what it means: its cells or facets by their nodes' numbers, sorted.
std::vector<std::vector<Index>> meaning(const Mesh& mesh, const Group& group) {
  std::vector<std::vector<Index>> result;
  for (Index entity : group.entities) {
    std::vector<Index> nodes;
    if (group.dim == mesh.dim) {
      const CellBlock& block = mesh.block_of(entity);
      nodes.assign(block.cell(entity - block.first_cell), block.cell(entity - block.first_cell) + block.nodes_per_cell);
    } else {
      const FacetVertices vertices = side_vertices(mesh, mesh.facets.cell[entity], mesh.facets.side[entity]);
      nodes.assign(vertices.begin(), vertices.end());
      std::sort(nodes.begin(), nodes.end());
    }
    result.push_back(nodes);
  }
  for (std::size_t v = 0; v < group.vertices.size(); v += group.dim + 1)
    result.emplace_back(group.vertices.begin() + v, group.vertices.begin() + v + group.dim + 1);
  std::sort(result.begin(), result.end());
  return result;
}

void expect_same(const Mesh& a, const Mesh& b) {
  EXPECT_EQ(a.dim, b.dim);
  EXPECT_EQ(a.order, b.order);
  EXPECT_EQ(a.points, b.points);
  EXPECT_EQ(a.cells(), b.cells());
  EXPECT_EQ(a.facets.size(), b.facets.size());
  ASSERT_EQ(a.groups.size(), b.groups.size());
  for (const Group& group : a.groups) {
    const Group* other = b.group(group.name, group.dim);
    ASSERT_NE(other, nullptr) << group.name;
    EXPECT_EQ(meaning(a, group), meaning(b, *other)) << group.name;
  }
}

class RoundTrip : public ::testing::TestWithParam<std::tuple<const char*, int>> {};

TEST_P(RoundTrip, GivesTheMeshBack) {
  TemporaryFolder folder;
  const auto& [shape, order] = GetParam();
  BoxParams params;
  params.shape = shape;
  params.cells.assign(dimension(shape_from_name(shape)), 3);
  Mesh mesh = make_box(params, order);
  mesh.groups.push_back({"half", mesh.dim, {}, {}});  // overlaps with "domain"
  for (Index cell = 0; cell < mesh.cells(); cell += 2) mesh.groups.back().entities.push_back(cell);
  mesh.groups.push_back({"sides", mesh.dim - 1, {}, {}});  // overlaps with "left", ...
  for (Index facet = 0; facet < mesh.facets.size(); ++facet) mesh.groups.back().entities.push_back(facet);
  mesh.groups.push_back({"nothing", mesh.dim, {}, {}});
  if (mesh.dim > 1) mesh.groups.push_back({"corner", 0, {}, {0}});
  write_msh(mesh, folder / "box.msh");
  const Mesh read = read_gmsh(folder / "box.msh");
  expect_same(mesh, read);
  EXPECT_NEAR(measure(read), 1, 1e-12);
}

INSTANTIATE_TEST_SUITE_P(AllShapes, RoundTrip,
                         ::testing::Combine(::testing::Values("interval", "triangle", "quad", "tet", "hex", "prism"),
                                            ::testing::Values(1, 2)),
                         [](const auto& info) {
                           return std::string(std::get<0>(info.param)) + std::to_string(std::get<1>(info.param));
                         });

TEST(GmshWriter, GroupsOfEveryDimension) {
  TemporaryFolder folder;
  write_text(folder / "cube.geo", layered_cube);
  for (int order : {1, 2}) {
    const Mesh mesh = read_gmsh(folder / "cube.geo", {.size = 0.3, .order = order});
    write_msh(mesh, folder / "cube.msh");
    expect_same(mesh, read_gmsh(folder / "cube.msh"));
  }
}

TEST(GmshWriter, SaysWhereItCannotWrite) {
  TemporaryFolder folder;
  BoxParams params;
  params.cells = {1, 1, 1};
  const Mesh mesh = make_box(params);
  EXPECT_EQ(thrown_code([&] { write_msh(mesh, folder / "no_such_folder/box.msh"); }), ExitCode::file_system);
  write_msh(mesh, folder / "box.msh");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder / ""), {}), 1);  // no temporary file stays
}

}  // namespace
}  // namespace tessera::mesh
