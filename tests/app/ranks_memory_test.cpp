// What `check` says that ranks take, beside what they then take; and what check itself takes for it.
#include <regex>

#include "app/ranks.hpp"

namespace {

using namespace app_test;

double bytes(const std::string& number, const std::string& unit) {
  return std::stod(number) * (unit == "GiB" ? 1 << 30 : unit == "MiB" ? 1 << 20 : unit == "KiB" ? 1 << 10 : 1);
}
/// Of the line that begins with this word.
double forecast_of(const std::string& text, const std::string& word) {
  std::smatch found;
  const std::regex line(word + R"( +about ([0-9.]+) (B|KiB|MiB|GiB))");
  return std::regex_search(text, found, line) ? bytes(found[1], found[2]) : 0;
}

const std::string tets = box_of("tet", 3, 40) + poisson_of(1) + "[[material]]\nsource = 1\n" +
                         dirichlet_on("[\"left\"]", "y") + "[solver]\nmax_iterations = 4\n";
const std::string in_parts = box_of("hex", 3, 20) + "partition = \"bricks\"\n" + poisson_of(4) +
                             "[[material]]\nsource = 1\n" + dirichlet_on(all_sides(3), "0") +
                             "[assembly]\nstrategy = \"matrix_free\"\n[solver]\npreconditioner = \"chebyshev\"\n"
                             "max_iterations = 4\n";

/// The first rank has the whole mesh and its part of all else, or of a box that is made in parts its part alone.
TEST(RanksMemory, OfTheFirstIsForecastWithinAFactorOf1_3) {
  SKIP_WITHOUT_MPI();
  for (const auto& [name, text] : {std::pair<std::string, std::string>{"tets", tets}, {"in_parts", in_parts}})
    for (const int ranks : {1, 2, 4}) {
      const std::string deck = write_deck("memory_" + name + ".toml", text + "[output]\nformats = []\n");
      const fs::path out = out_of("memory_" + name, ranks);
      const std::string options = deck + " --backend threads --threads 1 ";
      const Result check = app_test::tessera("check " + options + " --ranks " + std::to_string(ranks));
      ASSERT_EQ(check.code, 0) << check.text;
      const std::string run = "run " + options + "--quiet --output " + out.string();
      const Result result = ranks == 1 ? app_test::tessera(run) : on_ranks(ranks, run);
      ASSERT_TRUE(result.says("did not converge")) << result.text;
      const double peak = summary_in(out)["memory"]["host_peak_bytes"], first = forecast_of(check.text, "host");
      const std::string where = fmt::format("{} on {}: forecast {:.4g}, peak {:.4g}", name, ranks, first, peak);
      EXPECT_GT(first, peak / 1.3) << where;
      EXPECT_LT(first, peak * 1.3) << where;
      if (ranks == 1) continue;
      const double all = forecast_of(check.text, "together");
      EXPECT_LE(all, ranks * first * 1.01) << where;  // of numbers in words
      EXPECT_GE(all, first) << where;
    }
}

/// The least limit of the data of a process, in KiB and by a tenth too much at most, under which a deck of hardly any
/// cells is checked: what program and libraries take on this machine.
long least_limit() {
  static const long found = [] {
    const std::string deck =
        write_deck("smallest.toml", box_of("quad", 2, 2) + poisson_of(1) + dirichlet_on("[\"left\"]", "y"));
    long limit = 20000;
    while (limit < 4'000'000 && shell(fmt::format("ulimit -d {}; OMP_NUM_THREADS=1 {} check {} --quiet --backend "
                                                  "threads --threads 1 --ranks 2",
                                                  limit, program(), deck))
                                        .code != 0)
      limit += limit / 10;
    return limit;
  }();
  return found;
}

/// A box that ranks make in parts is checked in the memory of a part: within a limit that the whole would break.
TEST(RanksCheck, OfABoxInPartsNeedsNoWhole) {
  SKIP_WITHOUT_MPI();
  const std::string box =
      "[mesh]\nbox = { min = [0,0,0], max = [1,1,1], cells = [48,48,48], shape = \"hex\" }\n" + poisson_of(4);
  const std::string deck =
      write_deck("limited.toml", box + "[[material]]\nsource = 1\n" + dirichlet_on(all_sides(3), "0") +
                                     "[[quantity]]\nname = \"all\"\nkind = \"integral\"\n");
  const auto check = [&](const std::string& partition) {
    return shell(fmt::format("ulimit -d {}; OMP_NUM_THREADS=1 ", least_limit() + 150'000) + program() + " check " +
                 deck + " --backend threads --threads 1 --ranks 64 --set mesh.partition='\"" + partition + "\"'");
  };
  const Result parts = check("bricks"), whole = check("auto");
  EXPECT_EQ(parts.code, 0) << parts.text;
  EXPECT_TRUE(parts.says("110592 cells")) << parts.text;
  EXPECT_TRUE(parts.says(fmt::format("{} dofs", 193 * 193 * 193))) << parts.text;
  EXPECT_EQ(whole.code, 5) << whole.text;
}

/// The largest that there is a deck of: a thousand million unknowns on 512 ranks.
TEST(RanksCheck, OfAThousandMillionUnknownsTakesLittle) {
  SKIP_WITHOUT_MPI();
  const std::string deck = (source() / "inputs/scaling/thousand_million.toml").string();
  const Result result = shell(fmt::format("ulimit -d {}; OMP_NUM_THREADS=1 ", least_limit() + 350'000) + program() +
                              " check " + deck + " --quiet --backend threads --threads 1 --ranks 512");
  EXPECT_TRUE(result.code == 0 || result.code == 5) << result.text;  // 5: it would not fit here, as it then says
  EXPECT_TRUE(result.says("1003003001 dofs")) << result.text;
  EXPECT_TRUE(result.says("15625000 cells")) << result.text;
}

}  // namespace
