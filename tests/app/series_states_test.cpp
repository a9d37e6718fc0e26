// What the thread that writes the states of a run keeps from one to the next, finds in them, and holds up.
#include <sys/stat.h>

#include <algorithm>
#include <fstream>

#include "app/child.hpp"
#include "app/ranks.hpp"
#include "app/transient.hpp"

namespace {

using namespace app_test;

struct Shown {
  std::string name, deck;
  int ranks = 1;
};
void PrintTo(const Shown& of, std::ostream* stream) { *stream << of.name; }

const std::string sides = "on = [\"top\", \"left\"]\n";
const std::string layer = "[[group]]\nname = \"layer\"\nof = \"surfaces\"\nwhere = \"x < 0.5\"\n";

std::vector<Shown> shown() {
  const auto heat = [](const std::string& shape, int dim, int cells, int order, const std::string& on = "") {
    return box_of(shape, dim, cells) + heat_of(order) + "[[material]]\nsource = \"x*sin(9*t)\"\n" +
           dirichlet_on("[\"left\"]", "sin(9*t)") + "[[initial]]\nu = \"x*y\"\n" + time_to(0.12, 0.01, "bdf2") +
           "[solver]\ntolerance = 1e-13\n[output]\n" + on;
  };
  const std::string wave =
      box_of("quad", 2, 3) +
      "[physics]\ntype = \"wave\"\nmedium = \"elastic\"\norder = 5\n[[material]]\ndensity = 1\nvp = 2\nvs = 1\n"
      "[[initial]]\nu = [\"exp(-20*(x - 0.4)^2)\", \"x*y\"]\n[time]\nend = 0.12\nstep = 0.01\n[output]\n";
  const auto fields = [](const std::string& deck) { return deck + "fields = [\"u\", \"v\", \"div_u\"]\n"; };
  return {{"tets", heat("tet", 3, 2, 2)},
          {"high_order", heat("quad", 2, 3, 4)},
          {"sides", heat("hex", 3, 2, 2, sides)},
          {"part", layer + heat("triangle", 2, 4, 1, "on = \"layer\"\n")},
          {"waves", fields(wave)},
          {"surface_of_waves", fields(wave + sides)},
          {"ranks", heat("quad", 2, 4, 3), 3},
          {"sides_of_ranks", heat("quad", 2, 3, 4, sides), 2}};
}

class SeriesThatGoesOn : public ::testing::TestWithParam<Shown> {};

/// A run that goes on from a checkpoint makes the grid of its files anew, where the run that was never stopped has kept
/// it since its first state: all files have the same bytes.
TEST_P(SeriesThatGoesOn, HasTheGridOfItsFirstState) {
  const Shown& of = GetParam();
  if (of.ranks > 1) SKIP_WITHOUT_MPI();
  const std::string deck = write_deck("series_" + of.name + ".toml", of.deck + "every = 2\n[checkpoint]\nevery = 5\n");
  const auto start = [&](const std::string& words) {
    const Result result = of.ranks > 1 ? on_ranks(of.ranks, words) : app_test::tessera(words);
    ASSERT_EQ(result.code, 0) << result.text;
  };
  const fs::path whole = folder() / ("whole_" + of.name), parts = folder() / ("parts_" + of.name);
  ASSERT_NO_FATAL_FAILURE(start("run " + deck + " --quiet --backend threads --output " + whole.string()));
  ASSERT_NO_FATAL_FAILURE(
      start("run " + deck + " --quiet --backend threads --set time.end=0.08 --output " + parts.string()));
  ASSERT_NO_FATAL_FAILURE(start("restart " + parts.string() + " --quiet --set time.end=0.12"));
  for (int step = 0; step <= 12; step += 2) {
    const std::string file = fmt::format("solution_{:06}.vtu", step);
    EXPECT_FALSE(bytes_of(whole / file).empty());
    EXPECT_EQ(bytes_of(whole / file), bytes_of(parts / file)) << file;
  }
}

INSTANTIATE_TEST_SUITE_P(Files, SeriesThatGoesOn, ::testing::ValuesIn(shown()),
                         [](const auto& info) { return info.param.name; });

/// A flux that is too large for a number, of a temperature that is not: no step waits for it, and the run says so.
TEST(SeriesOfStates, SaysWhichFieldOfWhichStateIsNotFinite) {
  const std::string deck =
      write_deck("flux_not_finite.toml",
                 "[mesh]\nbox = { min = [0, 0], max = [0.01, 0.01], cells = [5, 5], shape = \"triangle\" }\n" +
                     heat_of(1, "mass = \"lumped\"\n") +
                     "[[material]]\nconductivity = \"1e208*(1 + 1e5*t)\"\nheat_capacity = 1e210\n" +
                     dirichlet_on("[\"left\", \"right\"]", "1e100*x") + "[[initial]]\nu = \"1e100*x\"\n" +
                     time_to(2e-5, 1e-6, "euler") + "[output]\nevery = 4\n[checkpoint]\nevery = 6\n");
  const fs::path out = folder() / "flux_not_finite";
  const Result result = app_test::tessera("run " + deck + " --quiet --backend threads --output " + out.string());
  EXPECT_EQ(result.code, 0) << result.text;
  // Of the states 0, 4, 8, ... the one of step 8 is the first whose conductivity is above 1.7e208.
  const std::string words = "the field 'flux' is not finite at 36 nodes, the first at (0, 0, 0), at t = 8e-06";
  EXPECT_TRUE(result.says(words)) << result.text;
  EXPECT_EQ(summary_in(out)["warnings"], nlohmann::json::array({words})) << result.text;
  EXPECT_TRUE(fs::exists(out / "checkpoint_000000018.tsr"));
}

/// Waves are looked at every tenth step, and in each that is shown or saved: what is not finite takes no checkpoint.
TEST(SeriesOfStates, LeaveTheLastGoodCheckpointOfWavesThatEnd) {
  const std::string deck = write_deck(
      "waves_that_end.toml",
      box_of("quad", 2, 4) +
          "[physics]\ntype = \"wave\"\nmedium = \"acoustic\"\norder = 4\n[[material]]\ndensity = 1e6\nvp = 1000\n"
          "[[initial]]\np = \"sin(pi*x)\"\n[[source]]\nat = [0.41, 0.37]\n"
          "time_function = \"t > 0.000115 ? 1e307 : 0\"\n[time]\nend = 0.001\nstep = 1e-5\n"
          "[output]\nevery = 1\n[checkpoint]\nevery = 1\nkeep = 3\n");
  const fs::path out = folder() / "waves_that_end";
  const Result result = app_test::tessera("run " + deck + " --quiet --backend threads --output " + out.string());
  EXPECT_EQ(result.code, 4) << result.text;
  EXPECT_TRUE(result.says("the solution is not finite at t = 0.00012, step 12")) << result.text;
  EXPECT_TRUE(result.says("the states before it are written")) << result.text;
  for (int step = 9; step <= 20; ++step) {
    EXPECT_EQ(fs::exists(out / fmt::format("checkpoint_{:09}.tsr", step)), step < 12) << step;
    EXPECT_EQ(fs::exists(out / fmt::format("solution_{:06}.vtu", step)), step < 12) << step;
  }
  // It goes on from there, and ends where it did.
  const Result again = app_test::tessera("restart " + out.string() + " --quiet");
  EXPECT_EQ(again.code, 4) << again.text;
  EXPECT_TRUE(again.says("the solution is not finite at t = 0.00012, step 12")) << again.text;
}

/// All threads of a process sleep, whatever for.
bool sleeps(pid_t pid) {
  bool asleep = true;
  std::error_code gone;
  for (const auto& task : fs::directory_iterator("/proc/" + std::to_string(pid) + "/task", gone)) {
    const std::string text = bytes_of(task.path() / "stat");
    const std::size_t name = text.rfind(") ");
    asleep = asleep && name != std::string::npos && text[name + 2] == 'S';
  }
  return asleep;
}
double resident_mib(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/statm");
  double all = 0, resident = 0;
  file >> all >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1 << 20);
}

/// A disk that takes nothing any more: two states wait for it, and then the steps do, in the memory of before.
TEST(SeriesOfStates, WaitForTheDiskInBoundedMemory) {
  const std::string deck =
      write_deck("slow_disk.toml", box_of("triangle", 2, 100) + heat_of(1, "mass = \"lumped\"\n") +
                                       "[[initial]]\nu = \"x*y\"\n" + time_to(0.02, 1e-5, "euler") +
                                       "[[probe]]\nname = \"p\"\nat = [0.5, 0.5]\n[output]\nevery = 1\n");
  const fs::path out = folder() / "slow_disk";
  Child run({"run", deck, "--quiet", "--backend", "threads", "--output", out.string()});
  const auto file_of = [](int step) { return fmt::format("solution_{:06}.vtu", step); };
  while (run.runs() && !fs::exists(out / file_of(3))) usleep(1000);
  run.send(SIGSTOP);
  int written = 3;
  while (fs::exists(out / file_of(written + 1))) ++written;
  // Who opens this pipe waits for a reader, and the name is that under which the program writes the file.
  const int held = written + 4;
  ASSERT_EQ(mkfifo((out / fmt::format(".{}.{}.tmp", file_of(held), run.pid())).c_str(), 0600), 0);
  const double before = resident_mib(run.pid());
  run.send(SIGCONT);
  for (int times = 0; times < 50 && run.runs(); usleep(5000)) times = sleeps(run.pid()) ? times + 1 : 0;
  ASSERT_TRUE(run.runs()) << run.end().text;
  EXPECT_TRUE(fs::exists(out / file_of(held - 1)));
  EXPECT_FALSE(fs::exists(out / file_of(held)));
  // All 2000 states would take 300 MiB and more, and the values at the point are there when the last step is done.
  EXPECT_LT(resident_mib(run.pid()), before + 30);
  const std::string values = bytes_of(out / "probes.csv");
  EXPECT_LT(std::count(values.begin(), values.end(), '\n'), 1000);
}

}  // namespace
