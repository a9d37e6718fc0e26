// Linear elasticity against solutions in closed form. Timoshenko and Goodier, Theory of Elasticity, 3rd ed., 1970, is
// T&G.
#include <eigen3/Eigen/Dense>

#include "app/elasticity.hpp"

namespace {

using namespace app_test;

void expect_exact(const std::string& name, const std::string& deck, double scale) {
  const auto summary = run_elastic("solution", deck);
  ASSERT_TRUE(summary.contains("errors")) << name;
  const auto& errors = summary["errors"];
  EXPECT_LT(errors.contains("u") ? errors["u"]["max"] : errors["u_x"]["max"], 1e-11 * scale) << name;
  EXPECT_LT(summary["balance"]["relative_remainder"], 1e-10) << name;
}

std::string exact(const std::vector<std::string>& u) { return "[exact]\nu = " + quoted(u) + "\n"; }

// Beams

/// T&G section 21: a cantilever of depth 2 with a load at x = 0, P / I = 3; a cubic displacement.
TEST(ElasticSolutions, CantileverIsExactFromOrder3) {
  // E = 1000, nu = 1/4, G = 400: P/(6 E I) = 5e-4, nu P/(6 E I) = 1.25e-4, P/(6 G I) = 1.25e-3, P/(2 G I) = 3.75e-3.
  const std::vector<std::string> u{"-1.5e-3*x^2*y - 1.25e-4*y^3 + 1.25e-3*y^3", "3.75e-4*x*y^2 + 5e-4*x^3 - 3.75e-3*x"};
  for (const char* shape : {"triangle", "quad"})
    for (const int order : {3, 4}) {
      const std::string deck = box_mesh(shape, {8, 1}, {4, 2}, {0, -1}) + elasticity(order, "plane = \"stress\"\n") +
                               isotropic("1000", "0.25") + boundary("right", "displacement", "value = " + quoted(u)) +
                               boundary("left", "traction", "value = [0, \"1.5*(1-y^2)\"]") + exact(u) + exactly +
                               at("stress_xx", {4, 0.5}) + at("stress_xy", {4, 0}) + at("stress_yy", {4, 0.5}) +
                               at("von_mises", {8, 1}) + reaction("y", "right") + reaction("y", "left");
      expect_exact(shape, deck, 1);
      const auto summary = run_elastic("beam", deck);
      EXPECT_NEAR(value_of(summary, "stress_xx"), -6, 1e-9);
      EXPECT_NEAR(value_of(summary, "stress_xy"), -1.5, 1e-9);
      EXPECT_NEAR(value_of(summary, "stress_yy"), 0, 1e-9);
      EXPECT_NEAR(value_of(summary, "von_mises"), 24, 1e-9);
      EXPECT_NEAR(value_of(summary, "R_y_left"), 2, 1e-11);
      EXPECT_NEAR(value_of(summary, "R_y_right"), -2, 1e-9);
    }
}

/// T&G section 102: pure bending, sigma_xx = E kappa z.
TEST(ElasticSolutions, PureBendingOfABarIsExactFromOrder2) {
  const std::vector<std::string> u{"1e-3*x*z", "-0.3e-3*y*z", "-0.5e-3*(x^2 + 0.3*(z^2 - y^2))"};
  for (const char* shape : {"tet", "hex", "prism"})
    expect_exact(shape,
                 box_mesh(shape, {4, 1, 1}, {4, 2, 2}, {0, 0, -1}) + elasticity(2) + isotropic("1000", "0.3") +
                     boundary("left", "displacement", "value = " + quoted(u)) +
                     boundary("right", "traction", "value = [\"z\", 0, 0]") + exact(u) + exactly,
                 1);
}

// Heat

struct Heated {
  const char* name;
  std::string mesh, physics, sides;
  int dim;
};

std::vector<Heated> heated() {
  return {
      {"bar", box_mesh("interval", {1}, {3}), "", "\"left\", \"right\"", 1},
      {"strain", box_mesh("quad", {1, 1}, {3, 3}), "", "\"left\", \"right\", \"bottom\", \"top\"", 2},
      {"stress", box_mesh("triangle", {1, 1}, {3, 3}), "plane = \"stress\"\n",
       "\"left\", \"right\", \"bottom\", \"top\"", 2},
      {"revolution", box_mesh("quad", {1, 1}, {3, 3}, {}, "axis = \"y\"\n"), "", "\"right\", \"bottom\", \"top\"", 2},
      {"solid", box_mesh("tet", {1, 1, 1}, {2, 2, 2}), "",
       "\"left\", \"right\", \"bottom\", \"top\", \"back\", \"front\"", 3}};
}

/// E alpha T = 0.2 with E = 200, alpha = 1e-5, T = 100 and nu = 0.3.
const std::string hot = isotropic("200", "0.3", "expansion = 1e-5\ntemperature = 100\n");

TEST(ElasticSolutions, HeatOfAHeldBodyMakesStress) {
  for (const Heated& body : heated()) {
    const std::string name = body.name;
    const std::vector<std::string> zero(static_cast<std::size_t>(body.dim), "0");
    const auto summary =
        run_elastic("held", body.mesh + elasticity(2, body.physics) + hot + "[[boundary]]\non = [" + body.sides +
                                "]\ntype = \"displacement\"\nvalue = " + quoted(zero) + "\n" + exactly +
                                extremes("stress_xx") + extremes("stress_yy") + extremes("stress_zz"));
    const double of_all = -0.2 / (name == "bar" ? 1 : name == "stress" ? 0.7 : 0.4);
    for (const char* end : {".min", ".max"}) {
      EXPECT_NEAR(value_of(summary, std::string("stress_xx") + end), of_all, 1e-12) << name;
      EXPECT_NEAR(value_of(summary, std::string("stress_yy") + end), name == "bar" ? 0 : of_all, 1e-12) << name;
      EXPECT_NEAR(value_of(summary, std::string("stress_zz") + end), name == "bar" || name == "stress" ? 0 : of_all,
                  1e-12)
          << name;
    }
  }
}

TEST(ElasticSolutions, HeatOfAFreeBodyMakesNone) {
  for (const Heated& body : heated()) {
    const std::string name = body.name;
    const std::string planes = name == "bar"          ? "\"left\""
                               : name == "revolution" ? "\"bottom\""
                               : body.dim == 2        ? "\"left\", \"bottom\""
                                                      : "\"left\", \"bottom\", \"back\"";
    // Plane strain is held along z: (1 + nu) alpha T, and sigma_zz = -E alpha T.
    const std::string slope = name == "strain" ? "1.3e-3" : "1e-3";
    std::vector<std::string> u;
    for (int c = 0; c < body.dim; ++c) u.push_back(slope + "*" + "xyz"[c]);
    const std::string deck = body.mesh + elasticity(1, body.physics) + hot + "[[boundary]]\non = [" + planes +
                             "]\ntype = \"symmetry\"\n" + exact(u) + exactly + extremes("stress_xx") +
                             extremes("stress_zz") + extremes("strain_zz") + extremes("von_mises");
    const auto summary = run_elastic("free", deck);
    const auto& errors = summary["errors"];
    EXPECT_LT(errors.contains("u") ? errors["u"]["max"] : errors["u_x"]["max"], 1e-15) << name;
    for (const char* end : {".min", ".max"}) {
      EXPECT_NEAR(value_of(summary, std::string("stress_xx") + end), 0, 1e-12) << name;
      EXPECT_NEAR(value_of(summary, std::string("stress_zz") + end), name == "strain" ? -0.2 : 0, 1e-12) << name;
      EXPECT_NEAR(value_of(summary, std::string("von_mises") + end), name == "strain" ? 0.2 : 0, 1e-12) << name;
      EXPECT_NEAR(value_of(summary, std::string("strain_zz") + end), name == "strain" ? 0 : 1e-3, 1e-14) << name;
    }
  }
}

/// A temperature that is linear makes no stress in a free body: alpha = 1e-3, T = 2 x.
TEST(ElasticSolutions, LinearTemperatureBendsWithoutStress) {
  const std::vector<std::string> u{"1e-3*(x^2 - y^2 - z^2)", "2e-3*x*y", "2e-3*x*z"};
  const std::string deck = box_mesh("tet", {1, 1, 1}, {2, 2, 2}) + elasticity(2) +
                           isotropic("200", "0.3", "expansion = 1e-3\ntemperature = \"2*x\"\n") +
                           boundary("left", "displacement", "value = " + quoted(u)) + exact(u) + exactly +
                           extremes("von_mises");
  expect_exact("linear", deck, 1e-2);
  EXPECT_NEAR(value_of(run_elastic("linear", deck), "von_mises.max"), 0, 1e-12);
}

// Weight

TEST(ElasticSolutions, BarUnderItsWeight) {
  const auto summary = run_elastic(
      "bar", box_mesh("interval", {2}, {3}) + elasticity(2) + isotropic("100", "0.3", "body_force = [5]\n") +
                 boundary("left", "displacement", "value = [0]") + exact({"5/100*(2*x - x^2/2)"}) + exactly +
                 reaction("x", "left") + at("stress_xx", {0}) + at("strain_yy", {0}));
  EXPECT_LT(summary["errors"]["u_x"]["max"], 1e-14);
  EXPECT_NEAR(value_of(summary, "R_x_left"), -10, 1e-11);
  EXPECT_NEAR(value_of(summary, "stress_xx"), 10, 1e-11);
  EXPECT_NEAR(value_of(summary, "strain_yy"), -0.03, 1e-13);
}

/// T&G section 96: a bar of the weight 5 a volume hangs from its upper end, sigma_zz = 5 z.
TEST(ElasticSolutions, HangingBar) {
  const std::vector<std::string> u{"-0.015*x*z", "-0.015*y*z", "0.025*(z^2 - 4) + 0.0075*(x^2 + y^2)"};
  for (const char* shape : {"tet", "hex", "prism"}) {
    const std::string deck = box_mesh(shape, {1, 1, 2}, {2, 2, 2}) + elasticity(2) +
                             isotropic("100", "0.3", "body_force = [0, 0, -5]\n") +
                             boundary("front", "displacement", "value = " + quoted(u)) + exact(u) + exactly +
                             reaction("z", "front") + at("stress_zz", {0.5, 0.5, 2});
    expect_exact(shape, deck, 1);
    const auto summary = run_elastic("hanging", deck);
    EXPECT_NEAR(value_of(summary, "R_z_front"), 10, 1e-10);
    EXPECT_NEAR(value_of(summary, "stress_zz"), 10, 1e-9);
  }
}

/// The same of a round bar, of either axis.
TEST(ElasticSolutions, HangingRoundBar) {
  for (const bool along_y : {true, false})
    for (const char* shape : {"triangle", "quad"})
      for (const int order : {2, 3}) {
        const std::vector<std::string> u = along_y
                                               ? std::vector<std::string>{"-0.015*x*y", "0.025*(y^2 - 4) + 0.0075*x^2"}
                                               : std::vector<std::string>{"0.025*(x^2 - 4) + 0.0075*y^2", "-0.015*x*y"};
        const std::string end = along_y ? "top" : "right", axis = along_y ? "y" : "x";
        const std::string deck =
            box_mesh(shape, along_y ? std::vector<double>{1, 2} : std::vector<double>{2, 1}, {3, 3}, {},
                     "axis = \"" + axis + "\"\n") +
            elasticity(order) + isotropic("100", "0.3", along_y ? "body_force = [0, -5]\n" : "body_force = [-5, 0]\n") +
            boundary(end, "displacement", "value = " + quoted(u)) + exact(u) + exactly + reaction(axis, end) +
            extremes("stress_zz") + extremes(along_y ? "stress_xx" : "stress_yy") +
            at("stress_" + axis + axis, along_y ? std::vector<double>{0, 2} : std::vector<double>{2, 0}, "axial");
        expect_exact(shape, deck, 1);
        const auto summary = run_elastic("round", deck);
        EXPECT_NEAR(value_of(summary, "R_" + axis + "_" + end), 10 * M_PI, 1e-9);
        EXPECT_NEAR(value_of(summary, "axial"), 10, 1e-9);
        EXPECT_NEAR(value_of(summary, "stress_zz.min"), 0, 1e-9);
        EXPECT_NEAR(value_of(summary, "stress_zz.max"), 0, 1e-9);
      }
}

/// u_r = 0.01 (r - 1/r): held at r = 1, where the hoop strain u_r / r is zero and du_r/dr = 0.02 is not.
TEST(ElasticSolutions, HoopStrainOfANodeHeldAlongRIsZero) {
  const std::vector<std::string> u{"0.01*(x - 1/x)", "0"};
  const auto summary = run_elastic(
      "hoop", box_mesh("quad", {2, 0.5}, {8, 2}, {1, 0}, "axis = \"y\"\n") + elasticity(4) + isotropic("100", "0.3") +
                  "[[boundary]]\non = [\"left\", \"right\"]\ntype = \"displacement\"\nvalue = " + quoted(u) +
                  "\n[[boundary]]\non = [\"bottom\", \"top\"]\ntype = \"symmetry\"\n" + exactly +
                  at("strain_zz", {1, 0.25}) + at("strain_xx", {1, 0.25}));
  EXPECT_NEAR(value_of(summary, "strain_zz"), 0, 1e-12);
  EXPECT_NEAR(value_of(summary, "strain_xx"), 0.02, 1e-4);
}

// Springs and pressure

/// A block between smooth walls on a bed of springs: u_y = -p/k - p y/M with M = E (1-nu)/((1+nu)(1-2nu)).
TEST(ElasticSolutions, BlockOnSprings) {
  const double M = 100 * 0.7 / (1.3 * 0.4);
  const std::vector<std::string> u{"0", fmt::format("-2/50 - 2*y/{}", M)};
  for (const char* spring : {"stiffness = [0, 50]", "stiffness = 50", "normal_stiffness = 50"})
    for (const int order : {1, 2})
      expect_exact(spring,
                   box_mesh("triangle", {2, 1}, {4, 3}) + elasticity(order) + isotropic("100", "0.3") +
                       "[[boundary]]\non = [\"left\", \"right\"]\ntype = \"symmetry\"\n" +
                       boundary("bottom", "spring", spring) + boundary("top", "pressure", "value = 2") + exact(u) +
                       exactly,
                   1);
}

/// Lame's ring on springs along its normal: u_r = A r + B/r with sigma_r = -p inside and -k u_r outside.
TEST(ElasticSolutions, RingInABedOfSprings) {
  const double E = 1000, nu = 0.3, k = 400, c = E / ((1 + nu) * (1 - 2 * nu));
  Eigen::Matrix2d M;
  M << c, -c * (1 - 2 * nu), c + 2 * k, -c * (1 - 2 * nu) / 4 + k / 2;
  const Eigen::Vector2d AB = M.partialPivLu().solve(Eigen::Vector2d(-1, 0));
  const std::string factor = fmt::format("({} + ({})/(x^2+y^2))", AB[0], AB[1]);
  const auto summary = run_elastic(
      "ring", file_mesh(source() / "inputs/meshes/quarter_ring.geo", "order = 2\nrefine = 1\n") + elasticity(4) +
                  isotropic("1000", "0.3") + "[[boundary]]\non = [\"axis\", \"equator\"]\ntype = \"symmetry\"\n" +
                  boundary("outer", "spring", "normal_stiffness = 400") + boundary("inner", "pressure", "value = 1") +
                  exact({factor + "*x", factor + "*y"}) + exactly);
  EXPECT_LT(summary["errors"]["u"]["max"], 1e-7);
}

/// The same pressure on both curved sides of a ring: sigma = -p in the plane, whatever the mesh makes of the circles.
TEST(ElasticSolutions, PressureOnCurvedSides) {
  const std::vector<std::string> u{"-1.3*0.4/1000*x", "-1.3*0.4/1000*y"};
  for (const int geometric : {1, 2})
    for (const int order : {2, 3}) {
      const std::string deck =
          file_mesh(source() / "inputs/meshes/quarter_ring.geo", fmt::format("order = {}\n", geometric)) +
          elasticity(order) + isotropic("1000", "0.3") +
          "[[boundary]]\non = [\"axis\", \"equator\"]\ntype = \"symmetry\"\n"
          "[[boundary]]\non = [\"inner\", \"outer\"]\ntype = \"pressure\"\nvalue = 1\n" +
          exact(u) + exactly + extremes("stress_xx") + extremes("stress_xy");
      expect_exact(std::to_string(geometric), deck, 1);
      const auto summary = run_elastic("curved", deck);
      EXPECT_NEAR(value_of(summary, "stress_xx.min"), -1, 1e-10);
      EXPECT_NEAR(value_of(summary, "stress_xy.max"), 0, 1e-10);
    }
}

/// A sphere under pressure from all around, as half of its section: sigma = -p.
TEST(ElasticSolutions, PressureAroundASphere) {
  const std::vector<std::string> u{"-0.4/1000*x", "-0.4/1000*y"};
  for (const int geometric : {1, 2})
    expect_exact(
        std::to_string(geometric),
        file_mesh(source() / "inputs/meshes/quarter_ring.geo", fmt::format("order = {}\naxis = \"y\"\n", geometric)) +
            elasticity(2) + isotropic("1000", "0.3") + boundary("equator", "symmetry") +
            "[[boundary]]\non = [\"inner\", \"outer\"]\ntype = \"pressure\"\nvalue = 1\n" + exact(u) + exactly,
        1);
}

// Directions

/// A pull along each axis of an orthotropic cube.
TEST(ElasticSolutions, OrthotropicPull) {
  const double E[3] = {140, 10, 25},
               nu[3][3] = {{-1, 0.3, 0.25}, {0.3 * 10 / 140, -1, 0.2}, {0.25 * 25 / 140, 0.5, -1}};
  const char* const pulled[3] = {"right", "top", "front"};
  for (int axis = 0; axis < 3; ++axis) {
    std::vector<std::string> u, t(3, "0");
    t[axis] = "1";
    for (int c = 0; c < 3; ++c) u.push_back(fmt::format("{}*{}", -nu[axis][c] / E[axis], "xyz"[c]));
    expect_exact(pulled[axis],
                 box_mesh("tet", {1, 1, 1}, {2, 2, 2}) + elasticity(1) +
                     "[[material]]\nyoung = [140, 10, 25]\npoisson = [0.3, 0.2, 0.25]\nshear = [5, 3.5, 4.5]\n"
                     "[[boundary]]\non = [\"left\", \"bottom\", \"back\"]\ntype = \"symmetry\"\n" +
                     boundary(pulled[axis], "traction", "value = " + quoted(t)) + exact(u) + exactly,
                 1);
  }
}

/// A lamina whose fibres are turned by an angle t, pulled along x:
/// 1/E = c^4/E1 + s^4/E2 + (1/G12 - 2 nu12/E1) s^2 c^2. R. M. Jones, Mechanics of Composite Materials, 2nd ed., (2.97).
TEST(ElasticSolutions, TurnedLamina) {
  const double E1 = 140, E2 = 10, G = 5, nu = 0.3;
  Eigen::Matrix3d S;
  S << 1 / E1, -nu / E1, 0, -nu / E1, 1 / E2, 0, 0, 0, 1 / G;
  for (const double angle : {0.0, 0.5, 1.0, M_PI / 2}) {
    const double c = std::cos(angle), s = std::sin(angle);
    Eigen::Matrix3d T;  // stresses along and across the fibres
    T << c * c, s * s, 2 * s * c, s * s, c * c, -2 * s * c, -s * c, s * c, c * c - s * s;
    const Eigen::Matrix3d turned = T.transpose() * S * T, D = turned.inverse();
    const auto summary = run_elastic(
        "lamina", box_mesh("triangle", {2, 1}, {4, 2}) + group("origin", "x < 1e-9 && y < 1e-9", "points") +
                      group("corner", "x > 2 - 1e-9 && y < 1e-9", "points") + elasticity(2, "plane = \"stress\"\n") +
                      "[[material]]\nstiffness = " + numbers({D(0, 0), D(0, 1), D(0, 2), D(1, 1), D(1, 2), D(2, 2)}) +
                      "\n" + boundary("origin", "displacement", "value = [0, 0]") +
                      boundary("corner", "displacement", "value_y = 0") +
                      boundary("right", "traction", "value = [1, 0]") +
                      boundary("left", "traction", "value = [-1, 0]") + exactly + extremes("strain_xx"));
    const double compliance = std::pow(c, 4) / E1 + std::pow(s, 4) / E2 + (1 / G - 2 * nu / E1) * s * s * c * c;
    EXPECT_NEAR(value_of(summary, "strain_xx.min"), compliance, 1e-11) << angle;
    EXPECT_NEAR(value_of(summary, "strain_xx.max"), compliance, 1e-11) << angle;
  }
}

/// Plane stress takes incompressible materials: eps_y = -eps_x / 2 to rounding.
TEST(ElasticSolutions, IncompressiblePlaneStress) {
  const std::vector<std::string> u{"x/100", "-y/200"};
  expect_exact("half",
               box_mesh("quad", {1, 1}, {2, 2}) + elasticity(1, "plane = \"stress\"\n") + isotropic("100", "0.5") +
                   "[[boundary]]\non = [\"left\", \"bottom\"]\ntype = \"symmetry\"\n" +
                   boundary("right", "traction", "value = [1, 0]") + exact(u) + exactly,
               1e-2);
}

// Decks of inputs/verification

nlohmann::json verification(const std::string& name, const std::string& options = "") {
  const fs::path out = folder() / "out_verification";
  const Result result = app_test::tessera("run " + (source() / "inputs/verification" / (name + ".toml")).string() +
                                          " --backend threads --threads 1 --set output.write=false " + options +
                                          " --output " + out.string());
  EXPECT_EQ(result.code, 0) << result.text;
  return summary_in(out);
}

TEST(ElasticBenchmarks, PublishedValues) {
  EXPECT_NEAR(value_of(verification("nafems_le1"), "sigma_yy_at_D"), 92.7e6, 2e-3 * 92.7e6);
  EXPECT_NEAR(value_of(verification("nafems_le10"), "sigma_yy_at_D"), -5.38e6, 5e-3 * 5.38e6);
  const auto cook = verification("cook_membrane");
  EXPECT_NEAR(value_of(cook, "tip"), 23.96, 5e-3);
  EXPECT_NEAR(value_of(cook, "held"), -1, 1e-9);
}

TEST(ElasticBenchmarks, ThickCylinderInThreeForms) {
  double l2[2];
  for (const int level : {0, 1})
    l2[level] = verification("thick_cylinder", fmt::format("--set mesh.refine={}", level + 1))["errors"]["u"]["l2"];
  EXPECT_GT(std::log2(l2[0] / l2[1]), 2.8);
  for (const char* name : {"thick_cylinder", "thick_cylinder_axis", "thick_cylinder_solid"}) {
    const auto summary = verification(name, "--set physics.order=4");
    EXPECT_LT(summary["errors"]["u"]["max"], 1e-6) << name;
    EXPECT_NEAR(value_of(summary, "hoop_inside"), 5.0 / 3, 5e-3) << name;
    EXPECT_NEAR(value_of(summary, "hoop_outside"), 2.0 / 3, 2e-3) << name;
    EXPECT_NEAR(value_of(summary, "axial"), 0.2, 1e-4) << name;
  }
  EXPECT_NEAR(value_of(verification("thick_cylinder"), "held"), -1, 1e-10);
  EXPECT_NEAR(value_of(verification("thick_cylinder_solid"), "held"), -0.5, 1e-10);
  EXPECT_NEAR(value_of(verification("thick_cylinder_axis", "--set physics.order=4"), "held"), 0.6 * M_PI, 1e-6);
}

TEST(ElasticBenchmarks, OrdersOfTheThickCylinderWithAnAxis) {
  for (const char* shape : {"triangle", "quad"})
    for (const int order : {1, 2, 3, 4}) {
      double l2[2], h1[2];
      for (const int level : {0, 1}) {
        const auto errors = verification("thick_cylinder_axis",
                                         fmt::format("--set physics.order={} --set 'mesh.box.shape=\"{}\"' --set "
                                                     "'mesh.box.cells=[{}, {}]'",
                                                     order, shape, 4 << level, 2 << level))["errors"]["u"];
        l2[level] = errors["l2"], h1[level] = errors["h1"];
      }
      EXPECT_GT(std::log2(l2[0] / l2[1]), order + 1 - 0.3) << shape << order;
      EXPECT_GT(std::log2(h1[0] / h1[1]), order - 0.3) << shape << order;
    }
}

}  // namespace
