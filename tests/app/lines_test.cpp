// [[line]] and [output] formats: tables that a spreadsheet or a script reads.
#include <cmath>

#include "app/program.hpp"
#include "output/csv.hpp"

namespace {

using app_test::expect_says;
using app_test::folder;
using app_test::program;
using app_test::Result;
using app_test::summary_in;
using app_test::write_deck;
using tessera::output::Column;
namespace fs = std::filesystem;

Result run_program(const std::string& arguments) { return app_test::shell(program() + " " + arguments); }

/// u = x^2 + 2 y on a rectangle, which quadratic elements hold exactly.
std::string deck(const std::string& name, const std::string& more, const std::string& box = "") {
  return write_deck(
      name + ".toml",
      "[mesh]\nbox = " + (box.empty() ? "{ min = [0, 0], max = [2, 1], cells = [8, 6], shape = \"triangle\" }" : box) +
          R"(
[run]
backend = "threads"
[physics]
type = "poisson"
order = 2
[[material]]
source = -2
[[boundary]]
on = ["left", "right", "bottom", "top"]
type = "dirichlet"
value = "x^2 + 2*y"
[solver]
tolerance = 1e-12
)" + more);
}

Result run(const std::string& deck, const fs::path& out, const std::string& options = "") {
  return run_program("run --quiet " + deck + " --output " + out.string() + options);
}

std::vector<std::string> names_of(const std::vector<Column>& table) {
  std::vector<std::string> names;
  for (const Column& column : table) names.push_back(column.name);
  return names;
}

using Names = std::vector<std::string>;

TEST(Line, HoldsTheFieldsAtItsPoints) {
  const fs::path out = folder() / "line";
  const Result result = run(deck("line",
                                 "[[line]]\nname = \"middle\"\nfrom = [0, 0.5]\nto = [2, 0.5]\npoints = 21\n"
                                 "of = [\"u\", \"flux\"]\n[[line]]\nfrom = [0, 0]\nto = [2, 1]\n"),
                            out);
  ASSERT_EQ(result.code, 0) << result.text;
  const auto middle = tessera::output::read_csv(out / "middle.csv");
  ASSERT_EQ(names_of(middle), (Names{"s", "x", "y", "z", "u", "flux_x", "flux_y"}));
  ASSERT_EQ(middle[0].values.size(), 21u);
  EXPECT_EQ(middle[0].values.back(), 2);
  for (std::size_t i = 0; i < 21; ++i) {
    const double x = middle[1].values[i];
    EXPECT_NEAR(middle[0].values[i], 0.1 * static_cast<double>(i), 1e-15);
    EXPECT_EQ(middle[2].values[i], 0.5);
    EXPECT_NEAR(middle[4].values[i], x * x + 1, 1e-10);
    EXPECT_NEAR(middle[5].values[i], -2 * x, 1e-8);
    EXPECT_NEAR(middle[6].values[i], -2, 1e-8);
  }
  const auto diagonal = tessera::output::read_csv(out / "line_2.csv");
  ASSERT_EQ(names_of(diagonal), (Names{"s", "x", "y", "z", "u"}));
  EXPECT_EQ(diagonal[0].values.size(), 101u);
  EXPECT_NEAR(diagonal[0].values.back(), std::sqrt(5.0), 1e-15);
  EXPECT_EQ(summary_in(out)["files"], (Names{"solution.vtu", "solution.pvd", "middle.csv", "line_2.csv"}));
}

TEST(Line, OfAGridAndOfAnInterval) {
  const fs::path out = folder() / "grid_line";
  const std::string grid =
      deck("grid_line", "type = \"fft\"\n[output]\nwrite = false\n[[line]]\nfrom = [0, 0]\nto = [0, 1]\n",
           "{ min = [0, 0], max = [2, 1], cells = [16, 8], shape = \"quad\" }");
  const Result result = run(grid, out, " --set physics.order=1 --set solver.tolerance=1e-10");
  ASSERT_EQ(result.code, 0) << result.text;
  const auto table = tessera::output::read_csv(out / "line_1.csv");
  for (std::size_t i = 0; i < 101; ++i) EXPECT_NEAR(table[4].values[i], 2 * table[2].values[i], 1e-12);
  EXPECT_FALSE(fs::exists(out / "solution.vtu"));

  const std::string interval = write_deck("interval_line.toml", R"([mesh]
box = { min = [0], max = [1], cells = [1000], shape = "interval" }
[run]
backend = "threads"
[physics]
type = "two_point_bvp"
f = 2
[[line]]
from = 0.25
to = 0.75
points = 3
of = ["u", "flux"]
)");
  ASSERT_EQ(run(interval, out).code, 0);
  const auto bvp = tessera::output::read_csv(out / "line_1.csv");
  ASSERT_EQ(names_of(bvp), (Names{"s", "x", "y", "z", "u", "flux_x"}));
  for (std::size_t i = 0; i < 3; ++i) {  // u = 1 - x^2
    const double x = bvp[1].values[i];
    EXPECT_NEAR(bvp[4].values[i], 1 - x * x, 1e-6);
    EXPECT_NEAR(bvp[5].values[i], 2 * x, 1e-6);
  }
}

TEST(Line, ThatLeavesTheMeshIsRefusedWithItsPoint) {
  for (const char* command : {"check ", "run "}) {
    auto refused = [&](const std::string& line, int code, const std::vector<std::string>& parts) {
      expect_says(
          run_program(command + deck("bad_line", "[[line]]\n" + line) + " --output " + (folder() / "bad").string()),
          {"", "", code, parts});
    };
    refused("from = [0, 0.5]\nto = [4, 0.5]\npoints = 5\n", 2,
            {"line 'line_1': point 4 of 5, (3, 0.5, 0), is in no cell", "lies in [0, 2] x [0, 1]", "bad_line.toml:16"});
    refused("from = [0, 0, 0]\nto = [1, 1, 0]\n", 2, {"`from` has 3 numbers", "2 dimensions"});
    refused("from = [1, 1]\nto = [1, 1]\n", 2, {"the same point"});
    refused("name = \"../x\"\nfrom = [0, 0]\nto = [1, 1]\n", 2, {"not that of a file"});
    refused("name = \"solution\"\nfrom = [0, 0]\nto = [1, 1]\n", 2, {"choose another name"});
    refused("from = [0, 0]\nto = [1, 1]\nof = \"v\"\n", 2, {"'v'"});
    refused("name = \"a\"\nfrom = [0, 0]\nto = [1, 1]\n[[line]]\nname = \"a\"\nfrom = [0, 0]\nto = [1, 0]\n", 2,
            {"another line has this name"});
  }
}

TEST(Formats, CsvHoldsWhatVtuHolds) {
  const fs::path out = folder() / "formats";
  ASSERT_EQ(run(deck("formats", "[output]\nformats = [\"vtu\", \"csv\"]\n"), out).code, 0);
  EXPECT_TRUE(fs::exists(out / "solution.vtu"));
  const auto table = tessera::output::read_csv(out / "solution.csv");
  ASSERT_EQ(names_of(table), (Names{"x", "y", "z", "u", "flux_x", "flux_y", "flux_z"}));
  ASSERT_EQ(table[0].values.size(), 17u * 13u);
  for (std::size_t i = 0; i < table[0].values.size(); ++i)
    EXPECT_NEAR(table[3].values[i], table[0].values[i] * table[0].values[i] + 2 * table[1].values[i], 1e-10);
  ASSERT_EQ(run(deck("csv_only", "[output]\nformats = \"csv\"\n"), out).code, 0);
  EXPECT_FALSE(fs::exists(out / "solution.vtu")) << "of the run before";
  EXPECT_TRUE(fs::exists(out / "solution.csv"));
  ASSERT_EQ(run(deck("no_format", "[output]\nformats = []\n"), out).code, 0);
  const auto summary = summary_in(out);
  for (const auto& phase : summary["phases"]) EXPECT_NE(phase["name"], "output") << "nothing is to be written";
  expect_says(run(deck("wrong_format", "[output]\nformats = \"xdmf\"\n"), out),
              {"", "", 2, {"'xdmf'", "vtu, vtkhdf, csv"}});
}

}  // namespace
