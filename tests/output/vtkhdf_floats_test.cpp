// Files whose fields are floats.
#include <gtest/gtest.h>

#include <limits>
#include <utility>

#include "output/vtkhdf_support.hpp"

namespace tessera::output {
namespace {

/// Of floats a state has half the bytes; they are those of the .vtu file, and coordinates are as they were.
TEST_F(Vtkhdf, OfFloatsHasHalfTheBytes) {
  const fs::path folder = fresh_folder("floats");
  constexpr int cells = 2000, states = 20;
  for (const auto& [name, precision] : {std::pair{"double", Precision::of_double}, {"float", Precision::of_float}}) {
    VtkhdfSeries series(folder / (std::string(name) + ".vtkhdf"), {.compression = 0, .precision = precision});
    for (int i = 0; i <= states; ++i) {
      series.add(i, state(i, cells));
      if (i == 0) write_vtkhdf(state(0, cells), folder / (std::string(name) + "_0.vtkhdf"), {0, 1, precision});
    }
  }
  const auto size = [&](const char* name) { return static_cast<double>(fs::file_size(folder / name)); };
  // u and flux: 4 and 12 bytes a point in the place of 8 and 24; "steady", once, 4 in the place of 8.
  const double points = 3 * (cells + 1), less = (states + 1) * 16 * points + 4 * points;
  EXPECT_NEAR(size("double.vtkhdf") - size("float.vtkhdf"), less, 0.01 * less);
  EXPECT_NEAR(size("double_0.vtkhdf") - size("float_0.vtkhdf"), 20 * points, 0.05 * 20 * points);
  for (const int i : {0, 7, states}) {
    const VtkData rounded = testing::as_floats(state(i, cells));
    const VtuFile read = read_vtkhdf(folder / "float.vtkhdf", static_cast<std::size_t>(i)).state;
    EXPECT_EQ(read.points, rounded.points);
    expect_same_fields(read.point_fields, rounded.point_fields);
    expect_same_fields(read.cell_fields, rounded.cell_fields);
    write_vtu(state(i, cells), folder / "a.vtu", Precision::of_float);
    expect_same_fields(read_vtu(folder / "a.vtu").point_fields, read.point_fields);
  }
}

/// As if it had never ended, and by numbers of the same kind alone.
TEST_F(Vtkhdf, OfFloatsGoesOn) {
  const fs::path folder = fresh_folder("floats_on");
  const VtkhdfOptions floats{.precision = Precision::of_float};
  const fs::path path = folder / "a.vtkhdf";
  {
    VtkhdfSeries series(path, floats);
    for (const double t : {0.0, 1.0, 1.5}) series.add(t, state(t, 500));
  }
  VtkhdfSeries on = VtkhdfSeries::resume(path, 1, floats);
  for (const double t : {2.0, 3.0}) on.add(t, state(t, 500));
  VtkhdfSeries other = VtkhdfSeries::resume(path, 3);
  expect_error([&] { other.add(4, state(4, 500)); }, "its field 'u' is another than that of this run");
  const std::vector<double> times{0, 1, 2, 3};
  ASSERT_EQ(read_vtkhdf(path).times, times);
  for (std::size_t i = 0; i < times.size(); ++i)
    expect_same_fields(read_vtkhdf(path, i).state.point_fields, testing::as_floats(state(times[i], 500)).point_fields);
}

TEST_F(Vtkhdf, OfFloatsIsInfiniteBeyondThem) {
  const fs::path folder = fresh_folder("floats_beyond");
  constexpr double infinity = std::numeric_limits<double>::infinity(), most = std::numeric_limits<float>::max();
  VtkData data = state(1);
  const std::vector<double> wrong{-1e39, most, 1.0000001 * most, -infinity, infinity},
      expected{-infinity, most, infinity, -infinity, infinity};
  std::copy(wrong.begin(), wrong.end(), data.point_fields[1].values.begin());
  VtkhdfSeries(folder / "a.vtkhdf", {.precision = Precision::of_float}).add(1, data);
  write_vtu(data, folder / "a.vtu", Precision::of_float);
  for (const VtuFile& read : {read_vtkhdf(folder / "a.vtkhdf").state, read_vtu(folder / "a.vtu")}) {
    const std::vector<double>& values = field(read.point_fields, "flux").values;
    EXPECT_EQ(std::vector<double>(values.begin(), values.begin() + 5), expected);
  }
}

}  // namespace
}  // namespace tessera::output
