#include "deck/grid_table.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

namespace tessera::deck {
namespace {

namespace fs = std::filesystem;

class GridTables : public ::testing::Test {
 protected:
  GridTables() : folder_(fs::path(::testing::TempDir()) / ("tessera_grid_table_" + std::to_string(::getpid()))) {
    fs::create_directories(folder_);
  }
  ~GridTables() override { fs::remove_all(folder_); }

  GridTable of(const std::string& content) const {
    std::ofstream(folder_ / "grid.csv") << content;
    return read_grid_table(folder_ / "grid.csv", Position{"deck.toml", 3, 8, "file = \"grid.csv\""});
  }
  /// Refused with this message, in this line of the file, or of the deck.
  void expect_refused(const std::string& content, const std::string& message, int line, bool in_deck = false) const {
    SCOPED_TRACE(message);
    try {
      of(content);
      FAIL() << "not refused";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::usage);
      EXPECT_NE(std::string(error.what()).find(message), std::string::npos) << error.what();
      EXPECT_FALSE(error.help().empty());
      ASSERT_TRUE(error.where());
      EXPECT_EQ(error.where()->line, line);
      EXPECT_EQ(error.where()->file, in_deck ? "deck.toml" : (folder_ / "grid.csv").string());
    }
  }

  fs::path folder_;
};

/// 3 x 4 x 2 points, apart as they like, with the rows in an order of their own.
std::string cuboid() {
  std::string text = "# a model\n z, a ,x, y,b\n";
  for (const double x : {0.0, 1.0, 3.0})
    for (const double z : {-1.0, 2.0})
      for (const double y : {5.0, 4.0, 10.0, 7.5})
        text += fmt::format("{},{},{},{},{}\n", z, 2 + x - 3 * y + z + 0.5 * x * y * z, x, y, x * z);
  return text;
}

TEST_F(GridTables, GiveProductsOfLinearFunctionsExactly) {
  const GridTable grid = of(cuboid());
  ASSERT_EQ(grid.columns, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(grid.points(), 24U);
  EXPECT_EQ(grid.column("b"), 1);
  EXPECT_EQ(grid.column("c"), -1);
  for (const double x : {0.0, 0.3, 1.0, 2.2, 3.0})
    for (const double y : {4.0, 4.9, 7.5, 9.0, 10.0})
      for (const double z : {-1.0, 0.1, 2.0}) {
        const double at[] = {x, y, z};
        EXPECT_TRUE(grid.contains(at));
        EXPECT_NEAR(grid.at(0, at), 2 + x - 3 * y + z + 0.5 * x * y * z, 1e-12);
        EXPECT_NEAR(grid.at(1, at), x * z, 1e-12);
      }
}

TEST_F(GridTables, EndAtTheirPointsAndHoldTheNearestValueOutside) {
  const GridTable grid = of(cuboid());
  const double outside[] = {4, 3, 0.5}, inside[] = {3, 4, 0.5};
  EXPECT_FALSE(grid.contains(outside));
  EXPECT_EQ(grid.at(0, outside), grid.at(0, inside));
  const double rounded[] = {3 + 1e-10, 4, 2};
  EXPECT_TRUE(grid.contains(rounded));
  EXPECT_EQ(grid.extent(), "x from 0 to 3, y from 4 to 10, z from -1 to 2");
}

TEST_F(GridTables, OfOneAxisAreTheSameAlongTheOthers) {
  const GridTable grid = of("z;vp\r\n-2;5\r\n\r\n0;1\r\n-1;2\r\n");
  for (const double x : {-100.0, 0.0, 7.0}) {
    const double high[] = {x, 3 * x, -0.5}, low[] = {x, x, -1.25};
    EXPECT_TRUE(grid.contains(high));
    EXPECT_DOUBLE_EQ(grid.at(0, high), 1.5);
    EXPECT_DOUBLE_EQ(grid.at(0, low), 2.75);
  }
}

TEST_F(GridTables, TakeCoordinatesThatDifferByRoundingAsOne) {
  const GridTable grid = of("x y a\n0 0 1\n0.30000000000000004 0 2\n0 1 3\n0.3 1 4\n");
  EXPECT_EQ(grid.points(), 4U);
  EXPECT_EQ(grid.axes[0].size(), 2U);
}

TEST_F(GridTables, AreRefusedWhereTheyAreNone) {
  expect_refused("0, 1, 2\n", "begins with a number", 1);
  expect_refused("a, b\n1, 2\n", "no column is called x, y or z", 1);
  expect_refused("x, a, a\n1, 2, 3\n", "two columns are called 'a'", 1);
  expect_refused("x, a\n0, 1\n1\n", "this row has 1 number, and there are 2 columns", 3);
  expect_refused("x, a\n0, 1, 2\n", "more numbers than the 2 columns", 2);
  expect_refused("x, a\n0, inf\n", "not finite", 2);
  expect_refused("x, a\n0, 1\n1, 2\n0, 3\n", "this point of the grid stands in line 2, too", 4);
  expect_refused("x, y, a\n0, 0, 1\n1, 0, 1\n0, 1, 1\n",
                 "x has 2 values, y has 2 values, which makes 4 points, and "
                 "there are 3",
                 3, true);
  expect_refused("x, a\n0, 1\n", "has 1 value of x; expected at least two", 3, true);
  expect_refused("x, a\n", "has 0 values of x", 3, true);
  expect_refused("", "has no rows", 3, true);
  std::string scattered = "x,y,z,a\n";
  for (int i = 0; i < 100; ++i) scattered += fmt::format("{0},{0},{0},1\n", i);
  expect_refused(scattered, "the 100 rows of", 3, true);
}

TEST_F(GridTables, ThatAreNotThereAreSaidSo) {
  try {
    read_grid_table(folder_ / "none.csv");
    FAIL() << "not refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::file_system);
  }
}

}  // namespace
}  // namespace tessera::deck
