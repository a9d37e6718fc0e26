// Wrong decks of linear elasticity: the exit code, what is wrong, where, and what to do.
#include "app/elasticity.hpp"

namespace {

using namespace app_test;

const std::string square = box_mesh("triangle", {2, 1}, {4, 2}), cube = box_mesh("tet", {1, 1, 1}, {2, 2, 2}),
                  rod = box_mesh("interval", {1}, {4}),
                  round_bar = box_mesh("quad", {1, 2}, {3, 4}, {}, "axis = \"y\"\n"), steel = isotropic("210e9", "0.3"),
                  clamped_2d = boundary("left", "displacement", "value = [0, 0]"),
                  clamped_3d = boundary("left", "displacement", "value = [0, 0, 0]"),
                  corner = group("corner", "x < 1e-9 && y < 1e-9 && z < 1e-9", "points");

/// A square of two halves, with "inside" between them and "left" at its end.
std::string two_halves() {
  return write_deck("halves.geo",
                    "SetFactory(\"OpenCASCADE\");\nMesh.MeshSizeMax = 0.5;\nRectangle(1) = {0, 0, 0, 1, 1};\n"
                    "Rectangle(2) = {1, 0, 0, 1, 1};\nBooleanFragments{ Surface{1, 2}; Delete; }{}\n"
                    "Physical Surface(\"body\") = {1, 2};\nPhysical Curve(\"left\") = {4};\n"
                    "Physical Curve(\"inside\") = {2};\n");
}

class ElasticRefused : public ::testing::TestWithParam<Case> {};

TEST_P(ElasticRefused, SaysWhatWhereAndWhatToDo) {
  const Case& wrong = GetParam();
  const std::string deck = write_deck(std::string(wrong.name) + ".toml", wrong.deck);
  for (const char* command : {"run", "check"}) {
    const Result result =
        app_test::tessera(std::string(command) + " " + deck +
                          (command == std::string("run") ? " --output " + (folder() / "refused").string() : ""));
    expect_says(result, wrong);
    EXPECT_TRUE(result.says("--> ")) << result.text;
  }
}

std::vector<Case> rigid_motions() {
  const std::string plane = square + elasticity(1) + steel, solid = cube + elasticity(1) + steel,
                    origin = boundary("corner", "displacement", "value = [0, 0]");
  return {
      {"nothing_2d",
       plane,
       2,
       {"can move without strain",
        "the translation along x, the translation along y, the rotation about the axis "
        "along z",
        "hold it by a displacement", "nothing_2d.toml"}},
      {"nothing_3d",
       solid,
       2,
       {"the translation along x, the translation along y, the translation along z",
        "the rotation about the axis along x through", "the rotation about the axis along z through (0.5, 0.5, 0.5)"}},
      {"one_point_2d",
       square + group("corner", "x < 1e-9 && y < 1e-9", "points") + elasticity(1) + steel + origin,
       2,
       {"nothing stops the rotation about the axis along z through (0, 0, 0)", "one_point_2d.toml:13:1"}},
      {"one_point_3d",
       cube + corner + elasticity(1) + steel + boundary("corner", "displacement", "value = [0, 0, 0]"),
       2,
       {"nothing stops the rotation about the axis along x through (0.5, 0, 0), the rotation about the axis along y "
        "through (0, 0.5, 0), the rotation about the axis along z through (0, 0, 0.5)\n"}},
      {"hinge_3d",
       cube + group("hinge", "x < 1e-9 && y < 1e-9", "curves") + elasticity(1) + steel +
           boundary("hinge", "displacement", "value = [0, 0, 0]"),
       2,
       {"nothing stops the rotation about the axis along z through (0, 0, "}},
      {"one_plane_2d", plane + boundary("left", "symmetry"), 2, {"nothing stops the translation along y\n"}},
      {"two_planes_3d",
       solid + "[[boundary]]\non = [\"left\", \"bottom\"]\ntype = \"symmetry\"\n",
       2,
       {"nothing stops the translation along z\n"}},
      {"spring_one_way",
       plane + boundary("left", "spring", "stiffness = [1e9, 0]"),
       2,
       {"nothing stops the translation along y\n"}},
      {"spring_of_zero",
       plane + boundary("left", "spring", "stiffness = \"0*x\"") + boundary("right", "traction", "value = [1, 0]"),
       2,
       {"nothing stops the translation along x"}},
      {"spring_of_zero_along_the_normal",
       plane + boundary("left", "displacement", "value_x = 0") +
           boundary("bottom", "spring", "normal_stiffness = \"max(0, x - 5)\""),
       2,
       {"nothing stops the translation along y\n"}},
      {"pressed_only", plane + boundary("left", "pressure", "value = 1"), 2, {"can move without strain"}},
      {"bar", rod + elasticity(1) + steel, 2, {"nothing stops the translation along x\n"}},
      {"round_bar_free",
       round_bar + elasticity(1) + steel + boundary("right", "pressure", "value = 1"),
       2,
       {"nothing stops the translation along y\n"}},
      {"round_bar_radial",
       round_bar + elasticity(1) + steel + boundary("right", "displacement", "value_x = 0"),
       2,
       {"nothing stops the translation along y\n"}},
  };
}

std::vector<Case> materials() {
  const auto with = [](const std::string& material) { return square + elasticity(1) + material + clamped_2d; };
  const auto plane_stress = [](const std::string& material) {
    return square + elasticity(1, "plane = \"stress\"\n") + material + clamped_2d;
  };
  const std::string whole = "[[material]]\nstiffness = ";
  return {
      {"temperature_alone",
       with(isotropic("1", "0.3", "temperature = 100\n")),
       2,
       {"a temperature without thermal expansion", "add expansion", "temperature_alone.toml:6:1"}},
      {"young_too_large", with(isotropic("1e308", "0.3")), 2, {"their stiffness is not finite"}},
      {"nu_half",
       with(isotropic("1", "0.5")),
       2,
       {"poisson = 0.5 is not between -1 and 0.5", "incompressible", "nu_half.toml:6:1"}},
      {"nu_beyond", with(isotropic("1", "0.6")), 2, {"poisson = 0.6 is not between -1 and 0.5"}},
      {"nu_beyond_stress", plane_stress(isotropic("1", "0.6")), 2, {"poisson = 0.6 is not between"}},
      {"nu_below", with(isotropic("1", "-1")), 2, {"poisson = -1 is not between -1 and 0.5"}},
      {"nu_somewhere", with(isotropic("1", "0.3*x")), 2, {"poisson = 0.5", "is not between -1 and 0.5 at ("}},
      {"young_zero", with(isotropic("0", "0.3")), 2, {"young = 0 is not positive", "young_zero.toml:6:1"}},
      {"young_negative", with(isotropic("-5", "0.3")), 2, {"young = -5 is not positive"}},
      {"young_negative_there", with(isotropic("1-x", "0.3")), 2, {"young = -", "is not positive at ("}},
      {"young_missing", with("[[material]]\npoisson = 0.3\n"), 2, {"neither `young` nor `stiffness`", "e.g. young"}},
      {"nu_missing", with("[[material]]\nyoung = 1\n"), 2, {"`young` without `poisson`", "nu_missing.toml:6:1"}},
      {"no_material", square + elasticity(1) + clamped_2d, 2, {"no [[material]]"}},
      {"young_nan", with(isotropic("0/0*x", "0.3")), 2, {"young_nan.toml:7:10"}},
      {"young_log", with(isotropic("ln(x-1)", "0.3")), 2, {"young_log.toml:7:10"}},
      {"young_two", with("[[material]]\nyoung = [1, 2]\npoisson = 0.3\n"), 2, {"young has 2 values"}},
      {"poisson_three", with("[[material]]\nyoung = 1\npoisson = [0.1, 0.2, 0.3]\n"), 2, {"poisson has 3 values"}},
      {"poisson_one",
       with("[[material]]\nyoung = [1, 1, 1]\npoisson = 0.3\nshear = [1, 1, 1]\n"),
       2,
       {"poisson has 1 value beside 3 of young"}},
      {"shear_missing",
       with("[[material]]\nyoung = [1, 1, 1]\npoisson = [0.1, 0.1, 0.1]\n"),
       2,
       {"shear has 0 values"}},
      {"shear_negative",
       with("[[material]]\nyoung = [1, 1, 1]\npoisson = [0.1, 0.1, 0.1]\nshear = [1, -1, 1]\n"),
       2,
       {"shear = -1 is not positive"}},
      {"orthotropic_indefinite",
       with("[[material]]\nyoung = [1, 10, 1]\npoisson = [0.9, 0.1, 0.1]\nshear = [1, 1, 1]\n"),
       2,
       {"orthotropic material is not positive definite", "nu_xy^2 < E_x / E_y"}},
      {"indefinite", with(whole + "[1, 2, 0, 1, 0, 1]\n"), 2, {"stiffness is not positive definite", "row by row"}},
      {"five", with(whole + "[1, 2, 0, 1, 0]\n"), 2, {"stiffness has 5 values", "21"}},
      {"of_an_axis",
       with(whole + "[4, 0, 0, 0, 4, 0, 0, 4, 0, 4]\n"),
       2,
       {"stiffness has 10 values, this body takes 21 or 6"}},
      {"both", with(whole + "[1, 0, 0, 1, 0, 1]\nyoung = 1\n"), 2, {"`stiffness` beside young"}},
      {"expansion_two", with(isotropic("1", "0.3", "expansion = [1, 2]\n")), 2, {"expansion has 2 values"}},
      {"force_three",
       with(isotropic("1", "0.3", "body_force = [0, 0, -1]\n")),
       2,
       {"body_force has 3 values, a 2-D mesh has 2 axes"}},
      {"force_nan", with(isotropic("1", "0.3", "body_force = [0, \"1/(x-x)\"]\n")), 2, {"force_nan.toml:9:19"}},
      {"force_of_z", with(isotropic("1", "0.3", "body_force = [0, \"z\"]\n")), 2, {"the expression 'z' uses z"}},
      {"material_nowhere",
       with("[[material]]\non = \"stell\"\nyoung = 1\npoisson = 0\n"),
       3,
       {"no surface group 'stell' in the mesh"}},
  };
}

std::vector<Case> boundaries() {
  const std::string start = square + elasticity(1) + steel, free = start + clamped_2d;
  return {
      {"three_components",
       start + boundary("left", "displacement", "value = [0, 0, 0]"),
       2,
       {"value has 3 components, a 2-D mesh has 2 axes"}},
      {"traction_one",
       free + boundary("right", "traction", "value = 1"),
       2,
       {"value has 1 component, a 2-D mesh has 2 axes"}},
      {"value_z",
       start + boundary("left", "displacement", "value_z = 0"),
       2,
       {"a 2-D mesh has no displacement along z"}},
      {"pressure_two", free + boundary("right", "pressure", "value = [1, 2]"), 2, {"a pressure has one value"}},
      {"stiffness_three",
       start + boundary("left", "spring", "stiffness = [1, 2, 3]"),
       2,
       {"stiffness has 3 values, a 2-D mesh has 2 axes"}},
      {"stiffness_negative",
       start + boundary("left", "spring", "stiffness = \"0.3-y\""),
       2,
       {"the stiffness of a spring is -", "a spring pulls back"}},
      {"spring_empty", start + boundary("left", "spring"), 2, {"a spring without stiffness"}},
      {"spring_value",
       start + boundary("left", "spring", "stiffness = 1\nvalue = [1, 1]"),
       2,
       {"a spring with a value"}},
      {"traction_stiff",
       free + boundary("right", "traction", "value = [0, 1]\nstiffness = 1"),
       2,
       {"a traction boundary with a stiffness"}},
      {"no_value", start + boundary("left", "displacement"), 2, {"a displacement boundary without a value"}},
      {"two_ways",
       start + boundary("left", "displacement", "value = [0, 0]\nvalue_x = 0"),
       2,
       {"`value` beside value_x"}},
      {"symmetry_value",
       start + boundary("left", "symmetry", "value = [0, 0]"),
       2,
       {"a symmetry boundary with a value"}},
      {"no_group", start + "[[boundary]]\non = []\ntype = \"symmetry\"\n", 2, {"names no group"}},
      {"unknown_type", start + boundary("left", "clamped"), 2, {"'clamped'", "displacement"}},
      {"unknown_displaced",
       start + boundary("lfet", "displacement", "value = [0, 0]"),
       3,
       {"'lfet' in the mesh", "did you mean 'left'", "unknown_displaced.toml:9:1"}},
      {"unknown_loaded", free + boundary("up", "traction", "value = [0, 1]"), 3, {"'up' in the mesh", "there are:"}},
      {"of_cells", start + boundary("domain", "displacement", "value = [0, 0]"), 3, {"'domain' is not a"}},
      {"contradiction",
       free + "[[boundary]]\non = [\"top\", \"left\"]\ntype = \"displacement\"\nvalue = [0, 1]\n",
       2,
       {"two displacements contradict each other on 'left': u_y = 0 in boundary 1", "1 in boundary 2"}},
      {"contradicts_symmetry",
       start + boundary("left", "symmetry") + boundary("left", "displacement", "value = [1, 0]"),
       2,
       {"contradict each other on 'left': u_x = 0"}},
      {"traction_on_clamped",
       free + boundary("left", "traction", "value = [0, 1]"),
       2,
       {"the traction on 'left' has no effect: boundary 1", "fixes the displacement there"}},
      {"traction_on_held",
       start + boundary("left", "displacement", "value_x = 0") + boundary("bottom", "displacement", "value_y = 0") +
           boundary("left", "traction", "value = [5, 0]"),
       2,
       {"the traction on 'left' has no effect"}},
      {"pressure_on_symmetry",
       start + "[[boundary]]\non = [\"left\", \"bottom\"]\ntype = \"symmetry\"\n" +
           boundary("left", "pressure", "value = 5"),
       2,
       {"the pressure on 'left' has no effect"}},
      {"two_tractions",
       free + boundary("right", "traction", "value = [0, 1]") + boundary("right", "traction", "value = [1, 0]"),
       2,
       {"'right' has two boundaries of type traction", "add the values up"}},
      {"traction_nan", free + boundary("right", "traction", "value = [0, \"ln(-y)\"]"), 2, {"traction_nan.toml"}},
      {"displacement_nan",
       start + boundary("left", "displacement", "value = [0, \"ln(y-5)\"]"),
       2,
       {"displacement_nan.toml"}},
      {"pressure_inside",
       file_mesh(two_halves()) + elasticity(1) + steel + clamped_2d + boundary("inside", "pressure", "value = 1"),
       2,
       {"'inside' lies inside the mesh", "take a traction"}},
      {"slanted_symmetry",
       file_mesh(source() / "inputs/meshes/cook.geo") +
           "[[group]]\nname = \"slanted\"\nwhere = \"y < 44/48*x + 1e-6\"\n" + elasticity(1) + steel +
           boundary("slanted", "symmetry"),
       2,
       {"'slanted' is not a plane normal to a coordinate axis", "normal_stiffness"}},
      {"curved_symmetry",
       file_mesh(source() / "inputs/meshes/quarter_ring.geo") + elasticity(1) + steel + boundary("inner", "symmetry"),
       2,
       {"'inner' is not a plane normal to a coordinate axis"}},
      {"axis_moves",
       round_bar + elasticity(1) + steel + boundary("bottom", "displacement", "value = [1, 0]"),
       2,
       {"'bottom' reaches the axis, where nothing moves along r: u_x = 1"}},
      {"pressed_axis",
       round_bar + elasticity(1) + steel + boundary("bottom", "symmetry") + boundary("left", "pressure", "value = 1"),
       2,
       {"'left' is on the axis, where a pressure has no area"}},
      {"reaction_of_stress",
       free + quantity("R", "reaction", "stress_xx", "on = \"left\""),
       2,
       {"quantity 'R'", "u_x, u_y"}},
      {"reaction_of_nothing",
       free + "[[quantity]]\nname = \"R\"\nkind = \"reaction\"\non = \"left\"\n",
       2,
       {"quantity 'R'", "u_x, u_y"}},
      {"reaction_along_z", free + quantity("R", "reaction", "u_z", "on = \"left\""), 2, {"quantity 'R'", "u_x, u_y"}},
      {"reaction_nowhere", free + quantity("R", "reaction", "u_x"), 2, {"quantity 'R'", "names no group"}},
      {"reaction_of_cells", free + quantity("R", "reaction", "u_x", "on = \"domain\""), 3, {"'domain' is not a"}},
      {"exact_components", free + "[exact]\nu = [\"x\"]\n", 2, {"exact.u has 1 component, the field has 2"}},
      {"plane_of_a_solid",
       cube + elasticity(1, "plane = \"stress\"\n") + steel + clamped_3d,
       2,
       {"physics.plane = \"stress\" on a 3-D mesh", "leave plane out", "plane_of_a_solid.toml:6:9"}},
      {"plane_of_a_bar",
       rod + elasticity(1, "plane = \"strain\"\n") + steel + boundary("left", "symmetry"),
       2,
       {"physics.plane = \"strain\" on a 1-D mesh"}},
      {"plane_of_revolution",
       round_bar + elasticity(1, "plane = \"stress\"\n") + steel + boundary("bottom", "symmetry"),
       2,
       {"physics.plane = \"stress\" on a mesh with an axis", "neither"}},
      {"solver_of_grids",
       free + "[solver]\ntype = \"bcr\"\n",
       2,
       {"solver.type = \"bcr\" needs a uniform grid", "cg, minres", "solver_of_grids.toml:14:8"}},
      {"solver_fft", free + "[solver]\ntype = \"fft\"\n", 2, {"solver.type = \"fft\" needs a uniform grid"}},
      {"float_without_solver",
       free + "[run]\nprecision = \"float\"\n",
       2,
       {"finer than single precision resolves", "float_without_solver.toml:14:13"}},
      {"plane_of_nothing", square + elasticity(1, "plane = \"strian\"\n") + steel + clamped_2d, 2, {"'strian'"}},
      {"order_5",
       square + elasticity(5) + steel + clamped_2d,
       2,
       {"no Lagrange element of order 5 on a triangle", "order_5.toml:5:9"}},
      {"order_9", square + elasticity(9) + steel + clamped_2d, 2, {"order is 9"}},
  };
}

INSTANTIATE_TEST_SUITE_P(Rigid, ElasticRefused, ::testing::ValuesIn(rigid_motions()), case_name);
INSTANTIATE_TEST_SUITE_P(Materials, ElasticRefused, ::testing::ValuesIn(materials()), case_name);
INSTANTIATE_TEST_SUITE_P(Boundaries, ElasticRefused, ::testing::ValuesIn(boundaries()), case_name);

/// Parts that share no node are held each by itself.
TEST(ElasticRefusedParts, NamesTheLoosePart) {
  const std::string geometry = write_deck("two_parts.geo",
                                          "SetFactory(\"OpenCASCADE\");\nMesh.MeshSizeMax = 0.5;\n"
                                          "Rectangle(1) = {0, 0, 0, 1, 1};\nRectangle(2) = {5, 0, 0, 1, 1};\n"
                                          "Physical Surface(\"body\") = {1, 2};\nPhysical Curve(\"left\") = {4};\n");
  const Result result = app_test::tessera(
      "check " + write_deck("two_parts.toml", file_mesh(geometry) + elasticity(1) + steel + clamped_2d));
  EXPECT_EQ(result.code, 2) << result.text;
  EXPECT_TRUE(result.says("one of its 2 parts that share no node, around (5.")) << result.text;
  EXPECT_TRUE(result.says("the rotation about the axis along z")) << result.text;
}

/// What looks like a contradiction and is none.
TEST(ElasticRefusedNot, SameValuesWrittenTwice) {
  for (const char* more : {"value = [\"0.0\", 0]", "value = [\"1-1\", 0]", "value_y = \"0e5\""})
    EXPECT_EQ(app_test::tessera("check " + write_deck("same.toml", square + elasticity(1) + steel + clamped_2d +
                                                                       boundary("left", "displacement", more)))
                  .code,
              0)
        << more;
}

TEST(ElasticRefusedNot, ATractionAlongAPlaneOfSymmetry) {
  const Result result = app_test::tessera(
      "check " + write_deck("along.toml", square + elasticity(1) + steel + boundary("left", "symmetry") +
                                              boundary("bottom", "displacement", "value = [0, 0]") +
                                              boundary("left", "traction", "value = [0, 1]")));
  EXPECT_EQ(result.code, 0) << result.text;
}

/// Supports that are small beside the body hold it as well.
TEST(ElasticRefusedNot, ASlenderBodyThatIsClampedAtItsEnd) {
  for (const double width : {1e-2, 1e-4}) {
    const std::string solid = box_mesh("hex", {10, width, width}, {4, 1, 1}) + elasticity(2) + steel,
                      plane = box_mesh("quad", {10, width}, {4, 1}) + elasticity(2) + steel;
    for (const std::string& deck : {solid + clamped_3d, plane + clamped_2d}) {
      const Result result = app_test::tessera("check " + write_deck("slender.toml", deck));
      EXPECT_EQ(result.code, 0) << width << " " << result.text;
    }
    // A hinge along its width leaves one rotation, and is named so.
    const Result result = app_test::tessera(
        "check " +
        write_deck("hinged.toml", box_mesh("hex", {10, width, width}, {4, 1, 1}) +
                                      group("hinge", fmt::format("x < 1e-9 && y < {}", 0.5 * width), "curves") +
                                      elasticity(1) + steel + boundary("hinge", "displacement", "value = [0, 0, 0]")));
    EXPECT_EQ(result.code, 2) << width << " " << result.text;
    EXPECT_TRUE(result.says("nothing stops the rotation about the axis along z through (0, 0, ")) << result.text;
  }
}

/// Far from the origin coordinates have few digits left for the shape of the body.
TEST(ElasticRefusedNot, FarFromTheOriginAHingeIsAHinge) {
  const std::string far = box_mesh("hex", {1e6 + 1, 1e6 + 1, 1}, {2, 2, 2}, {1e6, 1e6, 0});
  const Result held = app_test::tessera("check " + write_deck("far.toml", far + elasticity(1) + steel + clamped_3d));
  EXPECT_EQ(held.code, 0) << held.text;
  const Result hinged = app_test::tessera(
      "check " +
      write_deck("far_hinged.toml", far + group("hinge", "x < 1e6 + 0.1 && y < 1e6 + 0.1", "curves") + elasticity(1) +
                                        steel + boundary("hinge", "displacement", "value = [0, 0, 0]")));
  EXPECT_EQ(hinged.code, 2) << hinged.text;
  EXPECT_TRUE(hinged.says("nothing stops the rotation about the axis along z through (1e+06, 1e+06, ")) << hinged.text;
}

TEST(ElasticRefusedNot, ThreePointsHoldABody) {
  const std::string hold = group("a", "x < 1e-9 && y < 1e-9 && z < 1e-9", "points") +
                           group("b", "x > 1 - 1e-9 && y < 1e-9 && z < 1e-9", "points") +
                           group("c", "x < 1e-9 && y > 1 - 1e-9 && z < 1e-9", "points");
  const Result result = app_test::tessera(
      "check " + write_deck("points.toml", cube + hold + elasticity(1) + steel +
                                               boundary("a", "displacement", "value = [0, 0, 0]") +
                                               boundary("b", "displacement", "value_y = 0\nvalue_z = 0") +
                                               boundary("c", "displacement", "value_z = 0")));
  EXPECT_EQ(result.code, 0) << result.text;
}

/// The template is a deck that runs as it is.
TEST(ElasticTemplate, RunsAsItIs) {
  const Result deck = app_test::tessera("template elasticity");
  ASSERT_EQ(deck.code, 0);
  const auto summary = run_elastic("template", deck.text);
  ASSERT_TRUE(summary.contains("quantities"));
  EXPECT_EQ(summary["status"], "ok");
  EXPECT_GT(summary["quantities"]["u_max"].get<double>(), 0);
}

}  // namespace
