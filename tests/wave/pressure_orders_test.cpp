// Orders of waves of pressure and shear together, and of all media on distorted cells in the plane and in space; orders
// of schemes in space.
#include "base/backend.hpp"
#include "decks.hpp"

namespace {

using namespace wave_test;

enum class Kind { sound, sh, both };

struct Case {
  const char* name;
  int dim;
  bool regular;
  Kind kind;
  std::vector<int> degrees;
};
const std::vector<int> all{2, 3, 4, 5, 6, 7, 8};
void PrintTo(const Case& of, std::ostream* stream) { *stream << of.name; }

/// The unit square in four quads whose common corner is out of the middle, or the unit cube in two hexes with a side
/// between them that is bent and oblique: a table of Abaqus. Each `refine` halves all edges.
std::string distorted(int dim, int refine) {
  const fs::path file = folder() / fmt::format("distorted_{}.inp", dim);
  if (!fs::exists(file))
    std::ofstream(file) << (dim == 2 ? "*NODE\n1, 0, 0\n2, 0.5, 0\n3, 1, 0\n4, 0, 0.5\n5, 0.4, 0.57\n6, 1, 0.5\n"
                                       "7, 0, 1\n8, 0.5, 1\n9, 1, 1\n*ELEMENT, TYPE=CPE4, ELSET=all\n1, 1, 2, 5, 4\n"
                                       "2, 2, 3, 6, 5\n3, 4, 5, 8, 7\n4, 5, 6, 9, 8\n"
                                     : "*NODE\n1, 0, 0, 0\n2, 0.42, 0, 0\n3, 1, 0, 0\n4, 0, 1, 0\n5, 0.55, 1, 0\n"
                                       "6, 1, 1, 0\n7, 0, 0, 1\n8, 0.6, 0, 1\n9, 1, 0, 1\n10, 0, 1, 1\n11, 0.47, 1, 1\n"
                                       "12, 1, 1, 1\n*ELEMENT, TYPE=C3D8, ELSET=all\n1, 1, 2, 5, 4, 7, 8, 11, 10\n"
                                       "2, 2, 3, 6, 5, 8, 9, 12, 11\n");
  return fmt::format("[mesh]\nfile = \"{}\"\nrefine = {}\n", file.string(), refine);
}

struct Deck {
  Standing wave;
  std::string sides;
};

/// grad(cos(pi x) cos(pi y) [cos(pi z)]) / pi with the frequency of P waves and Lame's mode with that of S waves, in a
/// body whose sides move as both do.
Deck pressure_and_shear(int dim) {
  const std::string z = dim == 3 ? "*cos(pi*z)" : "";
  const auto moved = [&](const std::string& p, const std::string& s) {
    const std::string third = dim == 3 ? fmt::format(", \"-cos(pi*x)*cos(pi*y)*sin(pi*z){}\"", p) : "";
    return fmt::format(
        "[\"-sin(pi*x)*cos(pi*y){0}{1} + cos(pi*x)*sin(pi*y){2}\", \"-cos(pi*x)*sin(pi*y){0}{1} - "
        "sin(pi*x)*cos(pi*y){2}\"{3}]",
        z, p, s, third);
  };
  const std::string exact = moved(fmt::format("*cos(2*sqrt({})*pi*t)", dim), "*cos(sqrt(2)*pi*t)");
  return {{"elastic", "[[material]]\ndensity = 2\nvp = 2\nvs = 1\n", "u", moved("", ""), exact},
          group("sides", dim == 2 ? "curves" : "surfaces",
                fmt::format("min(x*(1 - x), {}) < 1e-6", dim == 2 ? "y*(1 - y)" : "min(y*(1 - y), z*(1 - z))")) +
              "[[boundary]]\non = [\"sides\"]\ntype = \"prescribed\"\nvalue = " + exact + "\n"};
}

Deck standing_of(Kind kind, int dim) {
  if (kind == Kind::sound) return {standing_pressure(dim), ""};
  if (kind == Kind::both) return pressure_and_shear(dim);
  return {{"sh", "[[material]]\ndensity = 2\nvs = 1.5\n", "u", "\"cos(pi*x)*cos(2*pi*y)\"",
           "\"cos(pi*x)*cos(2*pi*y)*cos(1.5*pi*t*sqrt(5))\""},
          ""};
}

double l2_error_on(const std::string& backend, const Deck& deck, const std::string& mesh, int degree,
                   const std::string& time) {
  const fs::path out = folder() / ("orders_" + backend);
  const Result result =
      app_test::tessera("run " + write_deck("orders.toml", deck_of(deck.wave, mesh, degree, time) + deck.sides) +
                        " --quiet --backend " + backend + " --set output.formats='[]' --output " + out.string());
  EXPECT_EQ(result.code, 0) << result.text;
  return result.code == 0 ? summary_in(out)["errors"][deck.wave.field]["l2"].get<double>() : NAN;
}

/// Errors fall as h^(p+1) from a mesh to one of half its size.
void expect_order(const std::string& backend, const Case& of) {
  const Deck deck = standing_of(of.kind, of.dim);
  for (const int degree : of.degrees) {
    const char* const step = degree == 8 ? "cfl = 0.08" : degree > 5 ? "cfl = 0.15" : "cfl = 0.4";
    const int finer = degree < 4 ? 1 : 0;
    const auto error = [&](int refine) {
      const int cells = of.dim == 2 ? 2 : 1;
      const std::string mesh = of.regular ? box(of.dim, cells << (refine + finer)) : distorted(of.dim, refine + finer);
      return l2_error_on(backend, deck, mesh, degree, time_to(0.05, step, "low_storage_rk45"));
    };
    const double first = error(0), second = error(1), order = std::log2(first / second);
    EXPECT_GT(order, degree + 0.6) << "degree " << degree << ": " << first << " to " << second;
    fmt::print("{} {} degree {}: {:.2e} {:.2e} order {:.2f}\n", backend, of.name, degree, first, second, order);
  }
}

class PressureOrder : public ::testing::TestWithParam<Case> {};
TEST_P(PressureOrder, IsOneAboveTheDegree) { expect_order("threads", GetParam()); }
INSTANTIATE_TEST_SUITE_P(Wave, PressureOrder,
                         ::testing::Values(Case{"p_and_s_squares", 2, true, Kind::both, all},
                                           Case{"p_and_s_distorted_quads", 2, false, Kind::both, {3, 5, 7}},
                                           Case{"sh_distorted_quads", 2, false, Kind::sh, {4, 8}},
                                           Case{"p_and_s_cubes", 3, true, Kind::both, all},
                                           Case{"p_and_s_distorted_hexes_2_4", 3, false, Kind::both, {2, 4}},
                                           Case{"p_and_s_distorted_hexes_6", 3, false, Kind::both, {6}},
                                           Case{"p_and_s_distorted_hexes_8", 3, false, Kind::both, {8}},
                                           Case{"acoustic_distorted_hexes", 3, false, Kind::sound, {4, 6, 8}}),
                         [](const auto& info) { return std::string(info.param.name); });

/// The meshes that need no reader.
class PressureOrderOnCuda : public ::testing::TestWithParam<Case> {};
TEST_P(PressureOrderOnCuda, IsOneAboveTheDegree) {
  if (!tessera::cuda_info().usable) GTEST_SKIP() << "no GPU: " << tessera::cuda_info().why_not;
  expect_order("cuda", GetParam());
}
INSTANTIATE_TEST_SUITE_P(Wave, PressureOrderOnCuda,
                         ::testing::Values(Case{"p_and_s_squares", 2, true, Kind::both, all},
                                           Case{"p_and_s_cubes", 3, true, Kind::both, all}),
                         [](const auto& info) { return std::string(info.param.name); });

/// u at two points at the end of a run of Lame's mode in a cube, by so many steps.
std::vector<double> moved_by(const std::string& scheme, const std::string& mesh, int steps) {
  const Deck deck{standing_shear(3), probe("x", "0.13, 0.21, 0.34", "u_x") + probe("y", "0.71, 0.11, 0.63", "u_y")};
  l2_error_on("threads", deck, mesh, 8, time_to(0.4, fmt::format("step = {}", 0.4 / steps), scheme));
  const auto rows = table(folder() / "orders_threads" / "probes.csv");
  return rows.empty() ? std::vector<double>{NAN, NAN, NAN} : rows.back();
}

/// By what halving the steps changes, twice, so that errors in space take no part.
class TemporalOrderInSpace : public ::testing::TestWithParam<std::tuple<std::pair<const char*, int>, bool>> {};
TEST_P(TemporalOrderInSpace, IsThatOfTheScheme) {
  const auto [scheme, regular] = GetParam();
  const int steps = scheme.second == 2 ? (regular ? 40 : 64) : (regular ? 32 : 48);
  std::vector<std::vector<double>> u;
  for (const int factor : {1, 2, 4})
    u.push_back(moved_by(scheme.first, regular ? box(3, 1) : distorted(3, 0), factor * steps));
  const auto change = [&](std::size_t i) { return std::hypot(u[i][1] - u[i + 1][1], u[i][2] - u[i + 1][2]); };
  EXPECT_NEAR(std::log2(change(0) / change(1)), scheme.second, 0.05) << change(0) << ' ' << change(1);
}
INSTANTIATE_TEST_SUITE_P(Wave, TemporalOrderInSpace,
                         ::testing::Combine(::testing::Values(std::pair{"newmark", 2}, std::pair{"low_storage_rk45", 4},
                                                              std::pair{"rk4", 4}),
                                            ::testing::Bool()),
                         [](const auto& info) {
                           return std::string(std::get<0>(info.param).first) +
                                  (std::get<1>(info.param) ? "_cubes" : "_distorted_hexes");
                         });

}  // namespace
