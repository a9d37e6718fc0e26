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

/// Errors fall as h^(p+1). Low degrees need finer meshes until they do; the time's error, of a scheme of order 4 with a
/// part of its longest step, stays below 1e-10.
TEST_P(SpatialOrder, IsOneAboveTheDegree) {
  const auto [name, dim, regular, elastic] = GetParam();
  for (const int degree : {2, 3, 4, 5, 6, 7, 8}) {
    if (dim == 3 && !regular && degree > 5) continue;  // minutes
    const Standing wave = elastic ? standing_shear(dim) : standing_pressure(dim);
    const std::string time = time_to(0.1, degree > 5 ? "cfl = 0.1" : "cfl = 0.3", "low_storage_rk45");
    const bool low = degree < (dim == 2 ? 6 : 5);
    const auto error = [&](int refine) {
      const std::string mesh = regular ? box(dim, (low        ? 4
                                                   : dim == 2 ? 3
                                                              : 2)
                                                      << refine)
                                       : irregular(dim, (low ? 1 : 0) + refine);
      return l2_error(deck_of(wave, mesh, degree, time), wave.field);
    };
    const double first = error(0), second = error(1), order = std::log2(first / second);
    EXPECT_GT(order, degree + 0.6) << "degree " << degree << ": " << first << " to " << second;
    fmt::print("{} degree {}: {:.2e} {:.2e} order {:.2f}\n", name, degree, first, second, order);
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
  const double coarse = order == 2 ? 0.002 : 0.0068;
  for (const bool elastic : {false, true}) {
    const Standing wave = elastic ? standing_shear(2) : standing_pressure(2);
    std::vector<double> errors;
    for (const double step : {coarse, coarse / 2})
      errors.push_back(l2_error(
          deck_of(wave, box(2, elastic ? 3 : 4), 8, time_to(0.8, fmt::format("step = {}", step), scheme)), wave.field));
    EXPECT_NEAR(std::log2(errors[0] / errors[1]), order, 0.1) << scheme << ' ' << errors[0] << ' ' << errors[1];
  }
}
INSTANTIATE_TEST_SUITE_P(Wave, TemporalOrder,
                         ::testing::Values(std::pair{"newmark", 2}, std::pair{"low_storage_rk45", 4},
                                           std::pair{"rk4", 4}),
                         [](const auto& info) { return info.param.first; });

}  // namespace
