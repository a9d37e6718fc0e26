// Runs that stop and go on, and runs that ranks share.
#include "app/ranks.hpp"
#include "decks.hpp"

namespace {

using namespace wave_test;

/// Two layers, a source, absorbing and prescribed sides, probes of u and v.
std::string layers(const std::string& scheme, const std::string& step) {
  return irregular(2, 1) + physics("elastic", 4) +
         "[[material]]\ndensity = \"2 + x\"\nvp = \"2 + 0.5*y\"\nvs = \"1\"\n"
         "[[group]]\nname = \"left\"\nof = \"curves\"\nwhere = \"x < 1e-6\"\n"
         "[[group]]\nname = \"low\"\nof = \"curves\"\nwhere = \"y < 1e-6\"\n"
         "[[boundary]]\non = [\"left\"]\ntype = \"absorbing\"\n"
         "[[boundary]]\non = [\"low\"]\ntype = \"fixed\"\n"
         "[[source]]\nat = [0.4, 0.6]\nforce = [1, 2]\ntime_function = \"ricker\"\nfrequency = 12\ndelay = 0.05\n"
         "[[source]]\nat = [0.7, 0.3]\nmoment = [1, 1, 0]\ntime_function = \"gaussian\"\nwidth = 0.02\ndelay = 0.04\n"
         "[[probe]]\nname = \"u\"\nat = [0.8, 0.8]\nof = \"u_x\"\n[[probe]]\nname = \"v\"\nat = [0.2, 0.7]\nof = "
         "\"v_y\"\n"
         "[output]\nevery = 20\n" +
         time_to(0.1, step, scheme);
}

std::string bytes_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

TEST(WaveRun, GoesOnBitwiseAsIfItHadNeverStopped) {
  for (const char* scheme : {"newmark", "low_storage_rk45"}) {
    const std::string deck = layers(scheme, "step = 0.0005") + "[checkpoint]\nevery = 7\n";
    const std::string name = std::string("whole_") + scheme, part = std::string("part_") + scheme;
    run(name, deck);
    run(part, deck, "--set time.end=0.05");
    const Result result = tessera("restart " + (folder() / part).string() + " --quiet --set time.end=0.1");
    ASSERT_EQ(result.code, 0) << result.text;
    for (const char* file : {"probes.csv", "solution_000200.vtu", "solution_000120.vtu"}) {
      EXPECT_FALSE(bytes_of(folder() / name / file).empty()) << file;
      EXPECT_EQ(bytes_of(folder() / part / file), bytes_of(folder() / name / file)) << scheme << ' ' << file;
    }
  }
}

TEST(WaveRun, OnRanksIsThatOfOne) {
  SKIP_WITHOUT_MPI();
  for (const char* scheme : {"newmark", "low_storage_rk45"}) {
    const std::string name = std::string("ranks_") + scheme;
    const std::string deck = write_deck(name + ".toml", layers(scheme, "cfl = 0.5"));
    const auto start = [&](int ranks) {
      const fs::path out = folder() / fmt::format("{}_{}", name, ranks);
      const std::string arguments = "run " + deck + " --quiet --backend threads --output " + out.string();
      const Result result = ranks == 1 ? app_test::tessera(arguments) : on_ranks(ranks, arguments);
      EXPECT_EQ(result.code, 0) << result.text;
      return table(out / "probes.csv");
    };
    const auto one = start(1);
    ASSERT_GT(one.size(), 50U);
    double size = 0;
    for (const auto& row : one) size = std::max(size, std::abs(row[1]));
    EXPECT_GT(size, 0);
    for (const int ranks : {2, 4}) {
      const auto many = start(ranks);
      ASSERT_EQ(many.size(), one.size());
      for (std::size_t i = 0; i < one.size(); ++i)
        for (std::size_t k = 0; k < one[i].size(); ++k)
          ASSERT_NEAR(many[i][k], one[i][k], 1e-11 * std::max(1.0, std::abs(one[i][k]))) << ranks << ' ' << i;
    }
  }
}

}  // namespace
