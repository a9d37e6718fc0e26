// Thermal contact, as a user has it: layers whose solution is known, meshes that match and that do not, parts that
// share their nodes.
#include "app/contact.hpp"

namespace {

using namespace app_test;
using namespace app_test::in_contact;

TEST(Contact, LayersInThePlaneAreExactWhetherMeshesMatchOrNot) {
  for (const auto& [n, m] : {std::pair{4, 4}, {3, 5}, {7, 2}})
    for (const int order : {1, 2, 3}) {
      const std::string what = fmt::format("plane_{}_{}_{}", n, m, order);
      expect_layers(run(what, mesh_file(what + ".geo", two_rectangles(n, m)) + poisson(order) + layers + contact() +
                                  layers_exact("y") + quantities),
                    what);
    }
}

TEST(Contact, LayersOfCurvedCellsAndOfQuadsAreExact) {
  const std::string quads = "Recombine Surface {1, 11};\n";
  for (const int order : {1, 2}) {
    const std::string what = fmt::format("order2_{}", order);
    expect_layers(run(what, mesh_file(what + ".geo", two_rectangles(3, 5), "order = 2\n") + poisson(order) + layers +
                                contact() + layers_exact("y") + quantities),
                  what);
    expect_layers(run(what + "q", mesh_file(what + "q.geo", two_rectangles(3, 4, quads)) + poisson(order) + layers +
                                      contact() + layers_exact("y") + quantities),
                  what + " quads");
  }
}

TEST(Contact, LayersInSpaceAreExactWhetherMeshesMatchOrNot) {
  for (const bool hexes : {false, true})
    for (const auto& [n, m] : {std::pair{2, 2}, {2, 3}})
      for (const int order : {1, 2}) {
        const std::string what = fmt::format("space_{}{}_{}_{}", hexes ? "hex" : "tet", n, m, order);
        expect_layers(run(what, mesh_file(what + ".geo", two_boxes(n, m, hexes)) + poisson(order) + layers + contact() +
                                    layers_exact("z") + quantities),
                      what);
      }
}

/// A box that comes apart between two groups of its cells at y = 1; axes: x, then the one across the layers last.
std::string split_box(const std::string& shape, int dim) {
  const std::string across = dim == 1 ? "x" : dim == 2 ? "y" : "z";
  std::string min, max, cells;
  for (int d = 0; d < dim; ++d) {
    min += d ? ", 0" : "0";
    max += std::string(d ? ", " : "") + (d + 1 == dim ? "2" : "1");
    cells += std::string(d ? ", " : "") + (d + 1 == dim ? "4" : "3");
  }
  const std::string bottom = dim == 1   ? "left"
                             : dim == 2 ? "bottom"
                                        : "back",
                    top = dim == 1   ? "right"
                          : dim == 2 ? "top"
                                     : "front",
                    of = dim == 1   ? "curves"
                         : dim == 2 ? "surfaces"
                                    : "volumes";
  return fmt::format("[mesh]\nbox = {{ min = [{}], max = [{}], cells = [{}], shape = \"{}\" }}\n", min, max, cells,
                     shape) +
         fmt::format(
             "[[group]]\nname = \"lower\"\nof = \"{0}\"\nwhere = \"{1} < 1\"\n[[group]]\nname = \"upper\"\nof "
             "= \"{0}\"\nwhere = \"{1} > 1\"\n",
             of, across) +
         material("lower", "diffusivity", 1) + material("upper", "diffusivity", 4) +
         boundary("[\"" + bottom + "\"]", "dirichlet", "value = \"0\"") +
         boundary("[\"" + top + "\"]", "dirichlet", "value = \"10\"") + to_rounding + layers_exact(across) +
         contact("\"2\"", "[\"lower\", \"upper\"]");
}

TEST(Contact, CellsThatShareNodesComeApart) {
  const std::string asked =
      side("max", "lower_upper_of_lower") + side("min", "lower_upper_of_upper") + side("flux", "lower_upper_of_upper");
  for (const auto& [shape, dim] :
       {std::pair{"interval", 1}, {"triangle", 2}, {"quad", 2}, {"tet", 3}, {"hex", 3}, {"prism", 3}})
    for (const int order : {1, 2, 3}) {
      const std::string what = fmt::format("split_{}_{}", shape, order);
      const json summary = run(what, split_box(shape, dim) + poisson(order) + asked);
      EXPECT_LT(l2_error(summary), 1e-10) << what;
      EXPECT_NEAR(summary["quantities"]["max_lower_upper_of_lower"], 40.0 / 7, 1e-10) << what;
      EXPECT_NEAR(summary["quantities"]["min_lower_upper_of_upper"], 60.0 / 7, 1e-10) << what;
      EXPECT_NEAR(summary["quantities"]["flux_lower_upper_of_upper"], 40.0 / 7, 1e-9) << what;
      expect_balance(summary, 1e-9, what);
    }
}

TEST(Contact, EveryStrategyFormatAndSolverGivesTheSame) {
  const std::string deck =
      mesh_file("same.geo", two_rectangles(5, 8)) + poisson(2) + layers + contact() + layers_exact("y") + quantities;
  for (const char* strategy : {"colour", "colour_blocks", "atomic", "two_pass", "shared", "nonzeros", "matrix_free"})
    expect_layers(run("same", deck, std::string("--set assembly.strategy='\"") + strategy + "\"'"), strategy);
  for (const char* format : {"crs", "ell", "sliced_ell", "packed_ell", "cmrs"})
    expect_layers(run("same", deck, std::string("--set matrix.format='\"") + format + "\"'"), format);
  for (const char* solver : {"direct", "bicgstab", "gmres"})
    expect_layers(run("same", deck, std::string("--set solver.type='\"") + solver + "\"'"), solver);
  for (const char* preconditioner : {"jacobi", "ssor", "multicolour_ssor"})
    expect_layers(run("same", deck, std::string("--set solver.preconditioner='\"") + preconditioner + "\"'"),
                  preconditioner);
}

/// Harmonic in either layer: u = cos(pi x) sinh(pi y) / cosh(pi) below, cos(pi x) (d cosh(pi (y - 1)) + sinh(pi (y -
/// 1)) / 4) above, with k = 1 and 4 and h (u_2 - u_1) = pi cos(pi x) between them, which h = 2 makes with d = pi / 2 +
/// tanh(pi).
TEST(Contact, OrdersOnMeshesThatDoNotMatch) {
  const std::string below = "cos(pi*x)*sinh(pi*y)/cosh(pi)",
                    above = "cos(pi*x)*((pi/2 + tanh(pi))*cosh(pi*(y - 1)) + sinh(pi*(y - 1))/4)";
  const std::string rest = material("lower", "diffusivity", 1) + material("upper", "diffusivity", 4) +
                           boundary("[\"lower_bottom\"]", "dirichlet", "value = \"0\"") +
                           boundary("[\"upper_top\"]", "dirichlet", "value = \"" + above + "\"") + contact() +
                           to_rounding + "[exact]\nu = \"y < 1 ? " + below + " : " + above + "\"\n";
  for (const int order : {1, 2, 3}) {
    double coarse = 0;
    for (const int cells : {6, 12}) {
      const std::string what = fmt::format("orders_{}_{}", order, cells);
      const json summary =
          run(what, mesh_file(what + ".geo", two_rectangles(cells, 3 * cells / 2)) + poisson(order) + rest);
      expect_balance(summary, 1e-9, what);
      const double error = l2_error(summary);
      if (coarse > 0) {
        EXPECT_GT(std::log2(coarse / error), order + 1 - 0.3) << what;
      }
      coarse = error;
    }
  }
}

/// The ring from r = 2 to 3 around that from 1 to 2, with arcs of their own, between 0 and 1 with h = 2: a quarter lets
/// pi / 2 / (ln 2 + 1 / (2 h) + ln(3 / 2)) through. Straight cells have order 2, curved ones that of their geometry.
TEST(Contact, CurvedSidesNeedNotMatch) {
  const auto ring = [](int first, double inside, double outside, int cells, const char* name) {
    return fmt::format(
        "Point({0}) = {{0, 0, 0}}; Point({1}) = {{{5}, 0, 0}}; Point({2}) = {{0, {5}, 0}}; Point({3}) = {{{6}, 0, 0}}; "
        "Point({4}) = {{0, {6}, 0}};\nCircle({0}) = {{{1}, {0}, {2}}}; Circle({1}) = {{{3}, {0}, {4}}}; Line({2}) = "
        "{{{1}, {3}}}; Line({3}) = {{{2}, {4}}};\nCurve Loop({0}) = {{{2}, {1}, -{3}, -{0}}}; Plane Surface({0}) = "
        "{{{0}}};\nTransfinite Curve {{{0}, {1}}} = 2*{7} + 1; Transfinite Curve {{{2}, {3}}} = {7} + 1;\nPhysical "
        "Curve(\"{8}_in\") = {{{0}}}; Physical Curve(\"{8}_out\") = {{{1}}}; Physical Surface(\"{8}\") = {{{0}}};\n",
        first, first + 1, first + 2, first + 3, first + 4, inside, outside, cells, name);
  };
  const double through = 0.5 * M_PI / (std::log(2.0) + 0.25 + std::log(1.5));
  for (const auto& [order, geometry, expected] : {std::tuple{1, 1, 1.7}, {2, 2, 3.2}, {3, 2, 3.5}}) {
    double coarse = 0;
    for (const int cells : {3, 6}) {
      const std::string what = fmt::format("rings_{}_{}_{}", order, geometry, cells);
      const json summary =
          run(what, mesh_file(what + ".geo", ring(1, 1, 2, cells, "inner") + ring(21, 2, 3, 4 * cells / 3, "outer"),
                              fmt::format("order = {}\n", geometry)) +
                        poisson(order) + boundary("[\"inner_in\"]", "dirichlet", "value = 0") +
                        boundary("[\"outer_out\"]", "dirichlet", "value = 1") +
                        contact("2", "[\"inner_out\", \"outer_in\"]") + to_rounding + side("flux", "outer_in"));
      expect_balance(summary, 1e-9, what);
      const double error = std::abs(summary["quantities"]["flux_outer_in"].get<double>() - through);
      if (coarse > 0) {
        EXPECT_GT(std::log2(coarse / error), expected) << what;
      }
      coarse = error;
    }
  }
}

/// Two slabs of thickness 1 that lie on each other at x = 0: u = -+cos(1 -+ x) exp(-t) with h = tan(1) / 2.
TEST(Contact, ThroughTimeSlabsCoolAsTheirSeriesSays) {
  const std::string exact = "(x < 0 ? -cos(1 + x) : cos(1 - x))*exp(-t)";
  const auto deck = [&](const std::string& scheme, double step, int order, const std::string& more) {
    return "[mesh]\nbox = { min = [-1], max = [1], cells = [32], shape = \"interval\" }\n[[group]]\nname = "
           "\"cold\"\nof = \"curves\"\nwhere = \"x < 0\"\n[[group]]\nname = \"hot\"\nof = \"curves\"\nwhere = \"x > "
           "0\"\n" +
           heat_of(order, more) + material("cold", "conductivity", 1) + material("hot", "conductivity", 1) +
           boundary("[\"cold\", \"hot\"]", "contact", "conductance = \"tan(1)/2\"") + time_to(0.5, step, scheme) +
           to_rounding +
           "[[initial]]\non = \"cold\"\nu = \"-cos(1 + x)\"\n[[initial]]\non = \"hot\"\nu = \"cos(1 - x)\"\n" +
           "[exact]\nu = \"" + exact + "\"\n" + side("flux", "cold_hot_of_hot");
  };
  for (const char* scheme : {"crank_nicolson", "bdf2"}) {
    const double coarse = l2_error(run("slabs", deck(scheme, 0.1, 3, ""))),
                 fine = l2_error(run("slabs", deck(scheme, 0.05, 3, "")));
    EXPECT_LT(fine, 2e-3) << scheme;
    EXPECT_GT(std::log2(coarse / fine), 1.8) << scheme;
  }
  const json summary = run("slabs", deck("crank_nicolson", 0.005, 2, ""));
  EXPECT_LT(l2_error(summary), 1e-5);
  EXPECT_NEAR(summary["quantities"]["flux_cold_hot_of_hot"], std::sin(1) * std::exp(-0.5), 1e-4);
  expect_balance(summary, 1e-9, "slabs");
  const json explicitly = run("slabs", deck("rkc", 0.01, 1, "mass = \"lumped\"\n"));
  EXPECT_LT(l2_error(explicitly), 1e-3);
}

/// A conductance that changes with time fills the matrix again: at every time the state is that of the resistances
/// then, where nothing is stored to speak of.
TEST(Contact, AConductanceMayDependOnTimeAndPlace) {
  const std::string deck =
      mesh_file("of_time.geo", two_rectangles(3, 4)) + heat_of(1, "") +
      "[[material]]\non = \"lower\"\nconductivity = \"1\"\nheat_capacity = \"1e-9\"\n[[material]]\non = "
      "\"upper\"\nconductivity = \"4\"\nheat_capacity = \"1e-9\"\n" +
      boundary("[\"lower_bottom\"]", "dirichlet", "value = \"0\"") +
      boundary("[\"upper_top\"]", "dirichlet", "value = \"10\"") + contact("\"2*t + 0*x\"") +
      time_to(1, 0.25, "backward_euler") + to_rounding + quantities + layers_exact("y");
  const json summary = run("of_time", deck);
  EXPECT_LT(l2_error(summary), 1e-7);
  expect_balance(summary, 1e-9, "of time");
}

/// Loads that depend on time are made anew at every stage; the contact, which does not, is kept. u = t y below and
/// t (y + 1/2) above with h = 2 is the solution for k = 1 and a source of what it stores.
TEST(Contact, IsKeptWhereOnlyLoadsDependOnTime) {
  for (const char* scheme : {"backward_euler", "bdf2", "sdirk2"}) {
    const std::string deck = mesh_file("kept.geo", two_rectangles(3, 4)) + heat_of(1) +
                             "[[material]]\nconductivity = 1\nsource = \"y < 1 ? y : y + 0.5\"\n" +
                             boundary("[\"lower_bottom\"]", "dirichlet", "value = 0") +
                             boundary("[\"upper_top\"]", "neumann", "value = \"t\"") + contact("2") +
                             time_to(1, 0.25, scheme) + to_rounding + "[exact]\nu = \"t*(y < 1 ? y : y + 0.5)\"\n" +
                             quantities;
    const json summary = run("kept", deck);
    EXPECT_LT(l2_error(summary), 1e-9) << scheme;
    expect_balance(summary, 1e-9, scheme);
  }
}

/// k = 1 + u below: Newton's method meets the contact in residual and tangent. With v = u + u^2 / 2 below, q = v(1) =
/// 2 (w - u(1)) and q = 4 (10 - w).
TEST(Contact, NewtonsMethodMeetsIt) {
  const std::string deck = mesh_file("newton.geo", two_rectangles(3, 4)) + poisson(2) +
                           "[[material]]\non = \"lower\"\ndiffusivity = \"1 + u\"\n" +
                           material("upper", "diffusivity", 4) +
                           boundary("[\"lower_bottom\"]", "dirichlet", "value = \"0\"") +
                           boundary("[\"upper_top\"]", "dirichlet", "value = \"10\"") + contact() +
                           "[newton]\ntolerance = 1e-12\n" + to_rounding + quantities;
  // u + u^2/2 = q and u + q/2 + q/4 = 10: u^2/2 + (1 + 4/3) u - 40/3 = 0.
  const double u = -7.0 / 3 + std::sqrt(49.0 / 9 + 80.0 / 3), q = (10 - u) * 4 / 3;
  const json summary = run("newton", deck);
  EXPECT_NEAR(summary["quantities"]["flux_upper_bottom"], q, 1e-3 * q);
  EXPECT_NEAR(summary["quantities"]["max_lower_top"], u, 1e-3 * u);
  EXPECT_LE(summary["newton"]["iterations"].get<int>(), 8);
  expect_balance(summary, 1e-9, "newton");
}

/// Shells about the axis: between r = 1 and 2 ln 2 / (2 pi), contact at r = 2 with 1 / (h 2 pi 2), from 2 to 3 ln(3 /
/// 2) / (2 pi).
TEST(Contact, BodiesOfRevolutionHaveTheWeightOfTheirRadius) {
  const std::string deck =
      "[mesh]\nbox = { min = [1, 0], max = [3, 1], cells = [16, 2], shape = \"quad\" }\naxis = \"y\"\n[[group]]\nname "
      "= \"inner\"\nof = \"surfaces\"\nwhere = \"x < 2\"\n[[group]]\nname = \"outer\"\nof = \"surfaces\"\nwhere = \"x "
      "> 2\"\n" +
      poisson(3) + boundary("[\"left\"]", "dirichlet", "value = \"0\"") +
      boundary("[\"right\"]", "dirichlet", "value = \"1\"") + contact("\"3\"", "[\"inner\", \"outer\"]") + to_rounding +
      side("flux", "inner_outer_of_outer");
  const double resistance = (std::log(3.0) + 1.0 / 6) / (2 * M_PI);
  const json summary = run("shells", deck);
  EXPECT_NEAR(summary["quantities"]["flux_inner_outer_of_outer"], 1 / resistance, 1e-6);
  expect_balance(summary, 1e-9, "shells");
}

/// Where something flows along the contact, and with a prescribed value at its end: the balance closes.
TEST(Contact, ConvectionHasItInItsBalance) {
  for (const char* discretisation : {"galerkin", "supg", "upwind"}) {
    const std::string deck =
        mesh_file("convection.geo", two_rectangles(8, 6)) +
        fmt::format("[physics]\ntype = \"convection_diffusion\"\norder = 1\ndiscretisation = \"{}\"\n",
                    discretisation) +
        "[[group]]\nname = \"inlet\"\nwhere = \"x < 1e-9 && y < 1 + 1e-9\"\n[[material]]\non = "
        "\"lower\"\ndiffusivity = 0.1\nvelocity = [1, 0.2]\nsource = \"1 + y\"\n[[material]]\non = "
        "\"upper\"\ndiffusivity = 1\nvelocity = [0, 0]\n" +
        boundary("[\"inlet\"]", "dirichlet", "value = 5") + boundary("[\"upper_top\"]", "dirichlet", "value = 1") +
        contact("\"3 + x\"") + to_rounding + quantities;
    const json summary = run("convection", deck);
    expect_balance(summary, 1e-9, discretisation);
    EXPECT_GT(std::abs(summary["quantities"]["flux_lower_top"].get<double>()), 0.1) << discretisation;
    EXPECT_NEAR(summary["quantities"]["flux_lower_top"].get<double>(),
                -summary["quantities"]["flux_upper_bottom"].get<double>(), 1e-10)
        << discretisation;
  }
}

/// One group inside the mesh that ends inside of it: the ends stay one, and with a conductance without bounds it is as
/// if there were no contact.
TEST(Contact, AnInterfaceMayEndInsideTheBody) {
  const std::string geometry =
      "SetFactory(\"OpenCASCADE\");\nRectangle(1) = {0, 0, 0, 1, 1};\nPoint(10) = {0.25, 0.5, 0}; Point(11) = {0.75, "
      "0.5, 0};\nLine(10) = {10, 11};\nBooleanFragments{ Surface{1}; Delete; }{ Curve{10}; Delete; }\n"
      "MeshSize{:} = 0.1;\nPhysical Curve(\"joint\") = {10};\nPhysical Surface(\"body\") = Surface{:};\n";
  const auto deck = [&](const std::string& more) {
    return mesh_file("joint.geo", geometry) + poisson(1) +
           "[[group]]\nname = \"bottom\"\nwhere = \"y < 1e-9\"\n[[group]]\nname = \"top\"\nwhere = \"y > 1 - 1e-9\"\n" +
           boundary("[\"bottom\"]", "dirichlet", "value = \"0\"") +
           boundary("[\"top\"]", "dirichlet", "value = \"1\"") + more + to_rounding + side("flux", "top");
  };
  const auto flow = [&](const std::string& more) {
    const json summary = run("joint", deck(more));
    expect_balance(summary, 1e-9, more);
    return -summary["quantities"]["flux_top"].get<double>();
  };
  EXPECT_NEAR(flow(""), 1, 1e-10);
  EXPECT_NEAR(flow(contact("\"1e7\"", "[\"joint\"]")), 1, 1e-5);
  const double some = flow(contact("\"1\"", "[\"joint\"]")), hardly = flow(contact("\"1e-6\"", "[\"joint\"]"));
  EXPECT_LT(hardly, some - 0.01);
  EXPECT_LT(some, 0.95);
  EXPECT_GT(hardly, 0.4);  // heat goes around
}

TEST(Contact, TheMatrixIsSymmetricAndTheSameOnAnyNumberOfThreads) {
  const std::string deck =
      write_deck("matrix.toml", mesh_file("matrix.geo", two_rectangles(5, 8)) + poisson(2) + layers + contact());
  std::string first;
  for (const char* threads : {"1", "2", "3"}) {
    const std::string file = (folder() / "K.mtx").string();
    const Result result = app_test::tessera("export " + deck + " --set run.threads=" + threads + " -o " + file);
    ASSERT_EQ(result.code, 0) << result.text;
    std::stringstream text;
    text << std::ifstream(file).rdbuf();
    EXPECT_NE(text.str().find("symmetric"), std::string::npos);
    if (first.empty()) first = text.str();
    EXPECT_EQ(text.str(), first) << threads << " threads";
  }
}

TEST(Contact, SidesThatAreApartWantAGap) {
  const json summary = run(
      "gap", mesh_file("gap.geo", two_rectangles(3, 5, "", 0.2)) + poisson(2) + layers +
                 boundary("[\"lower_top\", \"upper_bottom\"]", "contact", "conductance = 2\ngap = 0.25") + quantities);
  EXPECT_NEAR(summary["quantities"]["flux_upper_bottom"], 40.0 / 7, 1e-9);
  expect_balance(summary, 1e-9, "gap");
}

}  // namespace
