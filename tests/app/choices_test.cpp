// Strategies, formats, precisions, solvers and preconditioners that a deck may choose: each gives the same answer, the
// summary says what was taken and why, and what does not go together is refused.
#include "app/program.hpp"

namespace {

using namespace app_test;

/// A body of two materials with a Dirichlet, a Neumann and a Robin side.
std::string deck_of(const std::string& shape, int order) {
  return write_deck("choices_" + shape + std::to_string(order) + ".toml", R"deck([mesh]
box = { min = [0, 0, 0], max = [1, 1, 1], cells = [4, 4, 4], shape = ")deck" + shape +
                                                                              R"deck(" }
[run]
backend = "threads"
[physics]
type = "poisson"
order = )deck" + std::to_string(order) + R"deck(
[[material]]
diffusivity = "1 + x"
reaction = "0.5"
source = "10*y"
[[boundary]]
on = "left"
type = "dirichlet"
value = "z"
[[boundary]]
on = "right"
type = "neumann"
value = "1"
[[boundary]]
on = "top"
type = "robin"
alpha = "2"
value = "x"
[solver]
tolerance = 1e-10
[[quantity]]
name = "average"
kind = "average"
)deck");
}

/// Runs with settings such as "assembly.strategy=atomic"; returns the summary.
nlohmann::json run(const std::string& deck, const std::vector<std::string>& settings) {
  std::string arguments = "run " + deck + " --quiet --output " + (folder() / "choices").string();
  for (const std::string& setting : settings) {
    const std::size_t equals = setting.find('=');
    arguments += " --set '" + setting.substr(0, equals) + "=\"" + setting.substr(equals + 1) + "\"'";
  }
  const Result result = app_test::tessera(arguments);
  EXPECT_EQ(result.code, 0) << arguments << "\n" << result.text;
  return summary_in(folder() / "choices");
}

void expect_same_answer(const std::string& deck, const std::vector<std::vector<std::string>>& choices,
                        double tolerance = 1e-8) {
  const double expected = run(deck, {"assembly.strategy=colour", "matrix.format=crs"})["quantities"]["average"];
  for (const auto& settings : choices) {
    const nlohmann::json summary = run(deck, settings);
    EXPECT_NEAR(summary["quantities"]["average"].get<double>(), expected, tolerance * expected) << settings.front();
  }
}

TEST(Choices, EveryStrategyGivesTheSameAnswer) {
  for (const char* strategy : {"nonzeros", "colour", "colour_blocks", "atomic", "two_pass", "shared", "matrix_free"}) {
    expect_same_answer(deck_of("tet", 1), {{"assembly.strategy=" + std::string(strategy)}});
    const nlohmann::json summary = summary_in(folder() / "choices");
    EXPECT_EQ(summary["assembly"]["strategy"], strategy);
    EXPECT_EQ(summary["backend"]["deterministic"], std::string(strategy) != "atomic");
  }
}

TEST(Choices, EveryFormatGivesTheSameAnswer) {
  for (const char* format : {"crs", "ell", "sliced_ell", "packed_ell", "cmrs"}) {
    expect_same_answer(deck_of("tet", 2), {{"matrix.format=" + std::string(format)}});
    EXPECT_EQ(summary_in(folder() / "choices")["matrix"]["format"], format);
  }
}

TEST(Choices, EverySolverPreconditionerAndPrecisionGivesTheSameAnswer) {
  expect_same_answer(deck_of("tet", 1), {{"run.precision=mixed"},
                                         {"run.precision=mixed", "matrix.format=packed_ell"},
                                         {"solver.variant=single_reduction"},
                                         {"solver.type=minres"},
                                         {"solver.type=bicgstab"},
                                         {"solver.type=gmres"},
                                         {"solver.type=direct"},
                                         {"solver.preconditioner=none"},
                                         {"solver.preconditioner=ssor"},
                                         {"solver.preconditioner=multicolour_ssor"},
                                         {"solver.preconditioner=chebyshev"},
                                         {"solver.preconditioner=amg"},
                                         {"solver.preconditioner=amg", "run.precision=mixed"},
                                         {"solver.preconditioner=chebyshev", "assembly.strategy=matrix_free"}});
  EXPECT_EQ(run(deck_of("tet", 1), {"run.precision=mixed"})["backend"]["precision"], "mixed");
}

TEST(Choices, MultigridSaysWhatItsLevelsAre) {
  const fs::path out = folder() / "multigrid";
  const Result result = app_test::tessera(
      "run " + deck_of("tet", 1) + " --quiet --set solver.preconditioner=amg --set solver.coarsest_rows=20 --output " +
      out.string());
  ASSERT_EQ(result.code, 0) << result.text;
  const nlohmann::json summary = summary_in(out);
  const nlohmann::json multigrid = summary["solver"]["multigrid"];
  ASSERT_GE(multigrid["levels"], 2);
  EXPECT_EQ(multigrid["rows"].size(), multigrid["levels"]);
  EXPECT_EQ(multigrid["rows"][0], summary["space"]["dofs"]);
  EXPECT_EQ(multigrid["entries"][0], summary["space"]["nnz"]);
  EXPECT_GT(multigrid["operator_complexity"], 1);
  EXPECT_GT(multigrid["set_up_seconds"], 0);
  EXPECT_GT(multigrid["cycle_seconds"], 0);
  EXPECT_EQ(summary["matrix"]["format"], "crs");
  EXPECT_FALSE(run(deck_of("tet", 1), {})["solver"].contains("multigrid"));
}

/// A unit square of triangles that is held on its left side.
std::string held_square(const std::string& name, int cells, const std::string& physics, const std::string& material,
                        const std::string& value) {
  const std::string n = std::to_string(cells);
  return write_deck(name + ".toml", "[mesh]\nbox = { min = [0, 0], max = [1, 1], cells = [" + n + ", " + n +
                                        "], shape = \"triangle\" }\n[run]\nbackend = \"threads\"\n[physics]\n" +
                                        physics + "\n[[material]]\n" + material +
                                        "\nsource = 1\n[[boundary]]\non = \"left\"\ntype = \"dirichlet\"\nvalue = " +
                                        value + "\n[[quantity]]\nname = \"average\"\nkind = \"average\"\n");
}

/// 160^2 cells of triangles, for which jacobi takes some 500 iterations.
TEST(Choices, AutoTakesMultigridWhereItsSetUpPays) {
  const std::string deck = held_square("multigrid_pays", 160, "type = \"heat\"", "conductivity = 1", "\"y\"");
  const nlohmann::json taken = run(deck, {}), jacobi = run(deck, {"solver.preconditioner=jacobi"});
  EXPECT_EQ(taken["solver"]["preconditioner"], "amg");
  EXPECT_TRUE(taken["solver"]["why"].get<std::string>().ends_with("more than the set-up of amg is worth"));
  EXPECT_LT(taken["solver"]["iterations"], 20);
  EXPECT_GT(jacobi["solver"]["iterations"], 300);
  EXPECT_FALSE(jacobi["solver"].contains("why"));
  EXPECT_NEAR(taken["quantities"]["average"].get<double>(), jacobi["quantities"]["average"], 1e-6);
  EXPECT_EQ(run(deck, {"solver.type=bicgstab"})["solver"]["preconditioner"], "jacobi");
  EXPECT_EQ(run(deck, {"matrix.format=packed_ell"})["solver"]["preconditioner"], "jacobi");
  EXPECT_EQ(run(deck, {"assembly.strategy=matrix_free"})["solver"]["preconditioner"], "jacobi");
  EXPECT_EQ(run(deck, {"solver.preconditioner=auto", "run.precision=mixed"})["solver"]["preconditioner"], "amg");
  const Result steps =
      app_test::tessera("run " + deck + " --quiet --set time.end=0.002 --set time.step=0.001 --output " +
                        (folder() / "choices").string());
  ASSERT_EQ(steps.code, 0) << steps.text;
  EXPECT_EQ(summary_in(folder() / "choices")["solver"]["preconditioner"], "jacobi");
}

/// 80^2 cells of order 2, for which jacobi takes some 900 iterations.
TEST(Choices, AutoGoesOverOrdersWithAMatrixAndWithout) {
  const std::string deck =
      held_square("orders_pay", 80, "type = \"poisson\"\norder = 2", "diffusivity = \"1 + x\"", "\"y\"");
  const nlohmann::json jacobi = run(deck, {"solver.preconditioner=jacobi"});
  EXPECT_GT(jacobi["solver"]["iterations"], 300);
  for (const char* strategy : {"auto", "matrix_free"}) {
    const nlohmann::json taken = run(deck, {std::string("assembly.strategy=") + strategy});
    EXPECT_EQ(taken["solver"]["preconditioner"], "pmg") << strategy;
    EXPECT_TRUE(taken["solver"]["why"].get<std::string>().ends_with("more than the set-up of pmg is worth"));
    EXPECT_LT(taken["solver"]["iterations"], 20);
    EXPECT_NEAR(taken["quantities"]["average"].get<double>(), jacobi["quantities"]["average"], 1e-6);
    // Nobody counts the entries of orders.
    EXPECT_EQ(taken["solver"]["multigrid"]["rows"].size(), taken["solver"]["multigrid"]["levels"]);
    EXPECT_FALSE(taken["solver"]["multigrid"].contains("entries"));
    EXPECT_FALSE(taken["solver"]["multigrid"].contains("operator_complexity"));
  }
  EXPECT_EQ(run(deck, {"matrix.format=crs"})["solver"]["preconditioner"], "amg");
}

/// At resonance nothing that takes the matrix for definite goes on, but it is jacobi that says so.
TEST(Choices, WhatWasChosenMakesWayWhereItDoesNotSuit) {
  const std::string deck =
      held_square("orders_fail", 72, "type = \"poisson\"\norder = 2", "diffusivity = 1\nreaction = -200", "0");
  const Result result = app_test::tessera("run " + deck + " --quiet --output " + (folder() / "makes_way").string());
  EXPECT_EQ(result.code, 4) << result.text;
  EXPECT_NE(result.text.find("pmg, which was chosen automatically, does not suit this matrix: jacobi takes its place"),
            std::string::npos)
      << result.text;
  EXPECT_EQ(summary_in(folder() / "makes_way")["solver"]["preconditioner"], "jacobi");
}

TEST(Choices, FiniteDifferencesTakeJacobiWhereNothingIsSaid) {
  const std::string deck = write_deck("differences.toml", R"deck([mesh]
box = { min = [0, 0], max = [1, 1], cells = [12, 12], shape = "quad" }
[physics]
type = "poisson"
discretisation = "finite_difference"
[[material]]
diffusivity = 1
source = 1
[[boundary]]
on = ["left", "right", "bottom", "top"]
type = "dirichlet"
value = 0
[solver]
type = "cg"
)deck");
  for (const char* command : {"run ", "check "}) {
    const Result result = app_test::tessera(command + deck);
    EXPECT_EQ(result.code, 0) << result.text;
  }
}

TEST(Choices, AutoSaysWhatItTookAndWhy) {
  const nlohmann::json tets = run(deck_of("tet", 1), {});
  EXPECT_EQ(tets["assembly"]["strategy"], "colour");
  EXPECT_FALSE(tets["assembly"]["why"].get<std::string>().empty());
  EXPECT_FALSE(tets["matrix"]["why"].get<std::string>().empty());
  const nlohmann::json hexes = run(deck_of("hex", 3), {});
  EXPECT_EQ(hexes["assembly"]["strategy"], "matrix_free");
  EXPECT_FALSE(hexes["space"].contains("nnz"));
  // The preconditioner decides what the matrix must be.
  EXPECT_EQ(run(deck_of("hex", 3), {"solver.preconditioner=ssor"})["matrix"]["format"], "crs");
  expect_same_answer(deck_of("hex", 3), {{"assembly.strategy=auto"}});
}

TEST(Choices, ARunCanLeaveOutTheFields) {
  const fs::path out = folder() / "no_fields";
  const Result result =
      app_test::tessera("run " + deck_of("tet", 1) + " --quiet --set output.write=false --output " + out.string());
  EXPECT_EQ(result.code, 0) << result.text;
  EXPECT_EQ(summary_in(out)["status"], "ok");
  EXPECT_FALSE(fs::exists(out / "solution.vtu"));
}

struct Refused {
  std::string shape;
  int order;
  std::string settings;
  std::string says;
};

TEST(Choices, WhatDoesNotGoTogetherIsRefused) {
  const Refused all[] = {
      {"tet", 1, "--set assembly.strategy='\"matrix_free\"' --set matrix.format='\"ell\"'", "there is no matrix"},
      {"tet", 1, "--set assembly.strategy='\"matrix_free\"' --set solver.type='\"direct\"'", "needs the entries"},
      {"hex", 2, "--set assembly.strategy='\"matrix_free\"' --set solver.preconditioner='\"ssor\"'",
       "needs the entries"},
      {"hex", 6, "--set assembly.strategy='\"colour\"'", "a matrix of order 6 is not assembled"},
      {"tet", 1, "--set matrix.format='\"sliced_ell\"' --set solver.preconditioner='\"ssor\"'", "in CRS"},
      {"tet", 1, "--set run.precision='\"float\"'", "finer than single precision"},
      {"tet", 1, "--set assembly.strategy='\"coloured\"'", "did you mean"},
      {"tet", 1, "--set matrix.format='\"csr\"'", "crs"},
  };
  for (const Refused& refused : all) {
    const std::string deck = deck_of(refused.shape, refused.order);
    const Result result = app_test::tessera("run " + deck + " --quiet --output " + (folder() / "refused").string() +
                                            " " + refused.settings);
    EXPECT_EQ(result.code, 2) << refused.settings << "\n" << result.text;
    EXPECT_TRUE(result.says(refused.says)) << refused.settings << "\n" << result.text;
    EXPECT_TRUE(result.says("help: ")) << result.text;
  }
}

}  // namespace
