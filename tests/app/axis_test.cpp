// Axisymmetric problems (mesh.axis), as a user runs them.
#include <cmath>
#include <numeric>

#include "app/program.hpp"
#include "linalg/market_vector.hpp"

namespace {

using namespace app_test;

std::string verification(const std::string& name) {
  return (source() / "inputs/verification" / (name + ".toml")).string();
}

nlohmann::json run(const std::string& deck, const std::string& options = "") {
  const fs::path out = folder() / "out_axis";
  const Result result = app_test::tessera("run " + deck + " --backend threads --set output.write=false " + options +
                                          " --output " + out.string());
  EXPECT_EQ(result.code, 0) << options << "\n" << result.text;
  return summary_in(out);
}

std::string set(const std::string& key, const std::string& value) { return "--set " + key + "='" + value + "' "; }
std::string text(const std::string& value) { return "\"" + value + "\""; }

double l2(const nlohmann::json& summary) { return summary["errors"]["u"]["l2"]; }

/// Observed orders in L2 of two meshes, of which `finer` sets the second.
void expect_order(const std::string& deck, const std::string& options, const std::string& coarser,
                  const std::string& finer, double order) {
  const double coarse = l2(run(deck, options + coarser)), fine = l2(run(deck, options + finer));
  EXPECT_GT(std::log2(coarse / fine), order) << options << coarse << " " << fine;
}

TEST(Axis, SolidCylinderIsExactFromOrder2) {
  for (const char* shape : {"triangle", "quad"})
    for (const int order : {2, 3, 4}) {
      const auto summary = run(verification("axis_solid_cylinder"),
                               set("mesh.box.shape", text(shape)) + "--set physics.order=" + std::to_string(order));
      const std::string what = std::string(shape) + " " + std::to_string(order);
      EXPECT_LT(summary["errors"]["u"]["max"], 1e-10) << what;
      EXPECT_LT(summary["errors"]["u"]["h1"], 1e-9) << what;
      EXPECT_NEAR(summary["quantities"]["heat"], 16 * M_PI, 1e-9) << what;
      EXPECT_NEAR(summary["quantities"]["mean"], 0.5, 1e-11) << what;
      EXPECT_NEAR(summary["quantities"]["l2"], std::sqrt(2 * M_PI / 3), 1e-10) << what;
      EXPECT_NEAR(summary["balance"]["source"], 16 * M_PI, 1e-10) << what;
      EXPECT_LT(summary["balance"]["relative_remainder"], 1e-10) << what;
      EXPECT_EQ(summary["mesh"]["axis"], "y");
    }
}

/// The same with x and y exchanged.
TEST(Axis, OfXGivesWhatTheAxisOfYGives) {
  const std::string deck =
      write_deck("lying.toml",
                 "[mesh]\nbox = { min = [0, 0], max = [2, 1], cells = [3, 4], shape = \"quad\" }\naxis = \"x\"\n"
                 "[physics]\ntype = \"poisson\"\norder = 2\n[[material]]\ndiffusivity = 2\nsource = 8\n"
                 "[[boundary]]\non = \"top\"\ntype = \"dirichlet\"\n[solver]\ntype = \"cg\"\ntolerance = 1e-13\n"
                 "[exact]\nu = \"1 - y^2\"\n[[quantity]]\nname = \"heat\"\nkind = \"flux_gradient\"\non = \"top\"\n"
                 "[[quantity]]\nname = \"area\"\nkind = \"l2\"\non = \"left\"\n");
  const auto summary = run(deck);
  EXPECT_LT(summary["errors"]["u"]["max"], 1e-10);
  EXPECT_NEAR(summary["quantities"]["heat"], 16 * M_PI, 1e-9);
  EXPECT_NEAR(summary["quantities"]["area"], std::sqrt(M_PI / 3), 1e-10);  // int (1 - r^2)^2 2 pi r dr
  EXPECT_EQ(summary["mesh"]["axis"], "x");
}

TEST(Axis, OrdersInAHollowCylinder) {
  for (const char* shape : {"triangle", "quad"})
    for (const int order : {1, 2, 3, 4}) {
      const std::string options = set("mesh.box.shape", text(shape)) + "--set physics.order=" + std::to_string(order) +
                                  " --set solver.tolerance=1e-12 ";
      expect_order(verification("axis_hollow_cylinder"), options, set("mesh.box.cells", "[4, 4]"),
                   set("mesh.box.cells", "[8, 8]"), order + 1 - 0.25);
    }
}

TEST(Axis, FluxThroughAHollowCylinderConvergesTwiceAsFast) {
  const double exact = 30 * M_PI;
  for (const int order : {1, 2}) {
    double errors[2];
    for (const int level : {0, 1}) {
      const auto quantities = run(verification("axis_hollow_cylinder"),
                                  "--set physics.order=" + std::to_string(order) + " " +
                                      set("mesh.box.cells", level ? "[16, 4]" : "[8, 4]"))["quantities"];
      EXPECT_NEAR(quantities["out_of_the_inside"].get<double>(), -quantities["out_of_the_outside"].get<double>(), 1e-7);
      errors[level] = std::abs(quantities["out_of_the_inside"].get<double>() - exact);
    }
    EXPECT_GT(std::log2(errors[0] / errors[1]), 2 * order - 0.25) << order;
  }
}

TEST(Axis, OrdersInASphericalShell) {
  std::string geometry;
  {
    std::ifstream file(source() / "inputs/meshes/quarter_ring.geo");
    geometry.assign(std::istreambuf_iterator<char>(file), {});
  }
  const std::string flag = "quads = { 0,";
  ASSERT_NE(geometry.find(flag), std::string::npos);
  geometry.replace(geometry.find(flag), flag.size(), "quads = { 1,");
  const std::string quads = write_deck("quads.geo", geometry);
  for (const bool with_quads : {false, true})
    for (const int order : {1, 2, 3}) {
      const std::string options = (with_quads ? set("mesh.file", text(quads)) : "") +
                                  "--set physics.order=" + std::to_string(order) + " --set solver.tolerance=1e-12 ";
      expect_order(verification("axis_sphere"), options, "--set mesh.refine=1", "--set mesh.refine=2",
                   order + 1 - 0.25);
    }
  const auto summary = run(verification("axis_sphere"), "--set mesh.refine=2 --set physics.order=3");
  EXPECT_NEAR(summary["quantities"]["through"], 2 * M_PI, 1e-5);
  EXPECT_NEAR(summary["quantities"]["integral"], 3 * M_PI, 1e-5);
}

/// c u, a tensor, Robin, Neumann and Dirichlet values above zero, whose level is taken off, at once: u = 3 + x^2
/// (y + 1) is in the space, and so it comes out.
std::string everything(const std::string& more) {
  return write_deck("everything.toml",
                    "[mesh]\nbox = { min = [0.5, 0], max = [1.5, 1], cells = [4, 3], shape = \"quad\" }\naxis = \"y\"\n"
                    "[physics]\ntype = \"poisson\"\norder = 3\n"
                    // flux = (2 u_x + u_y, u_x + 3 u_y) with u_x = 2 x (y + 1), u_y = x^2
                    "[[material]]\ndiffusivity = [2, 1, 3]\nreaction = 2\n"
                    "source = \"-(8*(y+1) + 3*x) - 2*x + 2*(3 + x^2*(y+1))\"\n"
                    "[[boundary]]\non = \"bottom\"\ntype = \"dirichlet\"\nvalue = \"3+x^2\"\n"
                    "[[boundary]]\non = \"top\"\ntype = \"neumann\"\nvalue = \"4*x + 3*x^2\"\n"
                    "[[boundary]]\non = [\"left\"]\ntype = \"robin\"\nalpha = 2\n"
                    "value = \"-(4*x*(y+1) + x^2) + 2*(3 + x^2*(y+1))\"\n"
                    "[[boundary]]\non = \"right\"\ntype = \"robin\"\nalpha = \"1+y\"\n"
                    "value = \"4*x*(y+1) + x^2 + (1+y)*(3 + x^2*(y+1))\"\n"
                    "[solver]\ntype = \"cg\"\ntolerance = 1e-13\n[exact]\nu = \"3 + x^2*(y+1)\"\n"
                    "gradient = [\"2*x*(y+1)\", \"x^2\"]\n" +
                        more);
}

TEST(Axis, EveryStrategyGivesTheExactSolution) {
  const std::string deck = everything("");
  for (const char* shape : {"triangle", "quad"})
    for (const char* strategy :
         {"colour", "colour_blocks", "atomic", "two_pass", "shared", "nonzeros", "matrix_free"}) {
      const auto summary = run(deck, set("assembly.strategy", text(strategy)) + set("mesh.box.shape", text(shape)));
      // Order 3 on triangles: the weight takes u c r beyond the degree of the quadrature, but not this residual.
      EXPECT_LT(summary["errors"]["u"]["max"], 1e-9) << strategy << " " << shape;
      EXPECT_LT(summary["balance"]["relative_remainder"], 1e-9) << strategy << " " << shape;
    }
}

TEST(Axis, FlowsBalanceOnACoarseMesh) {
  const std::string flows =
      "[[quantity]]\nname = \"weak\"\nkind = \"flux\"\non = \"bottom\"\n"
      "[[quantity]]\nname = \"gradient\"\nkind = \"flux_gradient\"\non = \"bottom\"\n";
  const auto summary = run(everything(flows));
  // int_0.5^1.5 (u_x + 3 u_y) 2 pi r dr at y = 0, out of the bottom: 2 pi (2/3 r^3 + 3/4 r^4)
  const double flow = 2 * M_PI * (2.0 / 3 * (3.375 - 0.125) + 0.75 * (5.0625 - 0.0625));
  EXPECT_NEAR(summary["quantities"]["weak"], flow, 1e-7);
  EXPECT_NEAR(summary["quantities"]["gradient"], flow, 1e-7);
  EXPECT_NEAR(summary["balance"]["groups"]["bottom"], flow, 1e-7);
}

/// Without a radial part the problem is that of a line, where SUPG is exact at the nodes if tau and div k are those of
/// the true problem.
TEST(Axis, SupgIsExactAtTheNodesOfAnAxialFlow) {
  const std::string deck = write_deck(
      "axial.toml",
      "[mesh]\nbox = { min = [0, 0], max = [1, 1], cells = [3, 8], shape = \"quad\" }\naxis = \"y\"\n"
      "[physics]\ntype = \"convection_diffusion\"\ndiscretisation = \"supg\"\n[[material]]\ndiffusivity = 0.02\n"
      "velocity = [0, 1]\n[[boundary]]\non = \"bottom\"\ntype = \"dirichlet\"\nvalue = 1\n[[boundary]]\non = \"top\"\n"
      "type = \"dirichlet\"\nvalue = 0\n[solver]\ntype = \"lu\"\n"
      "[[quantity]]\nname = \"near\"\nkind = \"value\"\nat = [0.5, 0.875]\n"
      "[[quantity]]\nname = \"on_axis\"\nkind = \"value\"\nat = [0, 0.75]\n");
  const auto u = [](double y) { return (std::exp((y - 1) / 0.02) - 1) / (std::exp(-1 / 0.02) - 1); };
  const auto summary = run(deck);
  EXPECT_NEAR(summary["quantities"]["near"], u(0.875), 1e-12);
  EXPECT_NEAR(summary["quantities"]["on_axis"], u(0.75), 1e-12);
  EXPECT_NEAR(summary["space"]["cell_peclet"], 0.125 / (2 * 0.02), 1e-10);  // h / (2 k), of the true coefficients
  EXPECT_LT(summary["balance"]["relative_remainder"], 1e-12);
}

TEST(Axis, OrdersOfConvectionInAPipe) {
  for (const char* shape : {"triangle", "quad"})
    for (const char* discretisation : {"supg", "galerkin"})
      for (const int order : {1, 2, 3}) {
        const std::string options = set("mesh.box.shape", text(shape)) +
                                    set("physics.discretisation", text(discretisation)) +
                                    "--set solver.type='\"lu\"' --set physics.order=" + std::to_string(order) + " ";
        // Theory promises p + 1/2.
        expect_order(verification("axis_pipe_flow"), options, set("mesh.box.cells", "[4, 8]"),
                     set("mesh.box.cells", "[8, 16]"), order + 0.4);
      }
}

/// The residual of SUPG has the whole div(2 pi r k grad u): with radial flow and u in the space nothing is added.
TEST(Axis, SupgIsConsistentAcrossTheAxis) {
  const std::string deck = write_deck(
      "radial.toml",
      "[mesh]\nbox = { min = [0, 0], max = [1, 1], cells = [5, 4], shape = \"triangle\" }\naxis = \"y\"\n"
      "[physics]\ntype = \"convection_diffusion\"\ndiscretisation = \"supg\"\norder = 2\n[[material]]\n"
      "diffusivity = 0.1\nvelocity = [\"x\", \"1-2*y\"]\nreaction = 1\nsource = \"-0.4 + 2*x^2 + x^2\"\n[[boundary]]\n"
      "on = [\"right\", \"bottom\", \"top\"]\ntype = \"dirichlet\"\nvalue = \"x^2\"\n[solver]\ntype = \"lu\"\n[exact]\n"
      "u = \"x^2\"\n");
  for (const char* shape : {"triangle", "quad"}) {
    const auto summary = run(deck, set("mesh.box.shape", text(shape)));
    EXPECT_LT(summary["errors"]["u"]["max"], 1e-11) << shape;
    EXPECT_LT(summary["balance"]["relative_remainder"], 1e-11) << shape;
  }
}

TEST(Axis, UpwindStaysWithinItsBoundsAndBalances) {
  const std::string deck = write_deck(
      "upwind.toml",
      "[mesh]\nbox = { min = [0, 0], max = [1, 1], cells = [12, 12], shape = \"triangle\" }\naxis = \"y\"\n"
      "[physics]\ntype = \"convection_diffusion\"\ndiscretisation = \"upwind\"\n[[material]]\ndiffusivity = 1e-6\n"
      "velocity = [\"-x\", \"2*y+0.1\"]\n[[boundary]]\non = \"right\"\ntype = \"dirichlet\"\nvalue = \"y > 0.4\"\n"
      "[[boundary]]\non = \"bottom\"\ntype = \"dirichlet\"\nvalue = 0\n[solver]\ntype = \"lu\"\n"
      "[[quantity]]\nname = \"least\"\nkind = \"min\"\n[[quantity]]\nname = \"most\"\nkind = \"max\"\n");
  const auto summary = run(deck);
  EXPECT_GT(summary["quantities"]["least"], -1e-12);
  EXPECT_LT(summary["quantities"]["most"], 1 + 1e-12);
  EXPECT_LT(summary["balance"]["relative_remainder"], 1e-12);
}

/// u = (1 - r^2) sin(2 pi y), which repeats along the axis.
TEST(Axis, PeriodicAlongTheAxis) {
  const std::string deck = write_deck(
      "repeats.toml",
      "[mesh]\nbox = { min = [0, 0], max = [1, 1], cells = [4, 8], shape = \"quad\" }\naxis = \"y\"\n"
      "[physics]\ntype = \"poisson\"\norder = 2\n[[material]]\nsource = \"(4 + 4*pi^2*(1-x^2))*sin(2*pi*y)\"\n"
      "[[boundary]]\non = [\"bottom\", \"top\"]\ntype = \"periodic\"\n[[boundary]]\non = \"right\"\n"
      "type = \"dirichlet\"\n[solver]\ntype = \"cg\"\ntolerance = 1e-13\n[exact]\nu = \"(1-x^2)*sin(2*pi*y)\"\n");
  for (const char* shape : {"triangle", "quad"})
    expect_order(deck, set("mesh.box.shape", text(shape)), "", "--set mesh.refine=1", 2.75);
  EXPECT_LT(run(deck)["balance"]["relative_remainder"], 1e-10);
}

TEST(Axis, CheckSaysTheVolumeAndExportHasTheWeight) {
  const Result check = app_test::tessera("check " + verification("axis_solid_cylinder") + " --backend threads");
  EXPECT_EQ(check.code, 0) << check.text;
  EXPECT_TRUE(check.says("axis       y: the body of revolution has the volume 6.28319")) << check.text;
  const fs::path matrix = folder() / "axis.mtx";
  const Result result =
      app_test::tessera("export " + verification("axis_solid_cylinder") + " --full -o " + matrix.string());
  ASSERT_EQ(result.code, 0) << result.text;
  // The source times the volume, for the functions add up to one.
  const ::tessera::Array<double> b = ::tessera::linalg::read_market_vector((folder() / "axis_b.mtx").string());
  EXPECT_NEAR(std::accumulate(b.begin(), b.end(), 0.0), 16 * M_PI, 1e-11);
}

std::string box_deck(const std::string& rest, const std::string& mesh = "axis = \"y\"\n") {
  return "[mesh]\nbox = { min = [0, 0], max = [1, 1], cells = [4, 4], shape = \"quad\" }\n" + mesh +
         "[physics]\ntype = \"poisson\"\n[[boundary]]\non = \"right\"\ntype = \"dirichlet\"\n" + rest;
}
std::string line_deck(const std::string& box, const std::string& physics) {
  return "[mesh]\nbox = { " + box + " }\naxis = \"x\"\n[physics]\ntype = " + physics +
         "\n[[boundary]]\non = \"right\"\ntype = \"dirichlet\"\n";
}

class WrongAxis : public ::testing::TestWithParam<Case> {};

TEST_P(WrongAxis, IsRefusedByCheckAndRun) {
  const Case& wrong = GetParam();
  const std::string deck = write_deck(std::string("wrong_axis_") + wrong.name + ".toml", wrong.deck);
  for (const char* command : {"check ", "run "})
    expect_says(app_test::tessera(command + deck + " --backend threads --output " + (folder() / "out_wrong").string()),
                wrong);
}

INSTANTIATE_TEST_SUITE_P(
    Decks, WrongAxis,
    ::testing::Values(
        Case{"name", box_deck("", "axis = \"z\"\n"), 2, {"axis", "none, x, y"}},
        Case{"type", box_deck("", "axis = 1\n"), 2, {"axis"}},
        Case{"tets",
             line_deck("cells = [2, 2, 2], shape = \"tet\"", "\"poisson\""),
             2,
             {"mesh.axis = \"x\" is for meshes of 2 dimensions, this one has 3", "toml:3"}},
        Case{"intervals",
             line_deck("cells = [4], shape = \"interval\"", "\"poisson\""),
             2,
             {"mesh.axis = \"x\" is for meshes of 2 dimensions, this one has 1"}},
        Case{
            "two_point_bvp",
            "[mesh]\nbox = { cells = [4], shape = \"interval\" }\naxis = \"x\"\n[physics]\ntype = \"two_point_bvp\"\nf "
            "= \"1\"\n",
            2,
            {"two_point_bvp", "mesh.axis", "leave mesh.axis out, or use physics.type = \"poisson\""}},
        Case{"fft",
             box_deck("[[boundary]]\non = [\"left\", \"bottom\", \"top\"]\ntype = \"dirichlet\"\n[solver]\ntype = "
                      "\"fft\"\n"),
             2,
             {"solver.type = \"fft\"", "mesh.axis = \"y\"", "leave mesh.axis out, or choose solver.type = \"cg\""}},
        Case{"finite_difference",
             "[mesh]\nbox = { cells = [4, 4], shape = \"quad\" }\naxis = \"y\"\n[physics]\ntype = "
             "\"convection_diffusion\"\ndiscretisation = \"finite_difference\"\n[[boundary]]\non = \"rest\"\ntype = "
             "\"dirichlet\"\n[solver]\ntype = \"lmsor\"\n",
             2,
             {"finite_difference", "mesh.axis = \"y\"", "discretisation = \"supg\""}},
        Case{
            "crosses_the_axis",
            "[mesh]\nbox = { min = [-1, 0], max = [1, 1], cells = [4, 4], shape = \"quad\" }\naxis = \"y\"\n[physics]\n"
            "type = \"poisson\"\n[[boundary]]\non = \"right\"\ntype = \"dirichlet\"\n",
            3,
            {"mesh.axis = \"y\": 10 of 25 nodes lie at x < 0, the first at (-1, 0)", "x >= 0",
             "mesh half of the section"}},
        Case{
            "wrong_side",
            "[mesh]\nbox = { min = [0, -1], max = [1, 0], cells = [4, 4], shape = \"quad\" }\naxis = \"x\"\n[physics]\n"
            "type = \"poisson\"\n[[boundary]]\non = \"right\"\ntype = \"dirichlet\"\n",
            3,
            {"20 of 25 nodes lie at y < 0", "y >= 0", "mirror the mesh"}},
        Case{"neumann_on_the_axis",
             box_deck("[[boundary]]\non = \"left\"\ntype = \"neumann\"\nvalue = 1\n"),
             2,
             {"the neumann boundary on 'left' has no effect: it lies on the axis", "leave it out"}},
        Case{"robin_on_the_axis",
             "[mesh]\nbox = { cells = [4, 4], shape = \"quad\" }\naxis = \"y\"\n[physics]\ntype = \"poisson\"\n"
             "[[boundary]]\non = \"left\"\ntype = \"robin\"\nalpha = 1\n",
             2,
             {"the robin boundary on 'left' has no effect"}},
        Case{"average_on_the_axis",
             box_deck("[[quantity]]\nname = \"mean\"\nkind = \"average\"\non = \"left\"\n"),
             2,
             {"quantity 'mean': 'left' lies on the axis", "use min, max or value"}},
        Case{"periodic_across",
             "[mesh]\nbox = { min = [1, 0], max = [2, 1], cells = [4, 4], shape = \"quad\" }\naxis = \"y\"\n[physics]\n"
             "type = \"poisson\"\n[[boundary]]\non = [\"left\", \"right\"]\ntype = \"periodic\"\n[[boundary]]\non = "
             "\"top\"\ntype = \"dirichlet\"\n",
             2,
             {"'left' and 'right' are periodic but lie at different distances from the axis: 1 and 2",
              "\"bottom\" and \"top\""}},
        Case{"negative_k",
             box_deck("[[material]]\ndiffusivity = \"x-0.5\"\n"),
             2,
             {"diffusivity [-0.4", "is not positive"}}),
    case_name);

/// Explicit natural conditions are those of the axis; Dirichlet values there are taken, with a warning.
TEST(Axis, TakesNothingAndValuesOnTheAxis) {
  for (const bool value : {false, true}) {
    const std::string deck = write_deck(
        "on_axis.toml", box_deck(std::string("[[material]]\nsource = 1\n[[boundary]]\non = \"left\"\ntype = ") +
                                 (value ? "\"dirichlet\"\nvalue = 1\n" : "\"neumann\"\nvalue = 0\n")));
    EXPECT_LT(run(deck)["balance"]["relative_remainder"], 1e-7);
    const Result check = app_test::tessera("check " + deck);
    EXPECT_EQ(check.code, 0) << check.text;
    EXPECT_EQ(check.says("4 of 4 facets of 'left' lie on the axis: a value there holds along a line"), value)
        << check.text;
  }
}

}  // namespace
