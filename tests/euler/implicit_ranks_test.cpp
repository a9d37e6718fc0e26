// Implicit steps of gases over ranks.
#include <cmath>

#include "app/ranks.hpp"
#include "decks.hpp"

namespace {

using namespace euler_decks;

const std::string low = euler + "limiter = \"none\"\n";
const std::string monolithic = euler + "limiter = \"monolithic\"\nmass = \"lumped\"\nrelaxed_bounds = false\n";
const std::string tight = "[newton]\ntolerance = 1e-11\nmax_iterations = 60\n";

std::string solver(const std::string& type, const std::string& preconditioner, const char* tolerance = "1e-12") {
  return fmt::format("[solver]\ntype = \"{}\"\npreconditioner = \"{}\"\ntolerance = {}\n", type, preconditioner,
                     tolerance);
}
/// All numbers of the state at a place, after each step.
std::string probe(const std::string& name, const std::string& at) {
  std::string deck;
  for (const char* of : {"density", "energy", "momentum_x", "momentum_y"})
    deck += fmt::format("[[probe]]\nname = \"{}_{}\"\nat = {}\nof = \"{}\"\n", name, of, at, of);
  return deck;
}

struct Run {
  nlohmann::json summary;
  fs::path probes;
};
Run start(const std::string& name, const std::string& deck, int ranks, const std::string& options = "") {
  const fs::path out = out_of(name, ranks);
  const std::string arguments =
      "run " + write_deck(name + ".toml", deck) + " --quiet --backend threads --output " + out.string() + " " + options;
  const Result result = ranks == 1 ? app_test::tessera(arguments) : on_ranks(ranks, arguments);
  EXPECT_EQ(result.code, 0) << name << " on " << ranks << "\n" << result.text;
  return {summary_in(out), out / "probes.csv"};
}

void expect_near(const fs::path& many, const fs::path& one, double tolerance, const std::string& what) {
  const auto rows = table(many), expected = table(one);
  ASSERT_EQ(rows.size(), expected.size()) << what;
  ASSERT_GT(rows.size(), 5U) << what;
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t k = 0; k < rows[i].size(); ++k)
      ASSERT_NEAR(rows[i][k], expected[i][k], tolerance * std::max(1.0, std::abs(expected[i][k])))
          << what << ", row " << i << ", column " << k;
}

/// The wedge with half as many nodes.
std::string coarse_wedge() {
  const std::string size = "size = 0.08";
  std::string deck = wedge();
  return deck.replace(deck.find(size), size.size(), "size = 0.12");
}

/// The same states on any number of ranks, with about the iterations of one, and bitwise the same each time.
void expect_those_of_one(const std::string& name, const std::string& deck, double more_iterations,
                         const std::vector<int>& numbers = {3}) {
  const Run one = start(name, deck, 1);
  const double iterations = one.summary["time"]["iterations"].get<double>();
  EXPECT_GT(iterations, 0);
  for (const int ranks : numbers) {
    const Run several = start(name, deck, ranks);
    expect_near(several.probes, one.probes, 1e-10, fmt::format("{} on {}", name, ranks));
    EXPECT_EQ(several.summary["time"]["steps"], one.summary["time"]["steps"]) << name;
    EXPECT_LE(several.summary["time"]["iterations"].get<double>(), more_iterations * iterations) << name;
    if (ranks != numbers.back()) continue;
    const std::string first = bytes_of(several.probes);
    EXPECT_EQ(bytes_of(start(name, deck, ranks).probes), first) << name;
  }
}

/// A bang in a closed box, and a wedge between inflow, outflow and walls: block_jacobi has the iterations of one rank,
/// block_ilu, which knows its own rank alone, a few more.
TEST(GasImplicitRanks, StepsThroughTimeAreThoseOfOne) {
  SKIP_WITHOUT_MPI();
  std::string box = bang(2, 10, "triangle", 0.1);
  box.resize(box.find("[time]"));
  box.erase(box.find(euler), euler.size());
  const std::string in_box = probe("a", "[0.5, 0.5]") + probe("b", "[0.1, 0.9]");
  expect_those_of_one(
      "box",
      box + low + time_to(0.05, "step = 0.01", "crank_nicolson") + tight + solver("gmres", "block_jacobi") + in_box,
      1.05, {2, 4});
  expect_those_of_one("box_limited",
                      box + monolithic + time_to(0.05, "step = 0.01", "backward_euler") + tight +
                          solver("bicgstab", "block_ilu") + in_box,
                      2);
  const std::string by_wedge = probe("a", "[0.9, 0.2]") + probe("b", "[0.3, 0.6]");
  expect_those_of_one("wedge",
                      coarse_wedge() + low + time_to(0.1, "step = 0.02", "backward_euler") + tight +
                          solver("bicgstab", "block_jacobi") + by_wedge,
                      1.2);
  expect_those_of_one("wedge_limited",
                      coarse_wedge() + monolithic + time_to(0.1, "step = 0.02", "backward_euler") + tight +
                          solver("gmres", "block_ilu") + by_wedge,
                      2, {2, 4});
}

/// Mass and energy of a closed box are those at the start on ranks, too.
TEST(GasImplicitRanks, AClosedBoxKeepsMassAndEnergy) {
  SKIP_WITHOUT_MPI();
  std::string deck = bang(2, 12, "quad", 0.2);
  deck.resize(deck.find("[time]"));
  const nlohmann::json balance =
      start("closed", deck + time_to(0.2, "cfl = 8", "backward_euler") + solver("gmres", "block_ilu"), 2)
          .summary["balance"];
  for (const char* of : {"mass", "energy"}) {
    const double before = balance["start"][of];
    EXPECT_NEAR(balance["end"][of].get<double>(), before, 1e-11 * before) << of;
  }
}

/// A channel from a reservoir to a pressure, and a wedge: the march grows its steps alike, to the same rest.
TEST(GasImplicitRanks, AMarchIsThatOfOne) {
  SKIP_WITHOUT_MPI();
  const std::string channel =
      "[mesh]\nbox = { min = [0,0], max = [3,1], cells = [12,4], shape = \"triangle\" }\n" + low +
      initial("1.2", "[\"50\", \"0\"]", "95000") +
      "[[boundary]]\non = [\"left\"]\ntype = \"reservoir\"\ntotal_pressure = 101325\ntotal_temperature = 300\n"
      "[[boundary]]\non = [\"right\"]\ntype = \"pressure_outflow\"\npressure = 90000\n" +
      walls + time_to(12, "cfl = 5", "backward_euler") + "[steady]\nmost_cfl = 40\n" + solver("gmres", "block_jacobi") +
      probe("a", "[1.5, 0.5]");
  expect_those_of_one("channel", channel, 1.05);
  expect_those_of_one("wedge_steady",
                      coarse_wedge() + low + time_to(200, "cfl = 5", "backward_euler") +
                          "[steady]\ntolerance = 1e-7\n" + solver("gmres", "block_ilu", "1e-11") +
                          probe("a", "[0.9, 0.2]"),
                      2);
  EXPECT_TRUE(summary_in(out_of("wedge_steady", 3))["steady"]["converged"].get<bool>());
}

/// The transonic profile falls by six orders on two ranks as well, with the systems of a march as the deck leaves them.
TEST(GasImplicitRanks, ATransonicProfileComesToRestBySixOrders) {
  SKIP_WITHOUT_MPI();
  const nlohmann::json summary =
      start("profile",
            coarse_profile() + monolithic + time_to(600, "cfl = 2", "backward_euler") + "[steady]\ntolerance = 1e-6\n",
            2)
          .summary;
  EXPECT_TRUE(summary["steady"]["converged"].get<bool>()) << summary["steady"];
  EXPECT_LT(summary["steady"]["steps"].get<int>(), 550);
  EXPECT_NEAR(summary["quantities"]["cl"].get<double>(), 0.26, 0.06);
}

/// A checkpoint of two ranks goes on on two bitwise, and on one and on three to the same states.
TEST(GasImplicitRanks, CheckpointsGoOnOnOtherNumbersOfRanks) {
  SKIP_WITHOUT_MPI();
  const std::string deck = wedge() + monolithic + time_to(0.12, "step = 0.02", "crank_nicolson") + tight +
                           solver("gmres", "block_ilu") + "[checkpoint]\nevery = 2\n" + probe("a", "[0.9, 0.2]");
  const fs::path whole = start("whole", deck, 2).probes,
                 part = start("part", deck, 2, "--set time.end=0.06").probes.parent_path();
  for (const int ranks : {1, 2, 3}) {
    const fs::path out = folder() / fmt::format("part_goes_on_on_{}", ranks);
    fs::copy(part, out, fs::copy_options::recursive);
    const std::string arguments = "restart " + out.string() + " --quiet --set time.end=0.12";
    const Result result = ranks == 1 ? app_test::tessera(arguments) : on_ranks(ranks, arguments);
    ASSERT_EQ(result.code, 0) << result.text;
    if (ranks == 2)
      EXPECT_EQ(bytes_of(out / "probes.csv"), bytes_of(whole));
    else
      expect_near(out / "probes.csv", whole, 1e-10, fmt::format("on {}", ranks));
  }
}

/// All ranks give a run up together, and what they say is what one says.
TEST(GasImplicitRanks, SystemsThatAreNeverSolvedEndTheRunOnAll) {
  SKIP_WITHOUT_MPI();
  const std::string deck =
      wedge() + low + time_to(1, "step = 0.02", "backward_euler") + solver("gmres", "jacobi") + "max_iterations = 1\n";
  const Result result = on_ranks(2, "run " + write_deck("never.toml", deck) + " --quiet --backend threads --output " +
                                        (folder() / "never").string());
  EXPECT_EQ(result.code, 4) << result.text;
  for (const char* part : {"step 1, after t = 0: none is short enough for its system", "raise solver.max_iterations"})
    EXPECT_TRUE(result.says(part)) << part << "\n" << result.text;
}

/// Factors are of one rank: that is said before the mesh is read, by the run and by its check.
TEST(GasImplicitRanks, FactorsAreRefused) {
  SKIP_WITHOUT_MPI();
  const std::string deck = gas_box(2, 8, "triangle") + euler + initial("1", "[\"0\", \"0\"]", "1") + walls +
                           time_to(1, "step = 0.1", "theta") + "[solver]\ntype = \"lu\"\n";
  const std::string file = write_deck("factors.toml", deck);
  for (const Result& result :
       {on_ranks(2, "run " + file + " --quiet --backend threads --output " + (folder() / "refused").string()),
        app_test::tessera("check --ranks 2 " + file)}) {
    EXPECT_EQ(result.code, 2) << result.text;
    EXPECT_TRUE(result.says("solver.type = \"lu\" works on one rank only")) << result.text;
  }
}

}  // namespace
