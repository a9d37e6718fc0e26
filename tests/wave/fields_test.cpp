// Fields that are derived from waves: divergence and curl, and maps of the largest values there were.
#include "app/ranks.hpp"
#include "base/backend.hpp"
#include "decks.hpp"

namespace {

using namespace wave_test;

std::string quantity(const std::string& name, const std::string& kind, const std::string& of,
                     const std::string& at = "") {
  return fmt::format("[[quantity]]\nname = \"{}\"\nkind = \"{}\"\nof = \"{}\"\n{}", name, kind, of,
                     at.empty() ? "" : "at = [" + at + "]\n");
}

/// Of polynomials that the elements have, off the nodes. The first row is that of the first state.
TEST(WaveFields, HaveTheDivergenceAndTheCurl) {
  const std::string material = "[[material]]\ndensity = 2\nvp = 2\nvs = 1\n", x = "0.37, 0.61";
  run("plane", box(2, 3) + physics("elastic", 4) + material +
                   "[[initial]]\nu = [\"x^2*y\", \"x*y^3\"]\nv = [\"3*x*y\", \"x^2\"]\n" + time_to(0.01, "cfl = 0.5") +
                   quantity("a", "value", "div_u", x) + quantity("b", "value", "curl_u_z", x) +
                   quantity("c", "value", "div_v", x) + quantity("d", "value", "curl_v_z", x) +
                   quantity("e", "max", "curl_u_x") + "[output]\nfields = [\"u\", \"div_u\", \"curl_v\"]\n");
  const auto plane = table(folder() / "plane" / "quantities.csv").front();
  EXPECT_NEAR(plane[1], 2 * 0.37 * 0.61 + 3 * 0.37 * 0.61 * 0.61, 1e-11);
  EXPECT_NEAR(plane[2], std::pow(0.61, 3) - 0.37 * 0.37, 1e-11);
  EXPECT_NEAR(plane[3], 3 * 0.61, 1e-11);
  EXPECT_NEAR(plane[4], 2 * 0.37 - 3 * 0.37, 1e-11);
  EXPECT_EQ(plane[5], 0);
  const std::string y = "0.3, 0.45, 0.8";
  run("space", box(3, 2) + physics("elastic", 3) + material + "[[initial]]\nu = [\"x*y\", \"y*z\", \"z*x\"]\n" +
                   time_to(0.01, "cfl = 0.5") + quantity("a", "value", "div_u", y) +
                   quantity("b", "value", "curl_u_x", y) + quantity("c", "value", "curl_u_y", y) +
                   quantity("d", "value", "curl_u_z", y) + "[output]\nformats = []\n");
  const auto space = table(folder() / "space" / "quantities.csv").front();
  EXPECT_NEAR(space[1], 0.3 + 0.45 + 0.8, 1e-11);
  EXPECT_NEAR(space[2], -0.45, 1e-11);
  EXPECT_NEAR(space[3], -0.8, 1e-11);
  EXPECT_NEAR(space[4], -0.3, 1e-11);
}

/// A standing wave of shear has its whole size within half a period, and its greatest speed where it begins.
TEST(WaveFields, KeepTheLargestValues) {
  const std::string x = "0.3333333333333333, 0.6666666666666666";  // a node: sizes are no polynomials
  const double shape =
                   std::hypot(std::cos(M_PI / 3) * std::sin(2 * M_PI / 3), std::sin(M_PI / 3) * std::cos(2 * M_PI / 3)),
               omega = std::sqrt(2.0) * M_PI;
  for (const char* precision : {"double", "float"}) {
    const nlohmann::json solid =
        run("peak",
            box(2, 3) + physics("elastic", 7) +
                "[[material]]\ndensity = \"2\"\nvp = \"2\"\nvs = \"1\"\n[[initial]]\nv = "
                "[\"cos(pi*x)*sin(pi*y)\", \"-sin(pi*x)*cos(pi*y)\"]\n" +
                quantity("u", "value", "peak_u", x) + quantity("v", "value", "peak_v", x) + time_to(1, "cfl = 0.1"),
            std::string("--set run.precision=") + precision);
    EXPECT_NEAR(double(solid["quantities"]["u"]), shape / omega, 1e-4);
    EXPECT_NEAR(double(solid["quantities"]["v"]), shape, 1e-4);
  }
  const nlohmann::json fluid =
      run("peak_p", deck_of(standing_pressure(2), box(2, 3), 7, time_to(1, "cfl = 0.1")) +
                        quantity("p", "value", "peak_p", x) + quantity("rate", "value", "peak_p_rate", x));
  const double of_p = std::abs(std::cos(M_PI / 3) * std::cos(4 * M_PI / 3));
  EXPECT_NEAR(double(fluid["quantities"]["p"]), of_p, 1e-3);
  EXPECT_NEAR(double(fluid["quantities"]["rate"]), of_p * 1.5 * M_PI * std::sqrt(5.0), 1e-2);
}

/// A pulse whose largest values are over before the run is stopped; solids that attenuate, beside a fluid, and in space
/// with a perfectly matched layer.
std::string shaken(const std::string& kind) {
  const bool layers = kind == "layers";
  const std::string groups = group("low", "surfaces", "y < 0.5") + group("high", "surfaces", "y > 0.5"),
                    solid = "density = 2\nvp = 2\nvs = 1\n";
  std::string deck = box(layers ? 3 : 2, 4) + physics(kind == "coupled" ? "coupled" : "elastic", layers ? 3 : 4);
  if (kind == "coupled")
    deck += groups + "[[material]]\non = \"high\"\ndensity = 1\nvp = 1.5\n[[material]]\non = \"low\"\n" + solid;
  else
    deck += "[[material]]\n" + solid + (kind == "lossy" ? "q_mu = 20\n[attenuation]\nband = [1, 20]\n" : "");
  if (layers) deck += "[[boundary]]\non = [\"right\"]\ntype = \"pml\"\nlayers = 2\n";
  return deck + "[[source]]\nat = [0.4, 0.3" + (layers ? ", 0.4]\nforce = [1, 2, 1" : "]\nforce = [1, 2") +
         "]\ntime_function = \"ricker\"\nfrequency = 6\n" + quantity("u", "max", "peak_u") +
         quantity("v", "max", "peak_v") + quantity("v2", "integral", "peak_v") +
         "[output]\nevery = 20\nfields = [\"u\", \"peak_u\", \"peak_v\", \"curl_v\", \"div_u\"]\n[checkpoint]\nevery = "
         "7\n" +
         time_to(0.8, "step = 0.004");
}

TEST(WaveFields, OfPeaksGoOnAsIfTheRunHadNeverStopped) {
  const auto bytes = [](const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(stream), {});
  };
  for (const char* kind : {"solid", "lossy", "coupled", "layers"}) {
    const std::string whole = std::string("whole_") + kind, part = std::string("part_") + kind;
    run(whole, shaken(kind));
    run(part, shaken(kind), "--set time.end=0.6");
    const Result result = app_test::tessera("restart " + (folder() / part).string() + " --quiet --set time.end=0.8");
    ASSERT_EQ(result.code, 0) << result.text;
    for (const char* file : {"quantities.csv", "solution_000200.vtu"}) {
      EXPECT_FALSE(bytes(folder() / whole / file).empty()) << file;
      EXPECT_EQ(bytes(folder() / part / file), bytes(folder() / whole / file)) << kind << ' ' << file;
    }
  }
}

TEST(WaveFields, OnRanksAreThoseOfOne) {
  SKIP_WITHOUT_MPI();
  for (const char* kind : {"lossy", "coupled"}) {
    const std::string deck = write_deck(std::string("shaken_") + kind + ".toml", shaken(kind));
    const auto on = [&](int ranks) {
      const fs::path out = folder() / fmt::format("shaken_{}_{}", kind, ranks);
      const std::string arguments = "run " + deck + " --quiet --backend threads --output " + out.string();
      const Result result = ranks == 1 ? app_test::tessera(arguments) : on_ranks(ranks, arguments);
      EXPECT_EQ(result.code, 0) << result.text;
      return table(out / "quantities.csv");
    };
    const auto one = on(1), two = on(2);
    ASSERT_EQ(one.size(), two.size());
    EXPECT_GT(one.back()[1], 0);
    for (std::size_t i = 0; i < one.size(); ++i)
      for (std::size_t k = 1; k < one[i].size(); ++k)
        ASSERT_NEAR(two[i][k], one[i][k], 1e-11 * one.back()[k]) << kind << ' ' << i << ' ' << k;
  }
}

TEST(WaveFields, OnCudaAreThoseOfThreads) {
  if (!::tessera::cuda_info().usable) GTEST_SKIP() << "no GPU: " << ::tessera::cuda_info().why_not;
  for (const char* kind : {"solid", "lossy", "coupled", "layers"}) {
    const std::string deck = write_deck(std::string("shaken_cuda_") + kind + ".toml", shaken(kind));
    const auto by = [&](const std::string& backend) {
      const fs::path out = folder() / ("shaken_" + backend);
      const Result result =
          app_test::tessera("run " + deck + " --quiet --backend " + backend + " --output " + out.string());
      EXPECT_EQ(result.code, 0) << result.text;
      return table(out / "quantities.csv");
    };
    const auto cuda = by("cuda"), threads = by("threads");
    ASSERT_EQ(cuda.size(), threads.size());
    for (std::size_t i = 0; i < cuda.size(); ++i)
      for (std::size_t k = 1; k < cuda[i].size(); ++k)
        ASSERT_NEAR(cuda[i][k], threads[i][k], 1e-11 * threads.back()[k]) << kind << ' ' << i << ' ' << k;
  }
}

TEST(WaveFields, AreRefusedWhereTheyAreNotThere) {
  const auto refused = [](const char* name, const std::string& deck, const std::vector<std::string>& parts) {
    expect_says(app_test::tessera("run " + write_deck(std::string(name) + ".toml", deck) +
                                  " --quiet --backend threads --output " + (folder() / "no").string()),
                {name, {}, 2, parts});
  };
  const std::string solid = "[[material]]\ndensity = 2\nvp = 2\nvs = 1\n";
  refused("peaks_of_rk4",
          box(2, 2) + physics("elastic", 4) + solid + time_to(0.1, "cfl = 0.5", "rk4") +
              "[output]\nfields = [\"u\", \"peak_v\"]\n",
          {"maps of peaks with scheme = \"rk4\"", "peaks are kept by scheme = \"newmark\""});
  refused("curl_of_p",
          box(2, 2) + physics("acoustic", 4) + "[[material]]\ndensity = 1\nvp = 1\n" + time_to(0.1, "cfl = 0.5") +
              "[output]\nfields = [\"curl_u\"]\n",
          {"unknown output field 'curl_u'"});
  refused("traces_of_nothing",
          box(2, 2) + physics("elastic", 4) + solid + time_to(0.1, "cfl = 0.5") + "[output]\nformats = [\"hdf5\"]\n",
          {"the traces of probes, and the deck has no [[probe]]", "add a [[probe]]"});
}

/// The tables of probes stand beside their copies in HDF5, at the end of a run, on any number of ranks.
TEST(WaveFields, OfProbesAreWrittenInHdf5Too) {
  const std::string deck = box(2, 3) + physics("elastic", 4) + "[[material]]\ndensity = 2\nvp = 2\nvs = 1\n" +
                           "[[source]]\nat = [0.4, 0.3]\nforce = [1, 2]\ntime_function = \"ricker\"\nfrequency = 6\n" +
                           probe("a", "0.3, 0.7", "u_x") + probe("b", "0.5, 0.7", "a_y") + "every = 5\n" +
                           time_to(0.2, "step = 0.004") + "[output]\nformats = [\"hdf5\"]\n";
  const Result result = app_test::tessera("run " + write_deck("traces.toml", deck) +
                                          " --quiet --backend threads --output " + (folder() / "traces").string());
  if (result.text.find("built without HDF5") != std::string::npos) GTEST_SKIP() << "no HDF5";
  ASSERT_EQ(result.code, 0) << result.text;
  for (const char* name : {"probes.csv", "probes.h5", "probes_every_5.csv", "probes_every_5.h5"})
    EXPECT_TRUE(fs::exists(folder() / "traces" / name)) << name;
  EXPECT_EQ(table(folder() / "traces" / "probes_every_5.csv").size(), 11U);
  EXPECT_FALSE(fs::exists(folder() / "traces" / "solution.pvd"));
}

}  // namespace
