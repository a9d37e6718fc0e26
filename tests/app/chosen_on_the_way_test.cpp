// preconditioner = "auto" through time and in Newton's method: begun with jacobi, and gone on with amg where it pays.
#include <algorithm>

#include "app/ranks.hpp"
#include "app/transient.hpp"
#include "output/checkpoint.hpp"

namespace {

using namespace app_test;

/// Heat in a square whose left side is warmed and cooled; more than 2000 rows, so that multigrid may be taken.
std::string warmed(int steps, const std::string& more = "", const std::string& time = "", int cells = 60) {
  return box_of("triangle", 2, cells) + heat_of(1) + "[[material]]\nsource = \"x*y\"\n" + more +
         dirichlet_on("[\"left\"]", "sin(40*t)") +
         (time.empty() ? fmt::format("[time]\nend = {}\nstep = 0.05\n", 0.05 * steps) : time) +
         "[[quantity]]\nname = \"mean\"\nkind = \"average\"\nof = \"u\"\n[[quantity]]\nname = \"most\"\nkind = "
         "\"max\"\nof = \"u\"\n[solver]\ntolerance = 1e-10\n";
}
const std::string named = "preconditioner = \"jacobi\"\n";
std::string why(const nlohmann::json& summary) {
  return summary["solver"].contains("why") ? std::string(summary["solver"]["why"]) : std::string();
}

TEST(ChosenOnTheWay, IsMultigridOfManySteps) {
  const nlohmann::json own = run_nonlinear("way_many", warmed(40)),
                       jacobi = run_nonlinear("way_jacobi", warmed(40) + named);
  ASSERT_FALSE(own.is_discarded() || jacobi.is_discarded());
  EXPECT_EQ(own["solver"]["preconditioner"], "amg");
  EXPECT_EQ(why(own).find("from step 2 on amg: "), 0U) << why(own);
  EXPECT_NE(why(own).find(" iterations of jacobi in the last step, and 39 more to come: more than amg is worth"),
            std::string::npos)
      << why(own);
  EXPECT_LT(int(own["time"]["iterations"]), int(jacobi["time"]["iterations"]) / 5);
  EXPECT_EQ(own["matrix"]["format"], "crs");
  for (const char* name : {"mean", "most"})
    EXPECT_NEAR(double(own["quantities"][name]), double(jacobi["quantities"][name]), 1e-8) << name;
  EXPECT_EQ(jacobi["solver"]["preconditioner"], "jacobi");
  EXPECT_EQ(why(jacobi), "");
}

TEST(ChosenOnTheWay, IsJacobiOfFewSteps) {
  const nlohmann::json own = run_nonlinear("way_few", warmed(2)),
                       jacobi = run_nonlinear("way_few_jacobi", warmed(2) + named);
  ASSERT_FALSE(own.is_discarded() || jacobi.is_discarded());
  EXPECT_EQ(own["solver"]["preconditioner"], "jacobi");
  EXPECT_NE(why(own).find("and 1 more to come: fewer than amg is worth"), std::string::npos) << why(own);
  EXPECT_EQ(own["time"]["iterations"], jacobi["time"]["iterations"]);
  EXPECT_EQ(own["quantities"], jacobi["quantities"]);
}

/// Short steps, whose systems jacobi solves by few iterations, however many there are.
TEST(ChosenOnTheWay, IsJacobiOfEasySystems) {
  const nlohmann::json own = run_nonlinear("way_easy", warmed(0, "", "[time]\nend = 1e-3\nstep = 1e-5\n"));
  ASSERT_FALSE(own.is_discarded());
  EXPECT_EQ(own["solver"]["preconditioner"], "jacobi");
  EXPECT_NE(why(own).find("fewer than amg is worth"), std::string::npos) << why(own);
}

/// The numbers of multigrid would have to be redone in each step, which the first one knows already.
TEST(ChosenOnTheWay, IsJacobiWhereEachStepHasAMatrixOfItsOwn) {
  const std::string material = "conductivity = \"1 + 1e-3*t\"\n";
  const nlohmann::json own = run_nonlinear("way_changing", warmed(10, material));
  ASSERT_FALSE(own.is_discarded());
  EXPECT_EQ(own["time"]["matrices"], 10);
  EXPECT_EQ(own["solver"]["preconditioner"], "jacobi") << why(own);
  EXPECT_NE(why(own).find("fewer than amg is worth"), std::string::npos) << why(own);
}

TEST(ChosenOnTheWay, IsJacobiOfFormatsThatMultigridDoesNotRead) {
  const nlohmann::json own = run_nonlinear("way_format", warmed(40) + "[matrix]\nformat = \"ell\"\n");
  ASSERT_FALSE(own.is_discarded());
  EXPECT_EQ(own["solver"]["preconditioner"], "jacobi");
  EXPECT_EQ(own["matrix"]["format"], "ell");
}

/// What is said of the whole run is said of it by `check`, too.
TEST(ChosenOnTheWay, IsForetoldByCheck) {
  const auto check = [](const std::string& deck) {
    return app_test::tessera("check " + write_deck("way_check.toml", deck) + " --backend threads").text;
  };
  const std::string said = "solver     begins with jacobi; amg, which may take its place where there is room, takes ";
  EXPECT_NE(check(warmed(40)).find(said), std::string::npos) << check(warmed(40));
  EXPECT_EQ(check(warmed(40) + named).find(said), std::string::npos);
}

/// Where the source of a symmetric problem depends on the solution.
TEST(ChosenOnTheWay, IsMultigridOfNewtonsMethodOnALargeMesh) {
  const auto deck = [](int cells, const std::string& solver) {
    return box_of("triangle", 2, cells) + poisson_of(1) + "[[material]]\nsource = \"99*sin(30*x*y) - u^3\"\n" +
           dirichlet_on("[\"left\"]", "sin(9*y)") +
           "[newton]\nlinear_tolerance = \"fixed\"\n[[quantity]]\nname = \"mean\"\nkind = \"average\"\nof = \"u\"\n" +
           "[solver]\n" + solver;
  };
  const nlohmann::json own = run_nonlinear("way_newton", deck(120, "")),
                       jacobi = run_nonlinear("way_newton_jacobi", deck(120, named)),
                       small = run_nonlinear("way_newton_small", deck(20, ""));
  ASSERT_FALSE(own.is_discarded() || jacobi.is_discarded() || small.is_discarded());
  EXPECT_EQ(own["solver"]["type"], "cg");
  EXPECT_EQ(own["solver"]["preconditioner"], "amg");
  EXPECT_EQ(why(own).find("from iteration 2 on amg: "), 0U) << why(own);
  EXPECT_LT(int(own["solver"]["iterations"]), int(jacobi["solver"]["iterations"]) * 2 / 3);
  EXPECT_NEAR(double(own["quantities"]["mean"]), double(jacobi["quantities"]["mean"]), 1e-7);
  EXPECT_EQ(small["solver"]["preconditioner"], "jacobi");
  EXPECT_EQ(why(small), "the systems are small");
}

/// All ranks take it at the same step, and any number of them in the same one.
TEST(ChosenOnTheWay, IsTheSameOnAllRanks) {
  SKIP_WITHOUT_MPI();
  const std::string deck = warmed(12) + "[run]\nthreads = 1\n";
  const nlohmann::json one = run_on(1, "way_ranks", deck);
  ASSERT_FALSE(one.is_discarded());
  EXPECT_EQ(why(one).find("from step 2 on amg: "), 0U) << why(one);
  for (const int ranks : {2, 4}) {
    const nlohmann::json many = run_on(ranks, "way_ranks", deck), again = run_on(ranks, "way_ranks", deck);
    ASSERT_FALSE(many.is_discarded() || again.is_discarded());
    EXPECT_EQ(many["solver"]["preconditioner"], "amg");
    EXPECT_EQ(why(many).substr(0, 20), why(one).substr(0, 20)) << why(many);
    for (const char* name : {"mean", "most"})
      EXPECT_NEAR(double(many["quantities"][name]), double(one["quantities"][name]), 1e-8) << ranks << name;
    EXPECT_EQ(many["quantities"], again["quantities"]) << ranks;
  }
}

/// A run that goes on from a checkpoint is bitwise the one that went through, before it takes multigrid and after.
struct GoesOn {
  const char* name;
  std::string material, time;
  int ranks = 1, cells = 60;
};
void PrintTo(const GoesOn& run, std::ostream* stream) { *stream << run.name; }
class ChosenOnTheWayRuns : public ::testing::TestWithParam<GoesOn> {};

std::vector<double> numbers_of(const fs::path& checkpoint) {
  for (const tessera::output::CheckpointArray& array : tessera::output::read_checkpoint(checkpoint).arrays)
    if (array.name == "numbers") return array.values;
  ADD_FAILURE() << checkpoint << " has no numbers";
  return {};
}

TEST_P(ChosenOnTheWayRuns, GoOnBitwise) {
  const GoesOn& of = GetParam();
  if (of.ranks > 1) SKIP_WITHOUT_MPI();
  const auto start = [&](const std::string& arguments) {
    return of.ranks == 1 ? app_test::tessera(arguments) : on_ranks(of.ranks, arguments);
  };
  const std::string deck = write_deck(
      std::string("way_on_") + of.name + ".toml",
      warmed(0, of.material, of.time, of.cells) + "[output]\nevery = 1000\n[checkpoint]\nevery = 1\nkeep = 1000\n");
  const fs::path whole = folder() / "way_whole" / of.name;
  const Result result = start("run " + deck + " --quiet --backend threads --output " + whole.string());
  ASSERT_EQ(result.code, 0) << result.text;
  const nlohmann::json summary = summary_in(whole);
  EXPECT_EQ(summary["solver"]["preconditioner"], "amg");
  const std::string said = why(summary);
  ASSERT_EQ(said.find("from step "), 0U) << said;
  const int changed = std::stoi(said.substr(10)), steps = summary["time"]["steps"];
  ASSERT_GT(changed, 1);
  ASSERT_LT(changed + 2, steps);
  const std::string last = fmt::format("solution_{:06}.vtu", steps);
  for (const int from : {changed - 1, changed, changed + 2}) {
    const fs::path half = folder() / "way_half" / of.name;
    fs::remove_all(half);
    fs::create_directories(half);
    const std::string checkpoint = fmt::format("checkpoint_{:09}.tsr", from);
    fs::copy_file(whole / checkpoint, half / checkpoint);
    const Result gone_on = start("restart " + half.string() + " --quiet");
    ASSERT_EQ(gone_on.code, 0) << gone_on.text;
    EXPECT_EQ(summary_in(half)["solver"]["preconditioner"], "amg") << from;
    EXPECT_EQ(bytes_of(whole / last), bytes_of(half / last)) << from << " of " << steps << ", " << said;
    // What the next decisions follow from is the same, too.
    const std::string next = fmt::format("checkpoint_{:09}.tsr", from + 1);
    EXPECT_EQ(numbers_of(whole / next), numbers_of(half / next)) << from << " of " << steps << ", " << said;
  }
}

/// One that was written before there was a choice has fewer numbers, and goes on as such a run did.
TEST(ChosenOnTheWay, IsOpenToCheckpointsThatKnowOfNone) {
  const std::string deck =
      write_deck("way_old.toml", warmed(4) + named + "[output]\nevery = 1000\n[checkpoint]\nevery = 1\nkeep = 1000\n");
  const fs::path whole = folder() / "way_old_whole", half = folder() / "way_old_half";
  const Result result = app_test::tessera("run " + deck + " --quiet --backend threads --output " + whole.string());
  ASSERT_EQ(result.code, 0) << result.text;
  namespace out = tessera::output;
  const std::string name = "checkpoint_000000002.tsr";
  out::Checkpoint checkpoint = out::read_checkpoint(whole / name);
  for (out::CheckpointArray& array : checkpoint.arrays)
    if (array.name == "numbers") {
      ASSERT_EQ(array.values.size(), 2U + 4U + 8U);
      array.values.resize(2 + 4);
    }
  fs::create_directories(half);
  out::write_checkpoint(half / name, checkpoint);
  const Result gone_on = app_test::tessera("restart " + half.string() + " --quiet");
  ASSERT_EQ(gone_on.code, 0) << gone_on.text;
  EXPECT_EQ(bytes_of(whole / "solution_000004.vtu"), bytes_of(half / "solution_000004.vtu"));
}

const std::string equal_steps = "[time]\nend = 0.5\nstep = 0.05\n";
INSTANTIATE_TEST_SUITE_P(
    Runs, ChosenOnTheWayRuns,
    ::testing::Values(GoesOn{"bdf2", "", equal_steps}, GoesOn{"sdirk2", "", equal_steps + "scheme = \"sdirk2\"\n"},
                      GoesOn{"changing", "conductivity = \"1 + t\"\n", equal_steps, 1, 120},
                      GoesOn{"chosen_steps", "", "[time]\nend = 0.5\nstep = 0.01\ntolerance = 1e-2\n"},
                      GoesOn{"of_u", "heat_capacity = \"1 + 0.1*u^2\"\n", equal_steps, 1, 100},
                      GoesOn{"on_two", "", equal_steps, 2}),
    [](const auto& info) { return std::string(info.param.name); });

}  // namespace
