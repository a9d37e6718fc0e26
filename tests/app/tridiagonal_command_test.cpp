// `tessera tridiagonal` as a user runs it.
#include <cmath>

#include "app/program.hpp"
#include "linalg/market_vector.hpp"

namespace {

using namespace app_test;

/// -x_{i-1} + 2 x_i - x_{i+1}, whose solution for rhs is 1 everywhere, as lines of text.
std::string rows_file(int n) {
  std::string text = "lower, diag, upper, rhs  # the names of the columns\n";
  for (int i = 0; i < n; ++i)
    text += std::string(i > 0 ? "-1" : "0") + ", 2, " + (i + 1 < n ? "-1" : "0") + ", " +
            (i == 0 || i + 1 == n ? "1" : "0") + "\n";
  return write_deck("rows.csv", text);
}

TEST(TridiagonalCommand, SolvesByEveryMethodAndPrintsATable) {
  const std::string x = (folder() / "x.mtx").string();
  const Result result =
      app_test::tessera("tridiagonal " + rows_file(500) + " --backend threads --repeat 1 --batch 3 -o " + x);
  EXPECT_EQ(result.code, 0) << result.text;
  for (const char* word : {"500 rows, 3 times", "solve ms", "backward error", "forward error", "\n  thomas ",
                           "\n  lu_pivoting ", "\n  cyclic_reduction ", "\n  parallel_cyclic_reduction ", "\n  cr_pcr ",
                           "\n  spike_cr ", "\n  spike_pivoting ", "\n  spike_diagonal_pivoting ", "auto takes "})
    EXPECT_TRUE(result.says(word)) << word << "\n" << result.text;
  EXPECT_FALSE(result.says(" nan")) << result.text;
  const auto solution = tessera::linalg::read_market_vector(x);
  ASSERT_EQ(solution.size(), 500);
  for (const double value : solution) EXPECT_NEAR(value, 1, 1e-11);
}

/// Without a right-hand side one is made, for x_i = 1 + sin(i)/2; interleaved systems are the same systems.
TEST(TridiagonalCommand, TakesAMatrixMarketFile) {
  std::string entries;
  constexpr int n = 40;
  for (int i = 1; i <= n; ++i) {
    entries += std::to_string(i) + " " + std::to_string(i) + " 3\n";
    if (i > 1) entries += std::to_string(i) + " " + std::to_string(i - 1) + " -1\n";
  }
  const std::string file =
      write_deck("three.mtx", "%%MatrixMarket matrix coordinate real symmetric\n40 40 79\n" + entries);
  const std::string x = (folder() / "x.csv").string();
  const Result result =
      app_test::tessera("tridiagonal " + file + " --backend threads --repeat 1 --method lu_pivoting --batch 5 " +
                        "--interleaved -o " + x);
  EXPECT_EQ(result.code, 0) << result.text;
  EXPECT_FALSE(result.says("thomas")) << result.text;
  std::ifstream csv(x);
  std::string title;
  std::getline(csv, title);
  EXPECT_EQ(title, "x");
  double value = 0;
  int count = 0;
  for (; csv >> value; ++count) EXPECT_NEAR(value, 1 + 0.5 * std::sin(count), 1e-14);
  EXPECT_EQ(count, n);
}

TEST(TridiagonalCommand, SaysWhichMethodsFail) {
  const Result result =
      app_test::tessera("tridiagonal --backend threads --repeat 1 " + write_deck("pivot.csv", "0 0 1\n1 0 1\n1 1 0\n"));
  EXPECT_EQ(result.code, 0) << result.text;
  EXPECT_TRUE(result.says("without pivoting it is not safe for this matrix")) << result.text;
  const Result singular = app_test::tessera("tridiagonal --backend threads --repeat 1 " +
                                            write_deck("singular.csv", "0 0 1\n1 0 1\n1 0 0\n"));
  EXPECT_EQ(singular.code, 4) << singular.text;
  EXPECT_TRUE(singular.says("the matrix is singular")) << singular.text;
  EXPECT_FALSE(singular.says("nan")) << singular.text;
}

TEST(TridiagonalCommand, RefusesOtherFiles) {
  const auto refused = [](const std::string& arguments, const std::string& what, int code = 2) {
    const Result result = app_test::tessera("tridiagonal " + arguments);
    EXPECT_EQ(result.code, code) << result.text;
    EXPECT_TRUE(result.says(what)) << result.text;
  };
  refused(write_deck("wide.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 2\n1 1 1\n1 3 1\n"),
          "entry (1, 3) lies beside the three diagonals");
  refused(write_deck("word.csv", "0, 1, 0\n0, one, 0\n"), "'one' is no finite number");
  refused(write_deck("short.csv", "0, 1, 0, 1\n0, 1, 0\n"), "short.csv:2:1");
  refused(write_deck("empty.csv", "# nothing\n"), "holds no rows");
  refused(rows_file(4) + " --rhs " + write_deck("five.txt", "1 2 3 4 5\n"), "holds 5 numbers, the matrix has 4 rows");
  refused(rows_file(4) + " --rhs " + write_deck("word.txt", "1 2 three 4\n"), "'three' is no number");
  refused(rows_file(4) + " --method tomas", "did you mean 'thomas'");
  refused(rows_file(4) + " -o x.txt", "ends in .mtx or .csv");
  refused("/nonexistent.csv", "/nonexistent.csv", 7);
}

}  // namespace
