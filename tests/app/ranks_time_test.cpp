// Runs through time on several ranks beside one.
#include "app/ranks.hpp"

namespace {

using namespace app_test;

/// A state that so many ranks have written is that of any other number of them.
TEST(RanksRun, GoesOnWithOtherNumbersOfRanks) {
  SKIP_WITHOUT_MPI();
  const std::string deck = write_deck(
      "other_ranks.toml",
      box_of("triangle", 2, 10) + "[physics]\ntype = \"heat\"\norder = 2\n" + dirichlet_on("[\"left\"]", "sin(9*t)") +
          "[[boundary]]\ntype = \"periodic\"\non = [\"bottom\", \"top\"]\n[[initial]]\nu = \"x*y\"\n"
          "[solver]\ntolerance = 1e-14\n[time]\nend = 0.06\nstep = 0.001\n[checkpoint]\nevery = 7\n[output]\nevery = "
          "30\n");
  const auto on = [&](int ranks, const std::string& arguments) {
    const Result result = ranks == 1 ? app_test::tessera(arguments) : on_ranks(ranks, arguments);
    EXPECT_EQ(result.code, 0) << ranks << "\n" << result.text;
  };
  const fs::path whole = folder() / "on_one_all_the_time";
  const std::string run = "run " + deck + " --quiet --backend threads --output ";
  on(1, run + whole.string());
  for (const auto& [first, then] : {std::pair{1, 3}, {3, 2}, {2, 1}}) {
    const fs::path out = folder() / fmt::format("on_{}_then_{}", first, then);
    on(first, run + out.string() + " --set time.end=0.03");
    on(then, "restart " + out.string() + " --quiet --set time.end=0.06");
    const Result compared = app_test::tessera("compare " + (whole / "solution_000060.vtu").string() + " " +
                                              (out / "solution_000060.vtu").string() + " --rtol 1e-11 --atol 1e-11");
    EXPECT_EQ(compared.code, 0) << first << " then " << then << "\n" << compared.text;
  }
}

/// The others have of the root what they need: they see another folder, which has no checkpoint.
TEST(RanksRun, OfACheckpointTheRootAloneReads) {
  SKIP_WITHOUT_MPI();
  const std::string deck =
      write_deck("root_reads.toml", box_of("triangle", 2, 6) + "[physics]\ntype = \"heat\"\n" +
                                        dirichlet_on("[\"left\"]", "sin(9*t)") + "[solver]\ntolerance = 1e-14\n" +
                                        "[time]\nend = 0.02\nstep = 0.001\n[checkpoint]\nevery = 5\n");
  const fs::path whole = folder() / "root_reads_whole", half = folder() / "root_reads",
                 empty = folder() / "root_reads_not";
  const std::string run = "run " + deck + " --quiet --backend threads --output ";
  ASSERT_EQ(app_test::tessera(run + whole.string()).code, 0);
  ASSERT_EQ(app_test::tessera(run + half.string() + " --set time.end=0.01").code, 0);
  fs::create_directories(empty);
  const auto restart = [](const fs::path& out) {
    return "-n 1 " + program() + " restart " + out.string() + " --quiet --set time.end=0.02";
  };
  const Result result = shell(mpirun + restart(half) + " : " + restart(empty));
  ASSERT_EQ(result.code, 0) << result.text;
  const Result compared = app_test::tessera("compare " + (whole / "solution_000020.vtu").string() + " " +
                                            (half / "solution_000020.vtu").string() + " --rtol 1e-11 --atol 1e-11");
  EXPECT_EQ(compared.code, 0) << compared.text;
  const Result none = shell(mpirun + restart(empty) + " : " + restart(half));
  EXPECT_EQ(none.code, 2) << none.text;
  EXPECT_TRUE(none.says("holds no checkpoint")) << none.text;
}

/// Steps that follow from the largest eigenvalue do not depend on who owns which row: the power method that finds it
/// begins with the places of nodes.
TEST(RanksRun, FindsTheStableStepOfOne) {
  SKIP_WITHOUT_MPI();
  const std::string box = "[mesh]\nbox = { min = [0,0,0], max = [3,3,3], cells = [3,3,3], shape = \"hex\" }\n";
  const std::string wave =
      box +
      "[physics]\ntype = \"wave\"\nmedium = \"acoustic\"\norder = 4\n[[material]]\ndensity = 1\nvp = 1\n"
      "[[initial]]\np = \"sin(2*x)*cos(y)\"\n[time]\nend = 0.5\ncfl = 0.6\n";
  const struct {
    std::string name, text, field;
  } decks[] = {
      {"stable_acoustic", wave, "p"},
      {"stable_heat",
       box_of("triangle", 2, 10) + "[physics]\ntype = \"heat\"\nmass = \"lumped\"\n" +
           dirichlet_on("[\"left\"]", "sin(9*t)") +
           "[[initial]]\nu = \"x*y\"\n[time]\nend = 0.01\ncfl = 0.5\nscheme = \"ssp_rk3\"\n",
       "u"},
      {"stable_periodic",
       "[mesh]\nbox = { min = [0,0], max = [3,1], cells = [30,7], shape = \"quad\" }\n[physics]\ntype = \"heat\"\n"
       "order = 2\nmass = \"lumped\"\n[[boundary]]\ntype = \"periodic\"\non = [\"left\", \"right\"]\n"
       "[[initial]]\nu = \"y*cos(2*x)\"\n[time]\nend = 0.003\ncfl = 0.5\nscheme = \"ssp_rk3\"\n",
       "u"}};
  for (const auto& [name, text, field] : decks) {
    const std::string shown = "--set output.fields='[\"" + field + "\"]' --set output.every=0";
    const nlohmann::json one = run_on(1, name, text, shown);
    for (const int ranks : name == "stable_periodic" ? std::vector{2, 4} : std::vector{3}) {
      const nlohmann::json many = run_on(ranks, name, text, shown);
      ASSERT_FALSE(one.is_discarded() || many.is_discarded());
      const double step = one["time"]["stable_step"];
      EXPECT_NEAR(double(many["time"]["stable_step"]), step, 1e-11 * step) << name << " on " << ranks;
      EXPECT_EQ(many["time"]["steps"], one["time"]["steps"]) << name << " on " << ranks;
    }
  }
}

/// A run through time, in pieces too: the last state, and what is asked of it.
TEST(RanksRun, GoesThroughTimeAsOne) {
  SKIP_WITHOUT_MPI();
  const std::string u = "exp(-t)*sin(2*x + t)*cos(y)";
  const auto deck = [&](const char* mass, const std::string& time) {
    return box_of("triangle", 2, 10) + fmt::format("[physics]\ntype = \"heat\"\nmass = \"{}\"\n", mass) +
           "[[material]]\nheat_capacity = \"1 + x\"\n" + dirichlet_on("[\"left\", \"top\"]", u) +
           "[[boundary]]\non = [\"right\"]\ntype = \"robin\"\nalpha = 2\nvalue = \"cos(t)\"\n[[initial]]\nu = \"" + u +
           "\"\n[solver]\ntolerance = 1e-14\n[[quantity]]\nname = \"mean\"\nkind = \"average\"\nof = \"u\"\n"
           "[[quantity]]\nname = \"out\"\nkind = \"flux\"\non = [\"left\"]\n[output]\nevery = 20\n"
           "[time]\nend = 0.04\n" +
           time;
  };
  const std::vector<std::pair<std::string, std::string>> decks = {
      {"bdf2", deck("consistent", "step = 0.001\n")},
      {"rkc", deck("lumped", "step = 0.001\nscheme = \"rkc\"\n")},
      {"chosen", deck("lumped", "tolerance = 1e-5\nscheme = \"dormand_prince\"\n")},
      {"bdf2_chosen", deck("consistent", "tolerance = 1e-5\n")},
      {"of_u",
       box_of("triangle", 2, 8) +
           "[physics]\ntype = \"heat\"\n[[material]]\nconductivity = \"1 + u^2\"\ndensity = \"2 + u\"\nvelocity "
           "= [1, 0.5]\n" +
           dirichlet_on("[\"left\", \"top\"]", u) + "[[initial]]\nu = \"" + u +
           "\"\n[newton]\ntolerance = 1e-12\n[solver]\ntolerance = 1e-14\n[[quantity]]\nname = \"mean\"\nkind = "
           "\"average\"\nof = \"u\"\n[output]\nevery = 10\n[time]\nend = 0.05\nstep = 0.005\n"}};
  for (const auto& [name, text] : decks) {
    const nlohmann::json one = run_on(1, name, text);
    for (const int ranks : name == "bdf2" ? std::vector{2, 4} : std::vector{3}) {
      const nlohmann::json many = run_on(ranks, name, text);
      ASSERT_FALSE(one.is_discarded() || many.is_discarded());
      const std::string last = fmt::format("solution_{:06}.vtu", int(one["time"]["steps"]));
      const Result compared = app_test::tessera("compare " + (out_of(name, 1) / last).string() + " " +
                                                (out_of(name, ranks) / last).string() + " --rtol 1e-11 --atol 1e-11");
      EXPECT_EQ(compared.code, 0) << name << " on " << ranks << "\n" << compared.text;
      EXPECT_EQ(many["time"]["steps"], one["time"]["steps"]) << name;
      expect_near(many["quantities"], one["quantities"], name);
      expect_near(many["balance"], one["balance"], name);
    }
  }
  const std::string& text = decks.front().second;
  run_on(3, "time_in_pieces", text, "--set output.formats='[\"pvtu\"]'");
  for (const char* name : {"solution_000020.pvtu", "solution_000020_2.vtu", "solution_000040_0.vtu", "solution.pvd"})
    EXPECT_TRUE(fs::exists(out_of("time_in_pieces", 3) / name)) << name;
}

/// Nodes react where they are, and diffuse over the borders of ranks, sides that are one included.
TEST(RanksRun, ReactsAndDiffusesAsOne) {
  SKIP_WITHOUT_MPI();
  const auto deck = [&](const char* scheme, const char* reaction) {
    return box_of("triangle", 2, 12) +
           fmt::format("[physics]\ntype = \"reaction_diffusion\"\nmass = \"lumped\"\n{}", reaction) +
           "absolute_tolerance = 1e-12\n[[material]]\ndiffusion = [2e-2, 1e-2]\n"
           "[[boundary]]\ntype = \"periodic\"\non = [\"left\", \"right\"]\n"
           "[[boundary]]\ntype = \"dirichlet\"\non = [\"bottom\"]\nfield = \"u\"\nvalue = \"1 + t\"\n"
           "[[initial]]\nu = \"hypot(x - 0.4, y - 0.5) < 0.3 ? 0.5 : 1\"\nv = \"hypot(x - 0.4, y - 0.5) < 0.3 ? 0.25 "
           ": 0\"\n[solver]\ntolerance = 1e-14\n[[quantity]]\nname = \"mean\"\nkind = \"average\"\nof = \"v\"\n"
           "[[probe]]\nname = \"p\"\nat = [0.4, 0.4]\nof = \"v\"\n[checkpoint]\nevery = 5\n" +
           fmt::format("[output]\nevery = 10\n[time]\nend = 2\nstep = 0.1\nscheme = \"{}\"\n", scheme);
  };
  const std::string by_name = "reaction = \"gray_scott\"\n[reaction]\n",
                    written =
                        "reaction = \"expressions\"\nfields = [\"u\", \"v\"]\n[reaction]\nrates = [\"0.04*(1 - u) "
                        "- u*v^2 + 0.01*x\", \"u*v^2 - 0.1*v\"]\n";
  const std::vector<std::pair<std::string, std::string>> decks = {
      {"split_sdirk2", deck("sdirk2", by_name.c_str())},
      {"split_crank_nicolson", deck("crank_nicolson", written.c_str())},
      {"split_rkc", deck("rkc", by_name.c_str())}};
  for (const auto& [name, text] : decks) {
    const nlohmann::json one = run_on(1, name, text, "--set output.fields='[\"u\", \"v\"]'");
    for (const int ranks : name == "split_sdirk2" ? std::vector{2, 4} : std::vector{3}) {
      const nlohmann::json many = run_on(ranks, name, text, "--set output.fields='[\"u\", \"v\"]'");
      ASSERT_FALSE(one.is_discarded() || many.is_discarded());
      const Result compared =
          app_test::tessera("compare " + (out_of(name, 1) / "solution_000020.vtu").string() + " " +
                            (out_of(name, ranks) / "solution_000020.vtu").string() + " --rtol 1e-11 --atol 1e-11");
      EXPECT_EQ(compared.code, 0) << name << " on " << ranks << "\n" << compared.text;
      expect_near(many["quantities"], one["quantities"], name);
      EXPECT_NEAR(double(many["time"]["reactions"]["steps"]), double(one["time"]["reactions"]["steps"]),
                  0.01 * double(one["time"]["reactions"]["steps"]));
    }
  }
  const fs::path out = folder() / "split_in_parts";
  const std::string file = write_deck("split_in_parts.toml", decks[1].second);
  ASSERT_EQ(on_ranks(3, "run " + file + " --quiet --backend threads --set time.end=1 --output " + out.string()).code,
            0);
  ASSERT_EQ(app_test::tessera("restart " + out.string() + " --quiet --set time.end=2").code, 0);
  const Result compared =
      app_test::tessera("compare " + (out_of(decks[1].first, 1) / "solution_000020.vtu").string() + " " +
                        (out / "solution_000020.vtu").string() + " --rtol 1e-11 --atol 1e-11");
  EXPECT_EQ(compared.code, 0) << compared.text;
}

}  // namespace
