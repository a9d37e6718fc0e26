// Implicit runs whose matrices change: set-ups are kept, and runs go on with them from checkpoints.
#include "app/ranks.hpp"
#include "app/transient.hpp"

namespace {

using namespace app_test;

/// Diffusion along x becomes faster with t, so that multigrid would make other aggregates of later matrices. What rests
/// is a constant for some steps, whose systems are solved but for rounding before anything is made of their matrices.
std::string deck_of(const std::string& along_x, const std::string& scheme, const std::string& solver, bool rests,
                    int order) {
  const std::string moved = "source = \"1 + sin(9*t)\"\n" + dirichlet_on("[\"left\"]", "sin(9*t)"),
                    resting = "source = \"100*max(0, t - 0.03)*x\"\n" + dirichlet_on("[\"left\"]", "1") +
                              "[[initial]]\nu = \"1\"\n";
  return box_of("quad", 2, 40 / order) + heat_of(order) + "[[material]]\nconductivity = [\"" + along_x +
         "\", \"0\", \"1\"]\n" + (rests ? resting : moved) + "[time]\nend = 0.1\n" + scheme +
         "[output]\nevery = 100\n[checkpoint]\nevery = 3\nkeep = 1000\n[solver]\n" + "tolerance = 1e-10\n" + solver;
}

struct Kept {
  const char *name, *along_x;
  std::string scheme, solver;
  int most_set_ups;  ///< of the whole run; 0: as many as it likes
  int ranks = 1;
  int least_set_ups = 1;
  bool rests = false;
  int order = 1;
};
void PrintTo(const Kept& kept, std::ostream* stream) { *stream << kept.name; }
class KeptSetUp : public ::testing::TestWithParam<Kept> {};

TEST_P(KeptSetUp, GoesOnBitwise) {
  const Kept& of = GetParam();
  if (of.ranks > 1) SKIP_WITHOUT_MPI();
  const auto start = [&](const std::string& arguments) {
    return of.ranks == 1 ? app_test::tessera(arguments) : on_ranks(of.ranks, arguments);
  };
  const std::string deck = write_deck(std::string("kept_") + of.name + ".toml",
                                      deck_of(of.along_x, of.scheme, of.solver, of.rests, of.order));
  const fs::path whole = folder() / "kept_whole" / of.name, half = folder() / "kept_half" / of.name;
  for (const fs::path& out : {whole, half}) {
    const Result result = start("run " + deck + " --quiet --backend threads --output " + out.string());
    ASSERT_EQ(result.code, 0) << result.text;
  }
  const nlohmann::json summary = summary_in(whole);
  EXPECT_GT(summary["time"]["matrices"].get<int>(), 10);
  const int set_ups = summary["time"]["set_ups"].get<int>();
  EXPECT_GE(set_ups, of.least_set_ups);
  EXPECT_TRUE(of.most_set_ups == 0 || set_ups <= of.most_set_ups) << set_ups;
  // As if it had been killed half-way.
  std::vector<fs::path> checkpoints;
  for (const auto& entry : fs::directory_iterator(half))
    if (entry.path().extension() == ".tsr") checkpoints.push_back(entry.path());
  std::sort(checkpoints.begin(), checkpoints.end());
  ASSERT_GT(checkpoints.size(), 3u);
  for (std::size_t i = of.rests ? 1 : checkpoints.size() / 2; i < checkpoints.size(); ++i) fs::remove(checkpoints[i]);
  const Result result = start("restart " + half.string() + " --quiet");
  ASSERT_EQ(result.code, 0) << result.text;
  EXPECT_EQ(summary_in(half)["time"]["steps"], summary["time"]["steps"]);
  const std::string last = fmt::format("solution_{:06}.vtu", summary["time"]["steps"].get<int>());
  EXPECT_EQ(bytes_of(whole / last), bytes_of(half / last));
}

const char *const slowly = "1 + 30*t", *const fast = "1 + 3000*t", *const of_u = "1 + 30*t + u^2",
                  *const fast_of_u = "1 + 3000*t + 300*u^2";
const std::string bdf2 = "step = 0.004\n", chosen = "tolerance = 1e-4\n";
INSTANTIATE_TEST_SUITE_P(
    Solvers, KeptSetUp,
    ::testing::Values(Kept{"amg", slowly, bdf2, "preconditioner = \"amg\"\n", 2},
                      Kept{"amg_worn", fast, bdf2, "preconditioner = \"amg\"\n", 0, 1, 2},
                      Kept{"amg_chosen", slowly, chosen, "preconditioner = \"amg\"\n", 0},
                      Kept{"amg_sdirk2", slowly, bdf2 + "scheme = \"sdirk2\"\n", "preconditioner = \"amg\"\n", 2},
                      Kept{"ssor", slowly, bdf2, "preconditioner = \"ssor\"\n", 2},
                      Kept{"chebyshev", slowly, bdf2, "preconditioner = \"chebyshev\"\n", 2},
                      Kept{"direct", slowly, bdf2, "type = \"direct\"\n", 1},
                      Kept{"pmg", slowly, bdf2, "preconditioner = \"pmg\"\n", 2, 1, 1, false, 2},
                      Kept{"pmg_worn", fast, bdf2, "preconditioner = \"pmg\"\n", 0, 1, 2, false, 4},
                      Kept{"ell", slowly, bdf2 + "[matrix]\nformat = \"ell\"\n", "preconditioner = \"jacobi\"\n", 2},
                      Kept{"amg_on_two", slowly, bdf2, "preconditioner = \"amg\"\n", 2, 2},
                      Kept{"amg_worn_on_two", fast, bdf2, "preconditioner = \"amg\"\n", 0, 2, 2},
                      Kept{"mixed_on_three", slowly, bdf2 + "[run]\nprecision = \"mixed\"\n",
                           "preconditioner = \"chebyshev\"\n", 2, 3},
                      Kept{"ell_on_two", slowly, bdf2 + "[matrix]\nformat = \"ell\"\n", "preconditioner = \"jacobi\"\n",
                           2, 2}),
    [](const auto& info) { return std::string(info.param.name); });

INSTANTIATE_TEST_SUITE_P(AtRest, KeptSetUp,
                         ::testing::Values(Kept{"amg_at_rest", "1 + 300*t", bdf2, "preconditioner = \"amg\"\n", 0, 1, 1,
                                                true}),
                         [](const auto& info) { return std::string(info.param.name); });

INSTANTIATE_TEST_SUITE_P(
    Newton, KeptSetUp,
    ::testing::Values(Kept{"jacobi_of_u", of_u, bdf2, "preconditioner = \"jacobi\"\n", 4},
                      Kept{"ssor_of_u", of_u, bdf2, "preconditioner = \"ssor\"\n", 2},
                      Kept{"amg_of_u", of_u, bdf2, "preconditioner = \"amg\"\n", 2},
                      Kept{"amg_of_u_sdirk2", of_u, bdf2 + "scheme = \"sdirk2\"\n", "preconditioner = \"amg\"\n", 2},
                      Kept{"amg_of_u_worn", fast_of_u, bdf2, "preconditioner = \"amg\"\n", 0, 1, 2},
                      Kept{"amg_of_u_chosen", of_u, chosen, "preconditioner = \"amg\"\n", 0},
                      Kept{"direct_of_u", of_u, bdf2, "type = \"lu\"\n", 1},
                      Kept{"pmg_of_u", of_u, bdf2 + "[newton]\ntangent = \"picard\"\n", "preconditioner = \"pmg\"\n", 2,
                           1, 1, false, 4},
                      Kept{"amg_of_u_on_two", of_u, "step = 0.008\n", "preconditioner = \"amg\"\n", 2, 2}),
    [](const auto& info) { return std::string(info.param.name); });

/// Whatever else changes in time.
TEST(KeptSetUp, OfConstantCoefficientsIsMadeOnceOnAnyNumberOfRanks) {
  SKIP_WITHOUT_MPI();
  const std::string deck = write_deck(
      "kept_once.toml", box_of("quad", 2, 12) + "[physics]\ntype = \"heat\"\n[[material]]\nsource = \"x*t\"\n" +
                            dirichlet_on("[\"left\"]", "sin(9*t)") +
                            "[time]\nend = 1.5\nstep = 0.1\nscheme = \"sdirk2\"\n[solver]\ntolerance = 1e-12\n");
  for (const int ranks : {1, 2, 4}) {
    const fs::path out = out_of("kept_once", ranks);
    const std::string arguments = "run " + deck + " --quiet --backend threads --output " + out.string();
    const Result result = ranks == 1 ? app_test::tessera(arguments) : on_ranks(ranks, arguments);
    ASSERT_EQ(result.code, 0) << result.text;
    const nlohmann::json time = summary_in(out)["time"];
    EXPECT_EQ(time["systems"], 30) << ranks;
    EXPECT_EQ(time["matrices"], 1) << ranks;
    EXPECT_EQ(time["set_ups"], 1) << ranks;
  }
}

}  // namespace
