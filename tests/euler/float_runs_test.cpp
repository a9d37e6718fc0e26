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

TEST(GasRunInFloat, MovesFewerBytesAStageThanInDouble) {
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

/// A cell is about 1 long, whatever it is measured in: nanometres here, and seconds that are as much shorter; and the
/// distances of stars.
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
  const nlohmann::json metres = quantities("metres", 1);
  for (const double length : {1e-9, 1e15, 1e21}) {
    const nlohmann::json other = quantities(fmt::format("length_{:g}", length), length);
    for (const char* name : {"p", "rho"})
      EXPECT_NEAR(other[name].get<double>(), metres[name].get<double>(), 2e-3) << name << ' ' << length;
  }
}

/// A flow across a periodic square, of a length of 1.
std::string across(double density, double pressure, double mach, const std::string& of_density,
                   const std::string& of_pressure, double end) {
  const double sound = std::sqrt(1.4 * pressure / density);
  std::string deck =
      "[mesh]\nbox = { min = [0,0], max = [1,1], cells = [32,32], shape = \"triangle\" }\n" + euler +
      initial(fmt::format("{}*({})", density, of_density),
              fmt::format("[\"{}\", \"{}\"]", mach * sound, 0.5 * mach * sound),
              fmt::format("{}*({})", pressure, of_pressure)) +
      "[[boundary]]\non = [\"left\", \"right\"]\ntype = \"periodic\"\n[[boundary]]\non = [\"bottom\", \"top\"]\n"
      "type = \"periodic\"\n" +
      time_to(end / sound);
  for (const char* of : {"pressure", "density"})
    for (const char* kind : {"max", "min"})
      deck += fmt::format("[[quantity]]\nname = \"{0}_{1}\"\nkind = \"{1}\"\nof = \"{0}\"\n", of, kind);
  return deck;
}
const std::vector<std::string> extrema = {"pressure_max", "pressure_min", "density_max", "density_min"};

/// Of any units of density and pressure, whose products no float has.
TEST(GasRunInFloat, IsThatOfDoubleInAnyUnitOfTheState) {
  for (const auto& [density, pressure] :
       {std::pair{1.2, 1e5}, {1e-21, 1e-11}, {1e-25, 1e-15}, {1e5, 1e17}, {1e5, 1e21}}) {
    const std::string deck = across(density, pressure, 0.5, "1 + 0.2*sin(2*pi*x)*cos(2*pi*y)", "1 + 9*(x < 0.5)", 0.1);
    const nlohmann::json in_double = run("state_double", deck)["quantities"],
                         rounded = run("state_float", deck + in_float)["quantities"];
    for (const std::string& name : extrema)
      EXPECT_NEAR(rounded[name].get<double>() / in_double[name].get<double>(), 1, 2e-3) << name << ' ' << density;
  }
}

/// In a fast gas the internal energy is a small part of the energy, and the entropy is known to few digits; yet both
/// rows of an edge take the same part of it.
TEST(GasRunInFloat, KeepsMassAndExtremaOfAFastIsentropicFlow) {
  const std::string wave = "1 + 0.2*sin(2*pi*x)*cos(2*pi*y)";
  for (const double mach : {10.0, 30.0, 100.0}) {
    const std::string deck = across(1, 1, mach, wave, "(" + wave + ")^1.4", 0.2 / mach);
    const nlohmann::json in_double = run("fast_double", deck), rounded = run("fast_float", deck + in_float);
    const double mass = rounded["balance"]["start"]["mass"].get<double>();
    EXPECT_NEAR(rounded["balance"]["end"]["mass"].get<double>(), mass, 1e-8 * mass) << mach;
    for (const char* name : {"density_max", "density_min"})
      EXPECT_NEAR(rounded["quantities"][name].get<double>(), in_double["quantities"][name].get<double>(), 1e-3)
          << name << ' ' << mach;
  }
}

TEST(GasRunInFloat, OnRanksIsCloseToThatOfOne) {
  SKIP_WITHOUT_MPI();
  for (const char* limiter : {"convex", "none", "convex --set time.scheme=erk33"}) {
    const std::string deck = write_deck("float_ranks.toml", pulse(14, "triangle", 0.3));
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
    const bool alone = limiter == std::string("convex");
    if (alone) expect_near(table(start(2, "float_2")), one, 1e-5);
    const int most = alone ? 4 : 3;
    const fs::path first = start(most, "float_most"), second = start(most, "float_again");
    expect_near(table(first), one, 1e-5);
    EXPECT_EQ(bytes_of(first), bytes_of(second));
  }
}

TEST(GasRunInFloat, OnCudaIsCloseToThatOfThreads) {
  if (!tessera::cuda_info().usable) GTEST_SKIP() << "no GPU: " << tessera::cuda_info().why_not;
  const std::string deck = write_deck("float_cuda.toml", pulse(14, "quad", 0.25));
  const auto probes = [&](const char* backend, const char* name) { return probes_of(deck, backend, name); };
  const fs::path first = probes("cuda", "float_first"), second = probes("cuda", "float_second");
  EXPECT_EQ(bytes_of(first), bytes_of(second));
  expect_near(table(first), table(probes("threads", "float_threads")), 1e-5);
}

}  // namespace
