// Orders in space and time against standing waves.
#include "base/backend.hpp"
#include "decks.hpp"

namespace {

using namespace wave_test;

/// What stands in the square or the cube: a mode of sound, Lame's mode, or a mode of shear across the
/// plane.
enum class Kind { sound, shear, sh };

struct Deck {
  Standing wave;
  std::string sides;
};

Deck standing_of(Kind kind, int dim) {
  if (kind == Kind::sh)
    return {{"sh", "[[material]]\ndensity = 2\nvs = 1.5\n", "u", "\"cos(pi*x)*cos(2*pi*y)\"",
             "\"cos(pi*x)*cos(2*pi*y)*cos(1.5*pi*t*sqrt(5))\""},
            ""};
  return {kind == Kind::shear ? standing_shear(dim) : standing_pressure(dim), ""};
}

double l2_error_on(const std::string& backend, const Deck& deck, const std::string& mesh, int degree,
                   const std::string& time) {
  const fs::path out = folder() / ("order_" + backend);
  const Result result =
      app_test::tessera("run " + write_deck("order.toml", deck_of(deck.wave, mesh, degree, time) + deck.sides) +
                        " --quiet --backend " + backend + " --set output.formats='[]' --output " + out.string());
  EXPECT_EQ(result.code, 0) << result.text;
  return result.code == 0 ? summary_in(out)["errors"][deck.wave.field]["l2"].get<double>() : NAN;
}

struct Case {
  const char* name;
  int dim;
  bool regular;
  Kind kind;
  int most = 8;  ///< degree
};
void PrintTo(const Case& of, std::ostream* stream) { *stream << of.name; }

/// Errors fall as h^(p+1). Low degrees need finer meshes until they do; the time's error, of a scheme of order 4 with a
/// part of its longest step, stays below 1e-10.
void expect_order(const std::string& backend, const Case& of) {
  for (int degree = 2; degree <= of.most; ++degree) {
    const Deck deck = standing_of(of.kind, of.dim);
    const std::string time = time_to(0.1, degree > 5 ? "cfl = 0.1" : "cfl = 0.3", "low_storage_rk45");
    const bool low = degree < (of.dim == 2 ? 6 : 5);
    const auto error = [&](int refine) {
      const int cells = low ? 4 : of.dim == 2 ? 3 : of.kind == Kind::sound ? 2 : 1;
      const std::string mesh = of.regular ? box(of.dim, cells << refine) : irregular(of.dim, (low ? 1 : 0) + refine);
      return l2_error_on(backend, deck, mesh, degree, time);
    };
    const double first = error(0), second = error(1), order = std::log2(first / second);
    EXPECT_GT(order, degree + 0.6) << "degree " << degree << ": " << first << " to " << second;
    fmt::print("{} {} degree {}: {:.2e} {:.2e} order {:.2f}\n", backend, of.name, degree, first, second, order);
  }
}

class SpatialOrder : public ::testing::TestWithParam<Case> {};
TEST_P(SpatialOrder, IsOneAboveTheDegree) { expect_order("threads", GetParam()); }
INSTANTIATE_TEST_SUITE_P(Wave, SpatialOrder,
                         ::testing::Values(Case{"acoustic_squares", 2, true, Kind::sound},
                                           Case{"acoustic_quads_of_gmsh", 2, false, Kind::sound},
                                           Case{"elastic_squares", 2, true, Kind::shear},
                                           Case{"elastic_quads_of_gmsh", 2, false, Kind::shear},
                                           Case{"sh_squares", 2, true, Kind::sh},
                                           Case{"acoustic_cubes", 3, true, Kind::sound},
                                           Case{"elastic_hexes_of_gmsh", 3, false, Kind::shear, 5}),  // minutes above
                         [](const auto& info) { return info.param.name; });

/// The same meshes without Gmsh.
class SpatialOrderOnCuda : public ::testing::TestWithParam<Case> {};
TEST_P(SpatialOrderOnCuda, IsOneAboveTheDegree) {
  if (!tessera::cuda_info().usable) GTEST_SKIP() << "no GPU: " << tessera::cuda_info().why_not;
  expect_order("cuda", GetParam());
}
INSTANTIATE_TEST_SUITE_P(Wave, SpatialOrderOnCuda,
                         ::testing::Values(Case{"acoustic_squares", 2, true, Kind::sound},
                                           Case{"sh_squares", 2, true, Kind::sh},
                                           Case{"acoustic_cubes", 3, true, Kind::sound}),
                         [](const auto& info) { return info.param.name; });

/// A disk in quads: a square in the middle, and sectors whose outer sides are arcs.
std::string disk(int cells, int order) {
  const fs::path file = folder() / fmt::format("disk_{}.geo", cells);
  std::ofstream(file)
      << "Point(1) = {0, 0, 0};\na = 0.4;\ns = Sqrt(0.5);\nPoint(2) = {-a, -a, 0};\nPoint(3) = {a, -a, 0};\nPoint(4) = "
         "{a, a, 0};\nPoint(5) = {-a, a, 0};\nPoint(6) = {-s, -s, 0};\nPoint(7) = {s, -s, 0};\nPoint(8) = {s, s, "
         "0};\nPoint(9) = {-s, s, 0};\nLine(1) = {2, 3};\nLine(2) = {3, 4};\nLine(3) = {4, 5};\nLine(4) = {5, "
         "2};\nCircle(5) = {6, 1, 7};\nCircle(6) = {7, 1, 8};\nCircle(7) = {8, 1, 9};\nCircle(8) = {9, 1, "
         "6};\nLine(9) = {2, 6};\nLine(10) = {3, 7};\nLine(11) = {4, 8};\nLine(12) = {5, 9};\nLine Loop(1) = {1, 2, 3, "
         "4};\nLine Loop(2) = {9, 5, -10, -1};\nLine Loop(3) = {10, 6, -11, -2};\nLine Loop(4) = {11, 7, -12, "
         "-3};\nLine Loop(5) = {12, 8, -9, -4};\nFor i In {1:5}\n  Plane Surface(i) = {i};\nEndFor\nTransfinite Line "
         "{1:12} = "
      << cells + 1
      << ";\nTransfinite Surface {1:5};\nRecombine Surface {1:5};\nPhysical Surface(\"all\") = {1:5};\nPhysical "
         "Line(\"rim\") = {5:8};\n";
  return fmt::format("[mesh]\nfile = \"{}\"\norder = {}\n", file.string(), order);
}

/// J0(2.4048 r), with p = 0 at the rim: errors fall as h^4 with elements of degree 3 whose sides are parabolas, and as
/// h^2 with straight ones.
TEST(Wave, CurvedCellsOfRunsBringTheirOrder) {
  const double zero = 2.404825557695773;
  std::string shape = "1";  // by Horner: 1 - q (1 - q/4 (1 - q/9 (...))), q = (2.4 r / 2)^2
  for (int k = 14; k > 0; --k) shape = fmt::format("(1 - {:.17g}*(x^2 + y^2)*{})", zero * zero / 4 / (k * k), shape);
  const Deck deck{{"acoustic", "[[material]]\ndensity = 1\nvp = 1\n", "p", "\"" + shape + "\"",
                   fmt::format("\"{}*cos({:.17g}*t)\"", shape, zero)},
                  "[[boundary]]\non = [\"rim\"]\ntype = \"free\"\n"};
  const auto error = [&](int cells, int order) {
    return l2_error_on("threads", deck, disk(cells, order), 3, time_to(0.5, "cfl = 0.3", "low_storage_rk45"));
  };
  const double coarse = error(2, 2), fine = error(4, 2), straight = error(4, 1);
  EXPECT_NEAR(std::log2(coarse / fine), 4, 0.5) << coarse << ' ' << fine;
  EXPECT_GT(straight, 30 * fine) << straight << ' ' << fine;
}

class TemporalOrder : public ::testing::TestWithParam<std::pair<const char*, int>> {};

TEST_P(TemporalOrder, IsThatOfTheScheme) {
  const auto [scheme, order] = GetParam();
  struct Of {
    int dim, cells;
    Kind kind;
    double coarse, end;
  };
  const bool second = order == 2;
  for (const Of& of : {Of{2, 4, Kind::sound, second ? 0.002 : 0.0068, 0.8},
                       {2, 3, Kind::shear, second ? 0.002 : 0.0068, 0.8},
                       {3, 1, Kind::sound, 0.008, 0.8},
                       {3, 1, Kind::shear, 0.008, 0.8}}) {
    if (of.dim == 3 && !second) continue;  // their errors in time are below those in space
    std::vector<double> errors;
    for (const double step : {of.coarse, of.coarse / 2})
      errors.push_back(l2_error_on("threads", standing_of(of.kind, of.dim), box(of.dim, of.cells), 8,
                                   time_to(of.end, fmt::format("step = {}", step), scheme)));
    EXPECT_NEAR(std::log2(errors[0] / errors[1]), order, 0.1)
        << scheme << of.dim << ' ' << errors[0] << ' ' << errors[1];
  }
}
INSTANTIATE_TEST_SUITE_P(Wave, TemporalOrder,
                         ::testing::Values(std::pair{"newmark", 2}, std::pair{"low_storage_rk45", 4},
                                           std::pair{"rk4", 4}),
                         [](const auto& info) { return info.param.first; });

}  // namespace
