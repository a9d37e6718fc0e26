// `tessera spmv` as a user runs it.
#include "app/program.hpp"

namespace {

using namespace app_test;

/// A matrix file: 5-point stencil on an n x n grid, lower triangle.
std::string grid_file(int n) {
  std::string entries;
  int count = 0;
  for (int y = 0; y < n; ++y)
    for (int x = 0; x < n; ++x) {
      const int row = y * n + x + 1;
      auto add = [&](int col, int value) {
        entries += std::to_string(row) + " " + std::to_string(col) + " " + std::to_string(value) + "\n";
        ++count;
      };
      if (y > 0) add(row - n, -1);
      if (x > 0) add(row - 1, -1);
      add(row, 4);
    }
  return write_deck("grid.mtx", "%%MatrixMarket matrix coordinate integer symmetric\n" + std::to_string(n * n) + " " +
                                    std::to_string(n * n) + " " + std::to_string(count) + "\n" + entries);
}

TEST(SpmvCommand, TimesEveryFormatAndPrintsATable) {
  const Result result = app_test::tessera("spmv " + grid_file(40) + " --backend threads --repeat 2");
  EXPECT_EQ(result.code, 0) << result.text;
  EXPECT_TRUE(result.says("1600 x 1600, 7840 non-zeros, 4.9 a row, 5 in the longest")) << result.text;
  for (const char* word : {"format", "convert ms", "SpMV ms", "GB/s", "stored", "padding", "difference", "\n  crs ",
                           "\n  ell ", "\n  sliced_ell ", "\n  packed_ell ", "\n  cmrs ", "auto takes packed_ell:"})
    EXPECT_TRUE(result.says(word)) << word << "\n" << result.text;
  EXPECT_FALSE(result.says("nan")) << result.text;
}

TEST(SpmvCommand, SaysWhichFormatRefusesAMatrix) {
  std::string entries;
  for (int col = 1; col <= 20000; ++col) entries += "1 " + std::to_string(col) + "\n";
  const Result result = app_test::tessera(
      "spmv --backend threads --repeat 1 " +
      write_deck("row.mtx", "%%MatrixMarket matrix coordinate pattern general\n20000 20000 20000\n" + entries));
  EXPECT_EQ(result.code, 0) << result.text;
  EXPECT_TRUE(result.says("format ell would store")) << result.text;
  EXPECT_TRUE(result.says("the longest has 20000")) << result.text;
}

TEST(SpmvCommand, EmptyMatricesAreFine) {
  EXPECT_EQ(app_test::tessera("spmv --backend threads --repeat 1 " +
                              write_deck("empty.mtx", "%%MatrixMarket matrix coordinate real general\n0 0 0\n"))
                .code,
            0);
  EXPECT_EQ(app_test::tessera("spmv --backend threads --repeat 1 " +
                              write_deck("none.mtx", "%%MatrixMarket matrix coordinate real general\n3 5 0\n"))
                .code,
            0);
}

TEST(SpmvCommand, ExitCodesAndMessages) {
  Result result = app_test::tessera("spmv /nonexistent/a.mtx --backend threads");
  EXPECT_EQ(result.code, 7) << result.text;
  EXPECT_TRUE(result.says("error: there is no matrix file '/nonexistent/a.mtx'")) << result.text;

  const std::string bad = write_deck("bad.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 1\n3 1 7.5\n");
  result = app_test::tessera("spmv --backend threads " + bad);
  EXPECT_EQ(result.code, 2) << result.text;
  EXPECT_TRUE(result.says("row 3 of 1 to 2")) << result.text;
  EXPECT_TRUE(result.says("--> " + bad + ":3:1")) << result.text;

  EXPECT_EQ(app_test::tessera("spmv").code, 2);
  EXPECT_EQ(app_test::tessera("spmv " + bad + " --backend gpu").code, 2);
  EXPECT_EQ(app_test::tessera("spmv " + bad + " --repeat 0").code, 2);
  EXPECT_TRUE(app_test::tessera("--help").says("  spmv"));
}

}  // namespace
