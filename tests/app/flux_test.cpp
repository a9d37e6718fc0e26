// Fluxes of the weak form: they balance, converge twice as fast as the gradient's, and have a side inside the domain.
#include <cmath>
#include <sstream>

#include "app/balance.hpp"
#include "support/orders.hpp"

namespace {

using namespace app_test;
using ::tessera::testing::observed_order;

// ---------------------------------------------------------------------------------------------- every deck of the
// project

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// What [physics] says, past comments and other keys. Each start of this program asks that of all decks: no regular
/// expression, which took a quarter of the start.
std::string module_of(const fs::path& deck) {
  const std::string text = text_of(deck), section = "[physics]";
  std::size_t at = text.find(section);
  if (at == std::string::npos) return {};
  const std::string keys = text.substr(at, text.find('[', at + 1) - at);
  at = keys.find("\ntype");
  const std::size_t from = at == std::string::npos ? at : keys.find('"', at);
  return from == std::string::npos ? std::string() : keys.substr(from + 1, keys.find('"', from + 1) - from - 1);
}

/// But those of gases, which take long and have a balance of mass and energy: tests/euler/. Nor those that take long,
/// have no balance and are run by tutorials_test.cpp to their end.
std::vector<std::string> decks() {
  std::vector<std::string> names;
  for (const char* place : {"tutorials", "verification"})
    for (const auto& entry : fs::directory_iterator(source() / "inputs" / place)) {
      const std::string name = entry.path().stem().string();
      const bool is_run = name == "10_gray_scott" || name == "11_wave_2d" || name == "13_ocean_bottom";
      if (entry.path().extension() == ".toml" && !is_run && module_of(entry.path()) != "euler")
        names.push_back(std::string(place) + "/" + name);
    }
  std::sort(names.begin(), names.end());
  return names;
}

class DeckBalance : public ::testing::TestWithParam<std::string> {};

TEST_P(DeckBalance, ClosesToTheSolversTolerance) {
  const fs::path deck = source() / "inputs" / (GetParam() + ".toml"), out = folder() / fs::path(GetParam()).stem();
  const Result result = app_test::tessera(
      "run " + deck.string() + " --quiet --backend threads --set output.write=false --output " + out.string());
  ASSERT_EQ(result.code, 0) << result.text;
  const json summary = summary_in(out);
  const std::string text = text_of(deck);
  const std::string module = module_of(deck);
  ASSERT_FALSE(module.empty()) << "no [physics] with a type";
  if (module == "advection") {  // the integral at the start and at the end, between which much may leave
    EXPECT_TRUE(summary["balance"]["start"].is_number() && summary["balance"]["end"].is_number());
    return;
  }
  const auto solves = [&](const char* module) { return text.find(module) != std::string::npos; };
  // No diffusion of a mesh, no balance of reactions or of modes, or energies in its place.
  if (solves("two_point_bvp") || solves("reaction_diffusion") || solves("\"wave\"") || solves("\"eigen\"")) {
    EXPECT_FALSE(summary.contains("balance"));
    return;
  }
  double tolerance = 1e-8;
  if (const auto at = text.find("\ntolerance = "); at != std::string::npos) tolerance = std::stod(text.substr(at + 13));
  expect_balance(summary, 10 * tolerance, GetParam());
}

INSTANTIATE_TEST_SUITE_P(Flux, DeckBalance, ::testing::ValuesIn(decks()), [](const auto& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '/', '_');
  return name;
});

// -------------------------------------------------------------------------------------------------------------- orders

/// -div((1 + xy) grad u) + u = f with u = x (1-x) exp(y) + 1 on the unit square; Dirichlet left and right, where u = 1
/// is in every space, elsewhere its derivatives or Dirichlet, too. Out through the left flow e - 1.
std::string manufactured(const std::string& shape, int cells, int order, bool all_around) {
  const std::string n = std::to_string(cells), u = "\"x*(1-x)*exp(y) + 1\"\n";
  std::string deck =
      "[mesh]\nbox = { min = [0,0], max = [1,1], cells = [" + n + "," + n + "], shape = \"" + shape +
      "\" }\n[physics]\ntype = \"poisson\"\norder = " + std::to_string(order) +
      "\n[[material]]\ndiffusivity = \"1 + x*y\"\nreaction = 1\nsource = \"exp(y)*((1+x*y)*(2 - x*(1-x)) - "
      "y*(1-2*x) - x*x*(1-x) + x*(1-x)) + 1\"\n[solver]\ntolerance = 1e-13\n";
  deck += all_around ? "[[boundary]]\non = [\"left\",\"right\",\"bottom\",\"top\"]\ntype = \"dirichlet\"\nvalue = " + u
                     : "[[boundary]]\non = [\"left\",\"right\"]\ntype = \"dirichlet\"\nvalue = " + u +
                           "[[boundary]]\non = \"bottom\"\ntype = \"neumann\"\nvalue = \"-x*(1-x)\"\n"
                           "[[boundary]]\non = \"top\"\ntype = \"neumann\"\nvalue = \"(1+x)*x*(1-x)*exp(1)\"\n";
  return deck + flux("left", "\"left\"") +
         "[[quantity]]\nname = \"gradient\"\nkind = \"flux_gradient\"\non = \"left\"\n";
}

double left_error(const json& summary, const char* quantity) {
  return std::abs(summary["quantities"][quantity].get<double>() - (std::exp(1.0) - 1));
}

TEST(Flux, ThroughAWholeDirichletPartIsOfTwiceTheOrder) {
  const int cells[] = {8, 4, 2};
  for (const char* shape : {"triangle", "quad"})
    for (int order = 1; order <= 3; ++order) {
      const int n = cells[order - 1];
      const std::string name = std::string("twice_") + shape + std::to_string(order);
      const json coarse = run(name, manufactured(shape, n, order, false));
      const json fine = run(name, manufactured(shape, 2 * n, order, false));
      EXPECT_GE(observed_order(left_error(coarse, "left"), left_error(fine, "left"), 2), 2 * order - 0.2) << name;
      // On quads the gradient of this u is as good as superconvergence makes it.
      if (*shape == 't') {
        EXPECT_LT(left_error(fine, "left"), 0.05 * left_error(fine, "gradient")) << name;
      }
    }
}

TEST(Flux, ThroughAPartThatMeetsOthersIsOneOrderAboveTheGradient) {
  for (const char* shape : {"triangle", "quad"})
    for (int order = 1; order <= 3; ++order) {
      const std::string name = std::string("part_") + shape + std::to_string(order);
      const json coarse = run(name, manufactured(shape, 8, order, true)),
                 fine = run(name, manufactured(shape, 16, order, true));
      EXPECT_GE(observed_order(left_error(coarse, "left"), left_error(fine, "left"), 2), order + 0.8) << name;
    }
}

// ------------------------------------------------------------------------------------------- every kind of operator

TEST(Flux, BalancesOnEveryShapeOrderAndScheme) {
  const auto deck = [](const std::string& physics, const std::string& shape, int dim, int order, int geometry) {
    const std::string vector = dim == 3 ? "[\"1+y\", \"x\", \"z\"]" : dim == 2 ? "[\"1+y\", \"x\"]" : "[\"2+x\"]";
    const std::string y = dim == 1 ? "x" : "y";
    const std::string range = dim == 3   ? "min = [0,0,0], max = [1,1,1], cells = [2,2,2]"
                              : dim == 2 ? "min = [0,0], max = [1,1], cells = [3,3]"
                                         : "min = [0], max = [1], cells = [4]";
    return "[mesh]\nbox = { " + range + ", shape = \"" + shape + "\" }\norder = " + std::to_string(geometry) +
           "\n[physics]\n" + physics + "\norder = " + std::to_string(order) +
           "\n[[material]]\ndiffusivity = \"1 + x*x\"\nreaction = \"1 + x\"\nsource = \"exp(x)\"\n" +
           (physics.find("convection") == std::string::npos ? "" : "velocity = " + vector + "\n") +
           "[[boundary]]\non = \"left\"\ntype = \"dirichlet\"\nvalue = \"1 + " + y +
           "\"\n"
           "[[boundary]]\non = \"right\"\ntype = \"neumann\"\nvalue = \"2 + " +
           y +
           "\"\n"
           "[[boundary]]\non = \"right\"\ntype = \"robin\"\nalpha = \"1 + " +
           y + "\"\nvalue = 3\n" + (dim > 1 ? "[[boundary]]\non = \"top\"\ntype = \"dirichlet\"\nvalue = 2\n" : "");
  };
  const std::pair<const char*, int> shapes[] = {{"interval", 1}, {"triangle", 2}, {"quad", 2},
                                                {"tet", 3},      {"hex", 3},      {"prism", 3}};
  for (const auto& [shape, dim] : shapes)
    for (const auto& [scheme, order] :
         {std::pair("", 1), {"", 2}, {"", 4}, {"supg", 1}, {"supg", 2}, {"galerkin", 2}, {"upwind", 1}}) {
      const std::string physics =
          *scheme ? std::string("type = \"convection_diffusion\"\ndiscretisation = \"") + scheme + "\""
                  : std::string("type = \"poisson\"");
      const std::string name = std::string(shape) + std::to_string(order) + scheme;
      const std::string solver = std::string("[solver]\n") + (*scheme ? "type = \"lu\"\n" : "tolerance = 1e-12\n");
      expect_balance(run(name, deck(physics, shape, dim, order, order == 2 ? 2 : 1) + solver), 1e-11, name);
    }
  expect_balance(run("order8", deck("type = \"poisson\"", "quad", 2, 8, 1) + "[solver]\ntolerance = 1e-12\n"), 1e-11,
                 "order 8");
}

/// k = 1/x is finite wherever the run looks, and infinite on the side x = 0: u = x^2 and k u' = 2. k = x vanishes
/// there.
TEST(Flux, OfACoefficientThatIsNoneAtNodesIsFinite) {
  const auto deck = [](const char* physics, const char* shape, const char* k, const char* left) {
    const bool line = shape == std::string("interval");
    return std::string("[mesh]\nbox = { min = ") +
           (line ? "[0], max = [1], cells = [4]" : "[0,0], max = [1,1], cells = [4,4]") + ", shape = \"" + shape +
           "\" }\n[physics]\norder = 2\n" + physics + "\n[[material]]\ndiffusivity = \"" + k +
           "\"\n[[boundary]]\non = \"left\"\n" + left +
           "\n[[boundary]]\non = \"right\"\ntype = \"dirichlet\"\nvalue = 1\n[solver]\ntype = \"lu\"\n" +
           flux("left", "\"left\"") + flux("right", "\"right\"") +
           "[[quantity]]\nname = \"gradient\"\nkind = \"flux_gradient\"\non = \"left\"\n" +
           "[[line]]\nname = \"along\"\n" + (line ? "from = [0]\nto = [1]" : "from = [0, 0]\nto = [1, 0]") +
           "\npoints = 5\nof = [\"flux\"]\n";
  };
  for (const char* shape : {"interval", "triangle", "quad"})
    for (const char* physics : {"type = \"poisson\"", "type = \"convection_diffusion\""}) {
      const json summary = run("infinite", deck(physics, shape, "1/x", "type = \"dirichlet\"\nvalue = 0"));
      expect_balance(summary, 1e-11, shape);
      for (const char* name : {"left", "right"}) {
        ASSERT_TRUE(summary["quantities"][name].is_number()) << shape << name;
        EXPECT_NEAR(std::abs(summary["quantities"][name].get<double>()), 2, 0.05) << shape << name;
      }
      ASSERT_TRUE(summary["quantities"]["gradient"].is_number()) << shape;
      EXPECT_FALSE(summary.contains("warnings") && !summary["warnings"].empty()) << summary["warnings"];
      std::ifstream table(folder() / "infinite" / "along.csv");
      const std::string text{std::istreambuf_iterator<char>(table), {}};
      EXPECT_EQ(text.find("inf"), std::string::npos) << text;
      EXPECT_EQ(text.find("nan"), std::string::npos) << text;
      EXPECT_GT(text.size(), 50u);
    }
}

// ------------------------------------------------------------------------------------------- groups inside the domain

/// (0,2) x (0,1), cut at x = 1: volumes a and b, sides, the cut, all of the rim, a point.
std::string two_parts() {
  write_deck("two.geo",
             "Point(1) = {0,0,0,0.2}; Point(2) = {1,0,0,0.2}; Point(3) = {2,0,0,0.2};\n"
             "Point(4) = {2,1,0,0.2}; Point(5) = {1,1,0,0.2}; Point(6) = {0,1,0,0.2};\n"
             "Line(1) = {1,2}; Line(2) = {2,3}; Line(3) = {3,4}; Line(4) = {4,5}; Line(5) = {5,6}; Line(6) = {6,1};\n"
             "Line(7) = {2,5};\nCurve Loop(1) = {1,7,5,6}; Curve Loop(2) = {2,3,4,-7};\n"
             "Plane Surface(1) = {1}; Plane Surface(2) = {2};\n"
             "Physical Surface(\"a\") = {1}; Physical Surface(\"b\") = {2}; Physical Surface(\"both\") = {1,2};\n"
             "Physical Curve(\"left\") = {6}; Physical Curve(\"right\") = {3}; Physical Curve(\"cut\") = {7};\n"
             "Physical Curve(\"rim\") = {1,2,3,4,5,6}; Physical Curve(\"ends\") = {6,3};\nPhysical Point(\"corner\") = "
             "{4};\n");
  return "[mesh]\nfile = \"two.geo\"\nsize = 0.2\n[solver]\ntolerance = 1e-12\n";
}

const std::string source_in_parts =
    "[physics]\ntype = \"poisson\"\norder = 2\n[[material]]\non = \"a\"\nsource = 1\n[[material]]\non = "
    "\"b\"\ndiffusivity = 3\nsource = 2\n";

TEST(Flux, ThroughFacetsInsideTheDomainLeavesTheSideThatIsSaid) {
  const json summary =
      run("inside", two_parts() + source_in_parts +
                        "[[boundary]]\non = \"left\"\ntype = \"dirichlet\"\nvalue = \"y\"\n"
                        "[[boundary]]\non = \"right\"\ntype = \"robin\"\nalpha = 2\nvalue = \"x*y\"\n" +
                        flux("from_a", "\"cut\"", "from = \"a\"\n") + flux("from_b", "\"cut\"", "from = \"b\"\n") +
                        flux("left", "\"left\"") + flux("left_from_a", "\"left\"", "from = \"a\"\n") +
                        flux("right", "\"right\""));
  const json& q = summary["quantities"];
  expect_balance(summary, 1e-11, "two parts");
  EXPECT_NEAR(q["from_a"].get<double>(), -q["from_b"].get<double>(), 1e-10);
  EXPECT_NEAR(q["from_a"].get<double>() + q["left"].get<double>(), 1, 1e-10);   // the source in a
  EXPECT_NEAR(q["from_b"].get<double>() + q["right"].get<double>(), 2, 1e-10);  // the source in b
  EXPECT_EQ(q["left_from_a"], q["left"]);
}

TEST(Flux, OfADirichletLineInsideLeavesBothSides) {
  const json summary = run(
      "line", two_parts() + source_in_parts + "[[boundary]]\non = \"cut\"\ntype = \"dirichlet\"\nvalue = \"sin(y)\"\n" +
                  flux("from_a", "\"cut\"", "from = \"a\"\n") + flux("from_b", "\"cut\"", "from = \"b\"\n"));
  expect_balance(summary, 1e-11, "line");
  EXPECT_NEAR(summary["quantities"]["from_a"].get<double>(), 1, 1e-10);
  EXPECT_NEAR(summary["quantities"]["from_b"].get<double>(), 2, 1e-10);
  EXPECT_NEAR(summary["balance"]["groups"]["cut"].get<double>(), 3, 1e-10);
}

TEST(Flux, OfAFixedPointIsInTheBalance) {
  const json summary =
      run("point", two_parts() + source_in_parts + "[[boundary]]\non = \"corner\"\ntype = \"dirichlet\"\nvalue = 1\n");
  expect_balance(summary, 1e-11, "point");
  EXPECT_NEAR(summary["balance"]["groups"]["corner"].get<double>(), 3, 1e-10);
}

TEST(Flux, GroupsThatOverlapHaveTheirFullFluxAndTheBalanceCountsOnce) {
  const json summary = run("overlap", two_parts() + source_in_parts +
                                          "[[boundary]]\non = [\"left\", \"ends\"]\ntype = \"dirichlet\"\nvalue = 0\n" +
                                          flux("left", "\"left\"") + flux("right", "\"right\"") +
                                          flux("ends", "\"ends\"") + flux("all", "[\"rim\", \"left\", \"ends\"]"));
  const json& q = summary["quantities"];
  expect_balance(summary, 1e-11, "overlap");
  EXPECT_NEAR(q["ends"].get<double>(), 3, 1e-10);
  EXPECT_NEAR(q["all"].get<double>(), 3, 1e-10);
  EXPECT_NEAR(q["left"].get<double>() + q["right"].get<double>(), 3, 1e-10);
  EXPECT_NEAR(summary["balance"]["groups"]["left"].get<double>(), q["left"].get<double>(), 1e-14);
  EXPECT_NEAR(summary["balance"]["groups"]["ends"].get<double>(), q["right"].get<double>(), 1e-14);
}

TEST(Flux, DoesNotDependOnTheNumberOfThreads) {
  const std::string deck = manufactured("triangle", 20, 2, true);
  const json one = run("one", deck, "--set run.threads=1"), three = run("three", deck, "--set run.threads=3");
  EXPECT_EQ(one["balance"], three["balance"]);
  EXPECT_EQ(one["quantities"], three["quantities"]);
}

// ------------------------------------------------------------------------------------------------------ twice is once

TEST(Twice, AFacetOrCellReachedTwiceCountsOnce) {
  const auto deck = [&](const std::string& left, const std::string& right, const std::string& cells) {
    std::string text = two_parts() + source_in_parts + "[[boundary]]\non = " + left +
                       "\ntype = \"robin\"\nalpha = 2\nvalue = \"1+y\"\n[[boundary]]\non = " + right +
                       "\ntype = \"neumann\"\nvalue = \"2-y\"\n" + flux("flux", right);
    for (const char* kind : {"integral", "average", "l2", "max"})
      for (const std::string& on : {left, cells})
        text += std::string("[[quantity]]\nname = \"") + kind + (on == left ? "_left" : "_cells") + "\"\nkind = \"" +
                kind + "\"\non = " + on + "\n";
    return text + "[[quantity]]\nname = \"gradient\"\nkind = \"flux_gradient\"\non = " + left + "\n";
  };
  const json once = run("once", deck("\"left\"", "\"right\"", "\"both\""))["quantities"];
  const json twice = run(
      "twice", deck("[\"left\", \"left\"]", "[\"right\", \"right\"]", "[\"a\", \"both\", \"b\", \"a\"]"))["quantities"];
  for (const auto& [name, value] : once.items())
    EXPECT_NEAR(twice[name].get<double>(), value.get<double>(), 1e-12) << name;
}

TEST(Twice, OverlappingGroupsOfOneConditionCountOnce) {
  const auto deck = [&](const std::string& ends) {
    return two_parts() + source_in_parts + "[[boundary]]\non = " + ends +
           "\ntype = \"robin\"\nalpha = 2\nvalue = \"1+y\"\n[[quantity]]\nname = \"mean\"\nkind = \"average\"\n";
  };
  EXPECT_NEAR(run("ends", deck("\"ends\""))["quantities"]["mean"].get<double>(),
              run("ends2", deck("[\"left\", \"ends\", \"right\"]"))["quantities"]["mean"].get<double>(), 1e-11);
}

// ----------------------------------------------------------------------------------------------------------- refusals

class FluxRefusal : public ::testing::TestWithParam<Case> {};

TEST_P(FluxRefusal, SaysWhatToDo) {
  const std::string deck = write_deck(std::string(GetParam().name) + ".toml", GetParam().deck);
  for (const char* command : {"check ", "run "})
    expect_says(
        app_test::tessera(command + deck + (*command == 'r' ? " --output " + (folder() / "refused").string() : "")),
        GetParam());
}

std::vector<Case> refusals() {
  const std::string deck = two_parts() + source_in_parts + "[[boundary]]\non = \"left\"\ntype = \"dirichlet\"\n";
  const auto quantity = [&](const std::string& kind, const std::string& rest) {
    return deck + "[[quantity]]\nname = \"q\"\nkind = \"" + kind + "\"\n" + rest;
  };
  return {
      {"no_side",
       quantity("flux", "on = \"cut\"\n"),
       2,
       {"inside the domain", "from = ", "'a', 'both' and in 'b', 'both'"}},
      {"no_side_gradient", quantity("flux_gradient", "on = \"cut\"\n"), 2, {"two directions", "from = "}},
      {"both_sides", quantity("flux", "on = \"cut\"\nfrom = \"both\"\n"), 2, {"'cut' has facets inside 'both'"}},
      {"wrong_side", quantity("flux", "on = \"right\"\nfrom = \"a\"\n"), 2, {"do not bound 'a'", "in 'b', 'both'"}},
      {"unknown_side", quantity("flux", "on = \"cut\"\nfrom = \"c\"\n"), 3, {"no surface group 'c'"}},
      {"side_of_integral", quantity("integral", "on = \"a\"\nfrom = \"a\"\n"), 2, {"takes no `from`"}},
      {"lengths_and_areas",
       quantity("integral", "on = [\"left\", \"a\"]\n"),
       2,
       {"'left' (curve) and 'a' (surface)", "two quantities"}},
      {"average_of_both", quantity("average", "on = [\"a\", \"left\"]\n"), 2, {"cannot be added"}},
  };
}

INSTANTIATE_TEST_SUITE_P(Flux, FluxRefusal, ::testing::ValuesIn(refusals()), case_name);

}  // namespace
