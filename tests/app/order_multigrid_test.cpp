// preconditioner = "pmg" as a user asks for it: the same solution as others, for every shape, and where it is refused.
#include "app/elasticity.hpp"
#include "app/transient.hpp"

namespace {

using namespace app_test;

std::string poisson(const std::string& shape, int order, const std::string& more) {
  const bool line = shape == "interval";
  const int dim = line ? 1 : shape == "triangle" || shape == "quad" ? 2 : 3;
  return box_mesh(shape, std::vector<double>(static_cast<std::size_t>(dim), 1.0),
                  std::vector<int>(static_cast<std::size_t>(dim), 4)) +
         "[physics]\ntype = \"poisson\"\norder = " + std::to_string(order) +
         "\n[[material]]\ndiffusivity = \"1 + x\"\nreaction = 1\nsource = \"sin(3*x)\"\n" +
         boundary("left", "dirichlet", line ? "value = 2" : "value = \"1 + y\"") +
         boundary("right", "robin", "alpha = 2\nvalue = 1") + quantity("mean", "average", "u") +
         quantity("most", "max", "u") + more;
}

nlohmann::json run(const std::string& deck, const std::string& options = "", int code = 0) {
  return run_elastic("orders", deck, options, code);
}

void expect_same(const nlohmann::json& found, const nlohmann::json& reference) {
  ASSERT_TRUE(found.contains("quantities"));
  for (const auto& [name, value] : reference["quantities"].items())
    EXPECT_NEAR(found["quantities"][name].get<double>(), value.get<double>(), 1e-7 * std::abs(value.get<double>()));
}

const std::string pmg = "[solver]\npreconditioner = \"pmg\"\ntolerance = 1e-11\n";
const std::string direct = "[solver]\ntype = \"direct\"\n";

TEST(OrderMultigridDecks, GiveWhatADirectSolverGivesOnEveryShape) {
  for (const auto& [shape, order] : std::vector<std::pair<std::string, int>>{
           {"interval", 4}, {"triangle", 2}, {"quad", 4}, {"tet", 3}, {"hex", 2}, {"prism", 2}}) {
    SCOPED_TRACE(shape);
    const auto reference = run(poisson(shape, order, direct));
    for (const char* strategy : {"auto", "matrix_free", "nonzeros"}) {
      const auto found = run(poisson(shape, order, pmg), fmt::format("--set 'assembly.strategy=\"{}\"'", strategy));
      expect_same(found, reference);
      EXPECT_LE(found["solver"]["iterations"].get<int>(), 40);
      EXPECT_GE(found["solver"]["multigrid"]["levels"].get<int>(), 2);
    }
    expect_same(run(poisson(shape, order, pmg), "--set 'run.precision=\"mixed\"'"), reference);
  }
}

/// Those of order 3 and 4 took 10 and 12 while their nodes were equispaced.
TEST(OrderMultigridDecks, TakeAsFewIterationsOnHexesOfAnyOrder) {
  for (const int order : {2, 3, 4, 8})
    for (const char* strategy : {"matrix_free", "nonzeros"}) {
      if (order == 8 && strategy != std::string("matrix_free")) continue;
      const std::vector<int> cells(3, 8 / order);
      const auto found =
          run(box_mesh("hex", {1, 1, 1}, cells) + "[physics]\ntype = \"poisson\"\norder = " + std::to_string(order) +
                  "\n[[material]]\ndiffusivity = \"1 + x\"\nsource = \"sin(13*x + 7*y)*cos(29*x*y + 3)\"\n" +
                  boundary("left", "dirichlet", "value = 0") + "[solver]\npreconditioner = \"pmg\"\n",
              fmt::format("--set 'assembly.strategy=\"{}\"'", strategy));
      EXPECT_LE(found["solver"]["iterations"].get<int>(), 8) << order << strategy;
    }
}

TEST(OrderMultigridDecks, ElasticityHasTheMotionsAtOrderOne) {
  for (const char* shape : {"quad", "hex", "tet"}) {
    const bool solid = shape != std::string("quad");
    const std::string body = box_mesh(shape, solid ? std::vector<double>{4, 1, 1} : std::vector<double>{4, 1},
                                      solid ? std::vector<int>{12, 3, 3} : std::vector<int>{60, 15}) +
                             elasticity(2) + isotropic("1", "0.3") +
                             boundary("left", "displacement", solid ? "value = [0, 0, 0]" : "value = [0, 0]") +
                             boundary("right", "traction", solid ? "value = [0, 0, 1]" : "value = [0, 1]") +
                             quantity("u", "max", solid ? "u_z" : "u_y");
    const auto found = run(body + pmg);
    expect_same(found, run(body + direct));
    EXPECT_LE(found["solver"]["iterations"].get<int>(), 40) << shape;
    const auto& rows = found["solver"]["multigrid"]["rows"];
    EXPECT_EQ(rows.back().get<int>() % (solid ? 6 : 3), 0) << shape;
  }
}

TEST(OrderMultigridDecks, PeriodicSidesAreFoldedInEveryOrder) {
  const std::string deck =
      box_mesh("quad", {1, 1}, {6, 6}) +
      "[physics]\ntype = \"poisson\"\norder = 4\n[[material]]\ndiffusivity = \"2 + sin(6.283185307179586*x)\"\n"
      "reaction = 1\nsource = \"1 + cos(6.283185307179586*x)*y\"\n[[boundary]]\ntype = \"periodic\"\non = [\"left\", "
      "\"right\"]\n" +
      quantity("mean", "average", "u") + quantity("most", "max", "u");
  expect_same(run(deck + pmg), run(deck + direct));
}

const std::string jacobi = "[solver]\npreconditioner = \"jacobi\"\ntolerance = 1e-11\n";

/// Iterations a system of a run through time.
double each(const nlohmann::json& summary) {
  return summary["solver"]["iterations"].get<double>() / summary["time"]["systems"].get<double>();
}

TEST(OrderMultigridDecks, GoThroughTimeWithOneSetUpAndFewIterations) {
  for (const auto& [shape, order] :
       std::vector<std::pair<std::string, int>>{{"quad", 4}, {"triangle", 3}, {"tet", 2}, {"hex", 2}}) {
    SCOPED_TRACE(shape);
    const bool flat = shape == "quad" || shape == "triangle";
    for (const char* conductivity : {"1 + x", "1 + x + t"}) {
      const std::string deck =
          box_mesh(shape, std::vector<double>(flat ? 2 : 3, 1.0), std::vector<int>(flat ? 2 : 3, 4)) + heat_of(order) +
          "[[material]]\nconductivity = \"" + conductivity + "\"\ndensity = 0.1\nsource = \"sin(9*t)*x\"\n" +
          boundary("left", "dirichlet", "value = \"sin(t)\"") + boundary("right", "robin", "alpha = 2\nvalue = 1") +
          quantity("mean", "average", "u") + quantity("most", "max", "u") + time_to(2, 0.25, "bdf2");
      const auto found = run(deck + pmg), reference = run(deck + jacobi);
      expect_same(found, reference);
      EXPECT_LE(each(found), 22);
      EXPECT_LE(2 * each(found), each(reference));
      EXPECT_EQ(found["time"]["set_ups"], 1);
      EXPECT_EQ(found["time"]["matrices"], reference["time"]["matrices"]);
      EXPECT_EQ(found["solver"]["multigrid"]["levels"].get<int>() > 1, true);
    }
  }
}

/// Of k(u) the tangent of Newton's method is not symmetric, that of Picard's is.
TEST(OrderMultigridDecks, FollowCoefficientsOfTheSolution) {
  for (const char* tangent : {"newton", "picard"})
    for (const char* shape : {"quad", "tet"}) {
      SCOPED_TRACE(fmt::format("{} {}", tangent, shape));
      std::string deck = poisson(shape, shape == std::string("quad") ? 4 : 2, "");
      if (tangent == std::string("picard")) deck.replace(deck.find("\"1 + x\""), 7, "\"0.5 + x + u^2\"");
      deck.replace(deck.find("sin(3*x)"), 8, "5 - u^3");
      deck += fmt::format("[newton]\ntangent = \"{}\"\nlinear_tolerance = \"fixed\"\n", tangent);
      const auto found = run(deck + pmg), reference = run(deck + jacobi);
      expect_same(found, reference);
      EXPECT_EQ(found["newton"]["iterations"], reference["newton"]["iterations"]);
      EXPECT_LE(2 * found["solver"]["iterations"].get<int>(), reference["solver"]["iterations"].get<int>());
    }
}

/// Of a front so steep that polynomials of lower order through it fall below zero.
TEST(OrderMultigridDecks, SeeCoefficientsOfTheSolutionWithinItsBounds) {
  const std::string front = box_mesh("quad", {1.0, 0.2}, {10, 2}) + heat_of(4) +
                            "[[material]]\nconductivity = \"0.02 + u\"\n[[initial]]\nu = \"exp(-60*x)\"\n" +
                            boundary("left", "dirichlet", "value = 1") + quantity("mean", "average", "u") +
                            "[newton]\ntangent = \"picard\"\n" + time_to(0.02, 0.005, "bdf2");
  expect_same(run(front + pmg), run(front + jacobi));
}

TEST(OrderMultigridDecks, StandInRowsAtOrderOneWhateverTheFormat) {
  const std::string deck = poisson("quad", 4, "");
  expect_same(run(deck + pmg + "[matrix]\nformat = \"ell\"\n"), run(deck + direct));
}

/// Explicit steps solve no systems: the deck is told so once, and it is no error that there are no lower orders.
TEST(OrderMultigridDecks, AreNotAskedForByExplicitSteps) {
  for (const int order : {1, 2}) {
    const std::string deck = box_mesh("quad", {1, 1}, {4, 4}) + heat_of(order, "mass = \"lumped\"\n") +
                             boundary("left", "dirichlet", "value = 1") + quantity("mean", "average", "u") +
                             "[time]\nend = 0.01\nstep = 0.001\nscheme = \"rkc\"\n";
    const std::string file = write_deck("explicit.toml", deck + pmg);
    for (const std::string& command :
         {"check " + file, "run " + file + " --output " + (folder() / "explicit").string()}) {
      const Result result = app_test::tessera(command + " --backend threads");
      EXPECT_EQ(result.code, 0) << result.text;
      EXPECT_TRUE(result.says("[solver] has no effect")) << result.text;
      EXPECT_FALSE(result.says("goes from the order")) << result.text;
    }
    expect_same(run(deck + pmg), run(deck));
  }
}

TEST(OrderMultigridDecks, AreRefusedWhereThereAreNoLowerOrders) {
  const auto refused = [](const std::string& deck, const std::string& why) {
    const std::string file = write_deck("refused.toml", deck);
    for (const char* command : {"check ", "run "}) {
      const Result result = app_test::tessera(command + file + " --backend threads");
      EXPECT_EQ(result.code, 2) << result.text;
      EXPECT_TRUE(result.says(why)) << result.text;
    }
  };
  refused(poisson("quad", 1, pmg), "goes from the order of the elements down to 1, and physics.order = 1");
  refused(box_mesh("quad", {1, 1}, {4, 4}) +
              "[physics]\ntype = \"heat\"\norder = 2\n[[material]]\nvelocity = [\"1\", \"0\"]\n" +
              boundary("left", "dirichlet", "value = 1") + "[time]\nend = 1\nstep = 0.1\n" +
              "[solver]\ntype = \"bicgstab\"\npreconditioner = \"pmg\"\n",
          "takes the matrix for symmetric");
}

}  // namespace
