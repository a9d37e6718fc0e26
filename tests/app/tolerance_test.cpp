// What the tolerance promises: errors that do not depend on the level of the data, and solvers that are judged fairly.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "app/gpu.hpp"
#include "app/program.hpp"

namespace {

using namespace app_test;

/// An L, [-1, 1]^2 without the quarter x > 0, y < 0, between lines at +-0.15^i: cells to the corner have sides of 1 and
/// 1e-10.
std::string graded_corner() {
  std::vector<double> lines{0};
  for (int i = 0; i <= 12; ++i) lines.insert(lines.end(), {std::pow(0.15, i), -std::pow(0.15, i)});
  std::sort(lines.begin(), lines.end());
  const int n = static_cast<int>(lines.size()), zero = n / 2;
  std::map<std::pair<int, int>, int> number;
  std::vector<std::array<int, 3>> triangles;
  std::map<std::pair<int, int>, int> sides;
  const auto node = [&](int i, int j) {
    return number.try_emplace({i, j}, static_cast<int>(number.size()) + 1).first->second;
  };
  for (int j = 0; j + 1 < n; ++j)
    for (int i = 0; i + 1 < n; ++i) {
      if (i >= zero && j < zero) continue;
      const int a = node(i, j), b = node(i + 1, j), c = node(i + 1, j + 1), d = node(i, j + 1);
      for (const std::array<int, 3>& t : {std::array{a, b, c}, std::array{a, c, d}}) {
        triangles.push_back(t);
        for (int k = 0; k < 3; ++k) ++sides[std::minmax(t[k], t[(k + 1) % 3])];
      }
    }
  std::erase_if(sides, [](const auto& side) { return side.second == 2; });
  const std::string path = (folder() / "graded_corner.msh").string();
  std::ofstream file(path);
  file.precision(17);
  file << "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n1 1 \"rim\"\n2 2 "
          "\"domain\"\n$EndPhysicalNames\n$Nodes\n"
       << number.size() << "\n";
  std::map<int, std::pair<int, int>> place;
  for (const auto& [at, index] : number) place[index] = at;
  for (const auto& [index, at] : place) file << index << " " << lines[at.first] << " " << lines[at.second] << " 0\n";
  file << "$EndNodes\n$Elements\n" << sides.size() + triangles.size() << "\n";
  int element = 0;
  for (const auto& [side, count] : sides) file << ++element << " 1 2 1 1 " << side.first << " " << side.second << "\n";
  for (const auto& t : triangles) file << ++element << " 2 2 2 1 " << t[0] << " " << t[1] << " " << t[2] << "\n";
  file << "$EndElements\n";
  return path;
}

std::string corner_deck() {
  return write_deck("corner.toml", "[mesh]\nfile = \"" + graded_corner() + R"("
[physics]
type = "poisson"
[[material]]
source = "1"
[[boundary]]
on = "rim"
type = "dirichlet"
value = "x^2"
[solver]
type = "cg"
[[quantity]]
name = "u"
kind = "value"
at = [-0.5, 0.5]
[[quantity]]
name = "average"
kind = "average"
[output]
write = false
)");
}

nlohmann::json run(const std::string& deck, const std::string& options, int code = 0) {
  const fs::path out = folder() / "tolerance";
  fs::remove_all(out);
  const Result result = app_test::tessera("run " + deck + " --quiet " + options + " --output " + out.string());
  EXPECT_EQ(result.code, code) << options << "\n" << result.text;
  return summary_in(out);
}

std::vector<std::string> backends() {
  return has_gpu() ? std::vector<std::string>{"threads", "cuda"} : std::vector<std::string>{"threads"};
}

TEST(Tolerance, HoldsOnAMeshGradedToACornerAtEveryLevel) {
  const std::string deck = corner_deck();
  const auto exact = run(deck, "--backend threads --set solver.type=direct");
  const double u = exact["quantities"]["u"], average = exact["quantities"]["average"];
  EXPECT_GT(average, 0.5);  // 0.4596 where fixed rows counted
  for (const std::string& backend : backends())
    for (const char* level : {"0", "293", "1e6"}) {
      SCOPED_TRACE(backend + " " + level);
      for (const char* solver : {"cg", "direct"}) {
        if (solver == std::string("direct") && backend == "cuda") continue;
        const auto found =
            run(deck, "--backend " + backend + " --set solver.type=" + solver + " --set boundary.0.value=x^2+" + level);
        // What rounding of the data leaves: a flow of 1e-16 1e10.
        EXPECT_NEAR(found["quantities"]["u"].get<double>() - std::stod(level), u, 3e-7);
        EXPECT_NEAR(found["quantities"]["average"].get<double>() - std::stod(level), average, 3e-7);
      }
    }
}

std::string square_deck(const std::string& more) {
  return write_deck("square.toml", R"([mesh]
box = { min = [0, 0], max = [1, 1], cells = [64, 64], shape = "quad" }
[physics]
type = "poisson"
order = 1
[[boundary]]
on = ["left", "right", "top", "bottom"]
type = "dirichlet"
value = "x^2-y^2+x"
[exact]
u = "x^2-y^2+x"
[output]
write = false
)" + more);
}

/// Errors of u minus the level are the same whatever the level is, but for rounding of the level itself.
TEST(Tolerance, IsThatOfTheProblemWithoutItsLevel) {
  const std::string deck = square_deck("");
  for (const std::string& backend : backends())
    for (const char* options :
         {"", "--set solver.type=minres", "--set solver.type=gmres", "--set solver.type=bicgstab",
          "--set solver.variant=single_reduction", "--set run.precision=mixed",
          "--set run.precision=float --set solver.tolerance=1e-4", "--set assembly.strategy=matrix_free",
          "--set solver.type=bcr", "--set solver.type=fft --set run.precision=float --set solver.tolerance=1e-4",
          "--set physics.discretisation=finite_difference"}) {
      SCOPED_TRACE(backend + " " + options);
      const std::string common = std::string("--backend ") + backend + " " + options;
      const auto plain = run(deck, common);
      for (const char* level : {"293", "1e6"}) {
        const std::string u = std::string("x^2-y^2+x+") + level;
        const auto raised = run(deck, common + " --set boundary.0.value=" + u + " --set exact.u=" + u);
        const double allowed = 1e-12 + 1e-15 * std::stod(level);
        EXPECT_NEAR(raised["errors"]["u"]["l2"].get<double>(), plain["errors"]["u"]["l2"].get<double>(), allowed);
        EXPECT_LE(std::abs(raised["solver"]["iterations"].get<int>() - plain["solver"]["iterations"].get<int>()), 2);
      }
    }
}

TEST(Tolerance, IsThatOfTheProblemWithoutItsLevelWithReactionAndRobin) {
  const std::string deck = write_deck("levels.toml", R"([mesh]
box = { min = [0, 0], max = [1, 1], cells = [32, 32], shape = "triangle" }
[physics]
type = "poisson"
[[material]]
reaction = "3+x"
source = "(3+x)*x"
[[boundary]]
on = ["left"]
type = "dirichlet"
value = "y"
[[boundary]]
on = ["right"]
type = "robin"
alpha = "2+y"
value = "1"
[[quantity]]
name = "u"
kind = "integral"
[output]
write = false
)");
  for (const std::string& backend : backends())
    for (const char* options : {"", "--set assembly.strategy=matrix_free"}) {
      const std::string common = "--backend " + backend + " " + options;
      const double plain = run(deck, common)["quantities"]["u"];
      const double raised = run(deck, common +
                                          " --set 'material.0.source=(3+x)*(x+1e6)' --set boundary.0.value=y+1e6"
                                          " --set 'boundary.1.value=1+(2+y)*1e6'")["quantities"]["u"];
      EXPECT_NEAR(raised - 1e6, plain, 2e-9);
    }
}

TEST(Tolerance, TakesAConstantForSolved) {
  for (const char* type : {"cg", "direct", "bcr"}) {
    const auto found = run(square_deck(""),
                           std::string("--set boundary.0.value=293.15 --set exact.u=293.15 --set solver.type=") + type);
    EXPECT_LE(found["errors"]["u"]["max"].get<double>(), 1e-12);
    EXPECT_EQ(found["solver"]["iterations"], 0);
    EXPECT_TRUE(found["solver"]["converged"].get<bool>());
  }
}

TEST(Tolerance, ComesWithAnEstimateOfTheEnergyError) {
  const auto found = run(square_deck(""), "");
  EXPECT_GT(found["solver"]["energy_error"].get<double>(), 0);
  EXPECT_LT(found["solver"]["relative_energy_error"].get<double>(), 1e-6);
  EXPECT_FALSE(run(square_deck(""), "--set solver.type=minres")["solver"].contains("energy_error"));
  EXPECT_LT(run(square_deck(""), "--set solver.type=direct")["solver"]["backward_error"].get<double>(), 4e-15);
}

TEST(Initial, IsWhereIterativeSolversStart) {
  // x is in the space, so a start that is the solution needs no iteration.
  for (const char* more : {"", "[solver]\ntype = \"gmres\"\n", "[run]\nprecision = \"mixed\"\n"}) {
    const auto found =
        run(square_deck(std::string("[[initial]]\nu = \"x\"\n") + more), "--set boundary.0.value=x --set exact.u=x");
    EXPECT_LE(found["solver"]["iterations"].get<int>(), 0) << more;
    EXPECT_LE(found["errors"]["u"]["max"].get<double>(), 1e-12);
  }
  const std::string good = "[[initial]]\nu = \"5\"\n[[initial]]\non = \"domain\"\nu = \"x^2-y^2+x+1e-4*sin(20*x)\"\n";
  const auto near = run(square_deck(good), ""), far = run(square_deck(""), "");
  EXPECT_LT(near["solver"]["iterations"].get<int>(), far["solver"]["iterations"].get<int>());
  EXPECT_NEAR(near["errors"]["u"]["l2"].get<double>(), far["errors"]["u"]["l2"].get<double>(), 1e-7);
  const std::string relaxed = write_deck("relaxed.toml", R"([mesh]
box = { min = [0, 0], max = [1, 1], cells = [16, 16], shape = "quad" }
[physics]
type = "convection_diffusion"
discretisation = "finite_difference"
[[boundary]]
on = ["left", "right", "top", "bottom"]
type = "dirichlet"
value = "7+x"
[[initial]]
u = "7+x"
[output]
write = false
)");
  EXPECT_EQ(run(relaxed, "")["solver"]["iterations"], 0);
  EXPECT_EQ(run(relaxed, "--set solver.type=gmres")["solver"]["iterations"], 0);
}

TEST(Initial, IsRefusedWhereNothingStarts) {
  for (const char* type : {"direct", "lu", "bcr", "fft"}) {
    const Result result =
        app_test::tessera("check " + square_deck("[[initial]]\nu = \"1\"\n") + " --set solver.type=" + type);
    EXPECT_EQ(result.code, 2) << result.text;
    EXPECT_TRUE(result.says("[[initial]] is where an iterative solver starts")) << result.text;
    EXPECT_TRUE(result.says("leave [[initial]] out")) << result.text;
  }
  const Result result = app_test::tessera("run " + square_deck("[[initial]]\non = \"dmain\"\nu = \"1\"\n"));
  EXPECT_EQ(result.code, 3) << result.text;
  EXPECT_TRUE(result.says("dmain")) << result.text;
}

TEST(Intervals, OfHighOrderNeedNoStrategy) {
  const std::string deck = write_deck("interval.toml", R"deck([mesh]
box = { min = [0], max = [1], cells = [4], shape = "interval" }
[physics]
type = "poisson"
[[material]]
source = "pi^2*sin(pi*x)"
[[boundary]]
on = ["left", "right"]
type = "dirichlet"
[exact]
u = "sin(pi*x)"
[output]
write = false
)deck");
  double before = 1;
  for (int order = 4; order <= 8; ++order) {
    const auto found = run(deck, "--set solver.tolerance=1e-13 --set physics.order=" + std::to_string(order));
    const double error = found["errors"]["u"]["l2"];
    EXPECT_LT(error, 0.3 * before) << order;
    before = error;
  }
  EXPECT_LT(before, 1e-9);
}

}  // namespace
