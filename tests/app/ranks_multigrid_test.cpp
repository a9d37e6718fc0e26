// Algebraic multigrid on several ranks, as mpirun starts it: the iterations of one rank for the same solution.
#include <algorithm>

#include "app/ranks.hpp"
#include "base/backend.hpp"
#include "base/rank_libraries.hpp"

namespace {

using namespace app_test;

/// Levels of small meshes that ranks share.
const std::string amg =
    "[solver]\npreconditioner = \"amg\"\ntolerance = 1e-10\ncoarsest_rows = 50\ngathered_rows = 150\n";

const std::string beam =
    "[mesh]\nbox = { max = [5, 1, 1], cells = [25, 5, 5], shape = \"hex\" }\n[physics]\ntype = \"elasticity\"\n"
    "[[material]]\nyoung = 2\npoisson = 0.3\nbody_force = [\"0\", \"y\", \"-1\"]\n[[boundary]]\non = [\"left\"]\n"
    "type = \"displacement\"\nvalue = [\"0\", \"0\", \"0\"]\n";

const std::string tets = box_of("tet", 3, 14) + poisson_of(1) +
                         "[[material]]\ndiffusivity = \"1 + 99*x^4\"\nsource = 1\n" +
                         dirichlet_on("[\"left\", \"top\"]", "y");

void expect_iterations_of_one(const std::string& name, const std::string& deck, const std::string& options = "") {
  const nlohmann::json one = run_on(1, name, deck, options);
  ASSERT_FALSE(one.is_discarded());
  const int iterations = one["solver"]["iterations"];
  for (const int ranks : {2, 3}) {
    const nlohmann::json many = run_on(ranks, name, deck, options);
    ASSERT_FALSE(many.is_discarded());
    EXPECT_LE(int(many["solver"]["iterations"]), std::max(iterations + 1, iterations * 11 / 10)) << name << ranks;
    const nlohmann::json& levels = many["solver"]["multigrid"];
    EXPECT_EQ(levels["rows"][0], one["solver"]["multigrid"]["rows"][0]) << name;
    EXPECT_EQ(levels["entries"][0], one["solver"]["multigrid"]["entries"][0]) << name;
    EXPECT_GE(int(levels["levels"]), 3) << name;
    EXPECT_LT(double(levels["operator_complexity"]), 1.4 * double(one["solver"]["multigrid"]["operator_complexity"]));
    const Result compared =
        app_test::tessera("compare " + (out_of(name, 1) / "solution.vtu").string() + " " +
                          (out_of(name, ranks) / "solution.vtu").string() + " --rtol 1e-6 --atol 1e-6");
    EXPECT_EQ(compared.code, 0) << name << " on " << ranks << "\n" << compared.text;
  }
}

TEST(MultigridOnRanks, TakesTheIterationsOfOne) {
  SKIP_WITHOUT_MPI();
  expect_iterations_of_one("amg_tets", tets + amg);
  expect_iterations_of_one("amg_mixed", tets + amg, "--set run.precision='\"mixed\"' --set mesh.partition='\"curve\"'");
}

TEST(MultigridOnRanks, KnowsTheMotionsOfParts) {
  SKIP_WITHOUT_MPI();
  expect_iterations_of_one("amg_beam", beam + amg, "--set matrix.format='\"block_sliced_ell\"'");
}

/// Steps of several lengths, for each of which numbers are redone.
TEST(MultigridOnRanks, FollowsSteps) {
  SKIP_WITHOUT_MPI();
  const std::string deck = box_of("tet", 3, 10) +
                           "[physics]\ntype = \"heat\"\n[[material]]\nconductivity = 1\nheat_capacity = 1\n" +
                           dirichlet_on("[\"left\"]", "t") +
                           "[time]\nend = 1\nscheme = \"bdf2\"\ntolerance = 1e-3\n[[initial]]\nu = \"0\"\n";
  const auto total = [&](int ranks) {
    const nlohmann::json summary = run_on(ranks, "amg_heat", deck + amg);
    return summary.is_discarded() ? -1 : int(summary["time"]["iterations"]);
  };
  const int one = total(1);
  for (const int ranks : {2, 3}) {
    const int many = total(ranks);
    EXPECT_GT(many, 0) << ranks;
    EXPECT_LE(many, 1.15 * one) << ranks;
  }
}

/// Where it pays for the whole, and the same on every rank: else they would wait for each other.
TEST(MultigridOnRanks, IsChosenByAllOfThem) {
  SKIP_WITHOUT_MPI();
  const std::string heat = poisson_of(1) + dirichlet_on("[\"left\"]", "y"), fine = box_of("triangle", 2, 260) + heat;
  for (const int ranks : {1, 2, 3}) {
    const nlohmann::json summary = run_on(ranks, "auto_fine", fine, "--set output.formats=[]");
    ASSERT_FALSE(summary.is_discarded());
    EXPECT_EQ(summary["solver"]["preconditioner"], "amg") << ranks;
    EXPECT_NE(std::string(summary["solver"]["why"]).find("iterations of jacobi"), std::string::npos) << ranks;
    EXPECT_LT(int(summary["solver"]["iterations"]), 20) << ranks;
  }
  const nlohmann::json coarse = run_on(2, "auto_coarse", box_of("triangle", 2, 30) + heat);
  ASSERT_FALSE(coarse.is_discarded());
  EXPECT_EQ(coarse["solver"]["preconditioner"], "jacobi");
  const Result check = app_test::tessera("check --ranks 2 " + write_deck("auto_check.toml", fine));
  EXPECT_EQ(check.code, 0) << check.text;
}

TEST(MultigridOnGpus, TakesTheIterationsOfOneOverEveryLink) {
  SKIP_WITHOUT_MPI();
  if (tessera::cuda_info().devices < 2) GTEST_SKIP() << "fewer than two GPUs";
  const auto options = [](const fs::path& out) {
    return " --quiet --backend cuda --set output.fields='[\"u\"]' --output " + out.string();
  };
  for (const auto& [name, text] : {std::pair{"amg_gpu_tets", tets + amg}, {"amg_gpu_beam", beam + amg}}) {
    const std::string deck = "run " + write_deck(std::string(name) + ".toml", text);
    const fs::path one = out_of(name, 1);
    ASSERT_EQ(app_test::tessera(deck + options(one)).code, 0);
    const int iterations = summary_in(one)["solver"]["iterations"];
    for (const char* link : {"peer", "nccl", "host"}) {
      if (link == std::string("nccl") && !tessera::find_nccl().problem.empty()) continue;
      const fs::path out = out_of(std::string(name) + link, 2), again = out_of(std::string(name) + link + "_again", 2);
      for (const fs::path& to : {out, again}) {
        const Result result =
            shell(std::string("TESSERA_LINK=") + link + " " + mpirun + "-n 2 " + program() + " " + deck + options(to));
        ASSERT_EQ(result.code, 0) << result.text;
      }
      EXPECT_LE(int(summary_in(out)["solver"]["iterations"]), std::max(iterations + 1, iterations * 11 / 10)) << link;
      EXPECT_EQ(bytes_of(out / "solution.vtu"), bytes_of(again / "solution.vtu")) << name << " over " << link;
      const Result compared = app_test::tessera("compare " + (one / "solution.vtu").string() + " " +
                                                (out / "solution.vtu").string() + " --rtol 1e-6 --atol 1e-6");
      EXPECT_EQ(compared.code, 0) << name << " over " << link << "\n" << compared.text;
    }
  }
}

}  // namespace
