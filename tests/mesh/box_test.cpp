#include "mesh/box.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <numeric>

#include "base/error.hpp"
#include "mesh/facets.hpp"
#include "mesh/geometry.hpp"
#include "mesh/params.hpp"
#include "mesh/quality.hpp"

namespace tessera::mesh {
namespace {

struct BoxCase {
  const char* shape;
  int order;
  int per_box;
};

class Boxes : public ::testing::TestWithParam<BoxCase> {
 protected:
  BoxParams params() const {
    const int dim = dimension(shape_from_name(GetParam().shape));
    BoxParams box;
    box.shape = GetParam().shape;
    const double low[] = {-1.0, 0.5, 2.0}, high[] = {1.0, 1.0, 5.0};
    const int cells[] = {4, 3, 2};
    box.min.assign(low, low + dim);
    box.max.assign(high, high + dim);
    box.cells.assign(cells, cells + dim);
    return box;
  }
};

TEST_P(Boxes, CountsVolumeAndSides) {
  const BoxParams params = this->params();
  const Mesh mesh = make_box(params, GetParam().order);
  const int dim = static_cast<int>(params.cells.size());
  Index boxes = 1, nodes = 1;
  double volume = 1;
  for (int axis = 0; axis < dim; ++axis) {
    boxes *= params.cells[axis];
    nodes *= GetParam().order * params.cells[axis] + 1;
    volume *= params.max[axis] - params.min[axis];
  }
  EXPECT_EQ(mesh.dim, dim);
  EXPECT_EQ(mesh.cells(), boxes * GetParam().per_box);
  EXPECT_EQ(mesh.nodes(), nodes);
  EXPECT_NEAR(measure(mesh), volume, 1e-12 * volume);
  EXPECT_NO_THROW(check_cells(mesh));
  const char* names[] = {"left", "right", "bottom", "top", "back", "front"};
  std::size_t on_sides = 0;
  for (int side = 0; side < 2 * dim; ++side) {
    const Group* group = mesh.group(names[side], dim - 1);
    ASSERT_NE(group, nullptr) << names[side];
    EXPECT_TRUE(std::is_sorted(group->entities.begin(), group->entities.end()));
    on_sides += group->entities.size();
    const int axis = side / 2;
    for (Index facet : group->entities)
      for (Index vertex : side_vertices(mesh, mesh.facets.cell[facet], mesh.facets.side[facet]))
        if (vertex >= 0) {
          EXPECT_DOUBLE_EQ(mesh.point(vertex)[axis], side % 2 ? params.max[axis] : params.min[axis]);
        }
  }
  EXPECT_EQ(on_sides, static_cast<std::size_t>(mesh.facets.size()));
  ASSERT_NE(mesh.group("domain", dim), nullptr);
  EXPECT_EQ(mesh.group("domain", dim)->entities.size(), static_cast<std::size_t>(mesh.cells()));
}

TEST_P(Boxes, FacetsAreThoseOfAGeneralSearch) {
  const Mesh mesh = make_box(params(), GetParam().order);
  Mesh searched = mesh;
  searched.facets = {};
  searched.groups.clear();
  find_exterior_facets(searched);
  EXPECT_EQ(mesh.facets.cell, searched.facets.cell);
  EXPECT_EQ(mesh.facets.side, searched.facets.side);
  EXPECT_EQ(mesh.facets.exterior, searched.facets.exterior);
}

TEST_P(Boxes, NodesAreLexicographic) {
  const Mesh mesh = make_box(params(), GetParam().order);
  for (Index node = 1; node < mesh.nodes(); ++node) {
    const double *a = mesh.point(node - 1), *b = mesh.point(node);
    EXPECT_TRUE(std::lexicographical_compare(std::reverse_iterator(a + 3), std::reverse_iterator(a),
                                             std::reverse_iterator(b + 3), std::reverse_iterator(b)));
  }
}

INSTANTIATE_TEST_SUITE_P(AllShapes, Boxes,
                         ::testing::Values(BoxCase{"interval", 1, 1}, BoxCase{"interval", 2, 1},
                                           BoxCase{"triangle", 1, 2}, BoxCase{"triangle", 2, 2}, BoxCase{"quad", 1, 1},
                                           BoxCase{"quad", 2, 1}, BoxCase{"tet", 1, 6}, BoxCase{"tet", 2, 6},
                                           BoxCase{"hex", 1, 1}, BoxCase{"hex", 2, 1}, BoxCase{"prism", 1, 2},
                                           BoxCase{"prism", 2, 2}),
                         [](const auto& info) {
                           return std::string(info.param.shape) + std::to_string(info.param.order);
                         });

TEST(Box, RefusesWhatMakesNoSense) {
  const auto code = [](const BoxParams& params) {
    try {
      make_box(params);
      return ExitCode::ok;
    } catch (const Error& error) {
      return error.code();
    }
  };
  EXPECT_EQ(code({{0, 0, 0}, {1, 1, 1}, {4, 4}, "tet", {}}), ExitCode::usage);
  EXPECT_EQ(code({{0, 0, 0}, {1, 0, 1}, {4, 4, 4}, "tet", {}}), ExitCode::usage);
  EXPECT_EQ(code({{0, 0}, {1, 1, 1}, {4, 4, 4}, "tet", {}}), ExitCode::usage);
  EXPECT_EQ(code({{0, 0, 0}, {1, 1, 1}, {4, 0, 4}, "tet", {}}), ExitCode::usage);
  EXPECT_EQ(code({{0, 0, 0}, {1, 1, 1}, {2000, 2000, 2000}, "tet", {}}), ExitCode::mesh);
  EXPECT_EQ(code({{0, 0, 0}, {1, 1, 1}, {2147483647}, "interval", {}}), ExitCode::mesh);
  EXPECT_EQ(code({{0, 0, 0}, {1, 1, 1}, {2, 2}, "quad", {}}), ExitCode::ok);
}

TEST(Box, MillionsOfTetsAreFast) {
  const auto start = std::chrono::steady_clock::now();
  const Mesh mesh = make_box({{0, 0, 0}, {1, 1, 1}, {100, 100, 100}, "tet", {}});
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  EXPECT_EQ(mesh.cells(), 6000000);
  RecordProperty("seconds", std::to_string(seconds));
  std::printf("6 M tets: %.3f s\n", seconds);
  EXPECT_LT(seconds, 20);  // generous: sanitizers, loaded machines
}

}  // namespace
}  // namespace tessera::mesh
