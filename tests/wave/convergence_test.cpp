// Orders in space and time against standing waves.
#include "decks.hpp"

namespace {

using namespace wave_test;

struct Case {
  const char* name;
  int dim;
  bool regular;
  bool elastic;
};
void PrintTo(const Case& of, std::ostream* stream) { *stream << of.name; }
class SpatialOrder : public ::testing::TestWithParam<Case> {};

/// Errors fall as h^(p+1). Meshes of one cell an axis more are coarser than halves, so that high degrees stay above
/// rounding and the time's error, which a scheme of order 4 with a tenth of its longest step keeps below 1e-10.
TEST_P(SpatialOrder, IsOneAboveTheDegree) {
  const auto [name, dim, regular, elastic] = GetParam();
  for (const int degree : {2, 3, 4, 5, 6, 7, 8}) {
    if (dim == 3 && degree > 6) continue;  // minutes
    const Standing wave = elastic ? standing_shear(dim) : standing_pressure(dim);
    const std::string time = time_to(0.2, degree > 5 ? "cfl = 0.1" : "cfl = 0.3", "low_storage_rk45");
    const int coarse = degree > 5 ? 1 : 2, fine = 2 * coarse;
    const auto error = [&](int cells) {
      const std::string mesh = regular ? box(dim, cells) : irregular(dim, cells == coarse ? 0 : 1);
      return l2_error(deck_of(wave, mesh, degree, time), wave.field);
    };
    const double first = error(coarse), second = error(fine), order = std::log2(first / second);
    EXPECT_GT(order, degree + 0.6) << "degree " << degree << ": " << first << " to " << second;
    RecordProperty(fmt::format("degree_{}", degree), fmt::format("{:.2e} {:.2e} {:.2f}", first, second, order));
  }
}
INSTANTIATE_TEST_SUITE_P(
    Wave, SpatialOrder,
    ::testing::Values(Case{"acoustic_squares", 2, true, false}, Case{"acoustic_quads_of_gmsh", 2, false, false},
                      Case{"elastic_squares", 2, true, true}, Case{"elastic_quads_of_gmsh", 2, false, true},
                      Case{"acoustic_cubes", 3, true, false}, Case{"elastic_hexes_of_gmsh", 3, false, true}),
    [](const auto& info) { return info.param.name; });

class TemporalOrder : public ::testing::TestWithParam<std::pair<const char*, int>> {};

TEST_P(TemporalOrder, IsThatOfTheScheme) {
  const auto [scheme, order] = GetParam();
  const double coarse = order == 2 ? 0.002 : 0.004;
  for (const bool elastic : {false, true}) {
    const Standing wave = elastic ? standing_shear(2) : standing_pressure(2);
    std::vector<double> errors;
    for (const double step : {coarse, coarse / 2, coarse / 4})
      errors.push_back(
          l2_error(deck_of(wave, box(2, 2), 8, time_to(0.8, fmt::format("step = {}", step), scheme)), wave.field));
    for (std::size_t i = 1; i < errors.size(); ++i)
      EXPECT_NEAR(std::log2(errors[i - 1] / errors[i]), order, 0.15)
          << scheme << ' ' << errors[i - 1] << ' ' << errors[i];
  }
}
INSTANTIATE_TEST_SUITE_P(Wave, TemporalOrder,
                         ::testing::Values(std::pair{"newmark", 2}, std::pair{"low_storage_rk45", 4},
                                           std::pair{"rk4", 4}),
                         [](const auto& info) { return info.param.first; });

}  // namespace
