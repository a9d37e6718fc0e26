#include "mesh/measure.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "mesh/box.hpp"
#include "mesh/make_mesh.hpp"
#include "mesh/mesh.hpp"
#include "support/errors.hpp"

namespace {

using namespace tessera;
using mesh::Measure;
using mesh::Mesh;

Mesh rectangle(double left, double right) {
  return mesh::make_box({.min = {left, 0}, .max = {right, 2}, .cells = {2, 2}, .shape = "quad", .where = {}});
}

TEST(Measure, IsTheLengthOfACircleAroundTheAxis) {
  const double x[3] = {0.5, 2, 0};
  EXPECT_EQ(Measure{}.at(x), 1);
  EXPECT_FALSE(Measure{}.weighs());
  EXPECT_DOUBLE_EQ(Measure{0}.at(x), M_PI);
  EXPECT_DOUBLE_EQ(Measure{1}.at(x), 4 * M_PI);
  EXPECT_STREQ(Measure{0}.axis(), "y");
  EXPECT_STREQ(Measure{1}.axis(), "x");
  const double beyond[3] = {-1e-17, 0, 0};
  EXPECT_EQ(Measure{0}.at(beyond), 0);
}

TEST(Measure, NodesOffTheAxisByRoundingAreOnIt) {
  Mesh mesh = rectangle(-1e-12, 1);
  mesh::set_axis(mesh, "y");
  EXPECT_EQ(mesh.measure.radius, 0);
  EXPECT_TRUE(mesh::on_axis(mesh, *mesh.group("left", 1)));
  EXPECT_FALSE(mesh::on_axis(mesh, *mesh.group("right", 1)));
  EXPECT_FALSE(mesh::on_axis(mesh, *mesh.group("bottom", 1)));  // of which one end is
  Mesh plane = rectangle(0, 1);
  EXPECT_FALSE(mesh::on_axis(plane, *plane.group("left", 1)));
}

TEST(Measure, NodesBeyondTheAxisAreRefused) {
  Mesh mesh = rectangle(-1, 1);
  try {
    mesh::set_axis(mesh, "y");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::mesh);
    EXPECT_NE(std::string(error.what()).find("3 of 9 nodes lie at x < 0, the first at (-1, 0)"), std::string::npos)
        << error.what();
  }
  mesh::set_axis(mesh, "x");  // on one side of that
  EXPECT_EQ(mesh.measure.radius, 1);
}

/// A module that knows nothing of axes would solve the plane problem.
TEST(Measure, ADeckWithAnAxisIsRefusedUnlessTheCallerKnowsIt) {
  const deck::Deck deck =
      deck::Deck::parse("[mesh]\naxis = \"y\"\nbox = { cells = [4, 4], shape = \"quad\" }\n", "case.toml");
  const mesh::MeshParams params = mesh::mesh_section().read(deck, true);
  tessera::testing::expect_refused([&] { mesh::make_mesh(deck, params, 1); }, "mesh.axis = \"y\"");
  EXPECT_EQ(mesh::make_mesh(deck, params, 1, {}, mesh::Revolution::known).measure.radius, 0);
}

}  // namespace
