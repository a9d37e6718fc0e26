// Decks of gases with precision = "float": runs that stop and go on, that ranks share, and in any unit of length.
#include "app/ranks.hpp"
#include "base/backend.hpp"
#include "decks.hpp"

namespace {

using namespace euler_decks;

const std::string in_float = "[run]\nprecision = \"float\"\n";

/// A round wave of sound in a closed box, which stays smooth.
std::string pulse(int cells, const std::string& shape, double end) {
  return gas_box(2, cells, shape) + euler + initial("1", "[\"0\", \"0\"]", "1 + 0.1*exp(-30*((x-0.4)^2 + (y-0.5)^2))") +
         walls + time_to(end) + in_float +
         "[[probe]]\nname = \"a\"\nat = [0.5, 0.5]\nof = \"energy\"\n[[probe]]\nname = \"b\"\nat = [0.1, 0.9]\nof = "
         "\"momentum_y\"\n";
}
void expect_near(const std::vector<std::vector<double>>& one, const std::vector<std::vector<double>>& other,
                 double most) {
  ASSERT_EQ(one.size(), other.size());
  for (std::size_t i = 0; i < one.size(); ++i)
    for (std::size_t k = 0; k < one[i].size(); ++k) ASSERT_NEAR(one[i][k], other[i][k], most) << i << ' ' << k;
}

TEST(GasRunInFloat, TheTubeHasTheStatesOfTheExactSolution) {
  const nlohmann::json summary =
      run("sod_float", bytes_of(source() / "inputs/tutorials/14_sod.toml"), "--set run.precision=float");
  EXPECT_EQ(summary["backend"]["precision"], "float");
  EXPECT_NEAR(summary["quantities"]["p_star"].get<double>(), 0.303130, 2e-4);
  EXPECT_NEAR(summary["quantities"]["v_star"].get<double>(), 0.927453, 2e-4);
}

TEST(GasRunInFloat, TakesLessMemoryThanInDouble) {
  const auto bytes = [](const std::string& precision) {
    const nlohmann::json summary =
        run("bytes_" + precision, pulse(20, "quad", 0.01), "--set run.precision=" + precision);
    return summary["assembly"]["bytes_per_stage"].get<double>();
  };
  EXPECT_LT(bytes("float"), 0.65 * bytes("double"));
}

TEST(GasRunInFloat, GoesOnBitwiseAsIfItHadNeverStopped) {
  std::string deck = bang(2, 12, "triangle", 0.2) + in_float +
                     "[checkpoint]\nevery = 7\n[output]\nevery = 10\n[[probe]]\nname = \"a\"\nat = [0.5, 0.5]\nof = "
                     "\"energy\"\n[[quantity]]\nname = \"least\"\nkind = \"min\"\nof = \"limiter\"\n";
  const nlohmann::json whole = run("float_whole", deck);
  EXPECT_LT(whole["quantities"]["least"].get<double>(), 1);
  run("float_part", deck, "--set time.end=0.1");
  const Result result =
      app_test::tessera("restart " + (folder() / "float_part").string() + " --quiet --set time.end=0.2");
  ASSERT_EQ(result.code, 0) << result.text;
  for (const char* file : {"probes.csv", "solution.pvd"}) {
    EXPECT_FALSE(bytes_of(folder() / "float_whole" / file).empty()) << file;
    EXPECT_EQ(bytes_of(folder() / "float_part" / file), bytes_of(folder() / "float_whole" / file)) << file;
  }
}

/// Coefficients are those of the mesh over a mean one, whatever it is measured in: nanometres here, and seconds that
/// are as much shorter.
TEST(GasRunInFloat, IsTheSameInAnyUnitOfLength) {
  const auto quantities = [](const std::string& name, double length) {
    const std::string deck =
        fmt::format("[mesh]\nbox = {{ min = [0,0,0], max = [{0},{0},{0}], cells = [8,8,8], shape = \"tet\" }}\n",
                    length) +
        euler +
        initial("1", "[\"0\", \"0\", \"0\"]",
                fmt::format("1 + 9*(x < {})*(y < {})*(z < {})", 0.4 * length, 0.55 * length, 0.6 * length)) +
        walls + time_to(0.1 * length) + in_float +
        fmt::format(
            "[[quantity]]\nname = \"p\"\nkind = \"max\"\nof = \"pressure\"\n[[quantity]]\nname = \"rho\"\n"
            "kind = \"value\"\nof = \"density\"\nat = [{0}, {0}, {0}]\n",
            0.5 * length);
    return run(name, deck)["quantities"];
  };
  const nlohmann::json metres = quantities("metres", 1), small = quantities("nanometres", 1e-9);
  for (const char* name : {"p", "rho"})
    EXPECT_NEAR(small[name].get<double>(), metres[name].get<double>(), 2e-3) << name;
}

TEST(GasRunInFloat, OnRanksIsCloseToThatOfOne) {
  SKIP_WITHOUT_MPI();
  for (const char* limiter : {"convex", "none", "convex --set time.scheme=erk33"}) {
    const std::string deck = write_deck("float_ranks.toml", pulse(14, "triangle", 0.5));
    const auto start = [&](int ranks, const std::string& name) {
      const fs::path out = folder() / name;
      const std::string arguments =
          "run " + deck + " --quiet --backend threads --set physics.limiter=" + limiter + " --output " + out.string();
      const Result result = ranks == 1 ? app_test::tessera(arguments) : on_ranks(ranks, arguments);
      EXPECT_EQ(result.code, 0) << result.text;
      const nlohmann::json balance = summary_in(out)["balance"];
      EXPECT_NEAR(balance["end"]["mass"].get<double>(), balance["start"]["mass"].get<double>(), 1e-7) << ranks;
      EXPECT_NEAR(balance["end"]["energy"].get<double>(), balance["start"]["energy"].get<double>(), 1e-6) << ranks;
      return out / "probes.csv";
    };
    const auto one = table(start(1, "float_1"));
    ASSERT_GT(one.size(), 8U);
    expect_near(table(start(2, "float_2")), one, 1e-5);
    const fs::path first = start(4, "float_4"), second = start(4, "float_4_again");
    expect_near(table(first), one, 1e-5);
    EXPECT_EQ(bytes_of(first), bytes_of(second));
  }
}

TEST(GasRunInFloat, OnCudaIsCloseToThatOfThreads) {
  if (!tessera::cuda_info().usable) GTEST_SKIP() << "no GPU: " << tessera::cuda_info().why_not;
  const std::string deck = write_deck("float_cuda.toml", pulse(14, "quad", 0.25));
  const auto probes = [&](const char* backend, const char* name) {
    const fs::path out = folder() / name;
    const Result result =
        app_test::tessera("run " + deck + " --quiet --backend " + backend + " --output " + out.string());
    EXPECT_EQ(result.code, 0) << result.text;
    return out / "probes.csv";
  };
  const fs::path first = probes("cuda", "float_first"), second = probes("cuda", "float_second");
  EXPECT_EQ(bytes_of(first), bytes_of(second));
  expect_near(table(first), table(probes("threads", "float_threads")), 1e-5);
}

}  // namespace
