// Waves against solutions in closed form: a point force in a whole space, reflection and transmission at an angle.
#include <array>

#include "decks.hpp"

namespace {

using namespace wave_test;
using Vector3 = std::array<double, 3>;

/// u of a force F s(t) at distance x in a whole space: K. Aki & P. G. Richards, Quantitative Seismology, (4.23).
Vector3 of_force(const Vector3& x, const Vector3& F, double density, double vp, double vs, double t,
                 double (*s)(double)) {
  const double r = std::sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
  // The integral of tau s(t - tau) from r / vp to r / vs, by Simpson's rule.
  const int pieces = 400;
  const double first = r / vp, h = (r / vs - first) / pieces;
  double near = 0;
  for (int i = 0; i <= pieces; ++i) {
    const double tau = first + i * h;
    near += (i == 0 || i == pieces ? 1 : i % 2 ? 4 : 2) * tau * s(t - tau) * h / 3;
  }
  Vector3 u{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) {
      const double gamma = x[i] * x[j] / (r * r), delta = i == j ? 1 : 0;
      u[i] += F[j] / (4 * M_PI * density) *
              ((3 * gamma - delta) / (r * r * r) * near + gamma / (vp * vp * r) * s(t - r / vp) +
               (delta - gamma) / (vs * vs * r) * s(t - r / vs));
    }
  return u;
}

double pulse(double t) { return std::exp(-std::pow((t - 0.28) / 0.08, 2)); }

TEST(WaveVerification, PointForceMakesTheWavesOfAWholeSpace) {
  const Vector3 source{0.41, 0.46, 0.43}, force{1, -2, 0.5};
  const std::vector<Vector3> receivers{{0.62, 0.6, 0.55}, {0.41, 0.7, 0.43}};
  const double density = 2, vp = std::sqrt(3.0), vs = 1;
  verify("wave_stokes");
  const auto rows = table(folder() / "wave_stokes" / "probes.csv");
  ASSERT_GT(rows.size(), 100U);
  for (std::size_t i = 0; i < receivers.size(); ++i) {
    Vector3 x{};
    for (std::size_t d = 0; d < 3; ++d) x[d] = receivers[i][d] - source[d];
    double most = 0, difference = 0;
    for (const auto& row : rows) {
      const Vector3 u = of_force(x, force, density, vp, vs, row[0], pulse);
      for (std::size_t d = 0; d < 3; ++d) {
        most = std::max(most, std::abs(u[d]));
        difference = std::max(difference, std::abs(row[1 + 3 * i + d] - u[d]));
      }
    }
    EXPECT_LT(difference, 0.005 * most) << i;
  }
}

/// u of a moment tensor M s(t): the force whose moment it is, -M_jk d G_ij / d x_k, by differences of order 4.
Vector3 of_moment(const Vector3& x, const std::array<Vector3, 3>& M, double density, double vp, double vs, double t) {
  constexpr double h = 2e-3;
  Vector3 u{};
  for (std::size_t k = 0; k < 3; ++k) {
    const Vector3 force{M[0][k], M[1][k], M[2][k]};
    const auto at = [&](double by) {
      Vector3 y = x;
      y[k] += by;
      return of_force(y, force, density, vp, vs, t, pulse);
    };
    const Vector3 a = at(-2 * h), b = at(-h), c = at(h), d = at(2 * h);
    for (std::size_t i = 0; i < 3; ++i) u[i] -= (a[i] - 8 * b[i] + 8 * c[i] - d[i]) / (12 * h);
  }
  return u;
}

TEST(WaveVerification, AMomentTensorMakesTheWavesOfAWholeSpace) {
  const double density = 2, vp = std::sqrt(3.0), vs = 1;
  const Vector3 receiver{0.68, 0.66, 0.58}, source{0.41, 0.46, 0.43};
  const std::array<Vector3, 3> M{{{1, 0.4, -0.5}, {0.4, -2, 0.7}, {-0.5, 0.7, 1.5}}};  // xx yy zz xy yz xz
  std::string probes;
  for (const char axis : {'x', 'y', 'z'})
    probes += probe(fmt::format("u{}", axis), "0.68, 0.66, 0.58", fmt::format("u_{}", axis));
  run("moment_trace",
      box(3, 7) + physics("elastic", 5) +
          fmt::format("[[material]]\ndensity = {}\nvp = {:.17g}\nvs = {}\n", density, vp, vs) +
          "[[boundary]]\non = [\"left\", \"right\", \"top\", \"bottom\", \"front\", \"back\"]\ntype = "
          "\"absorbing\"\n[output]\nformats = []\n[[source]]\nat = [0.41, 0.46, 0.43]\nmoment = [1, -2, 1.5, "
          "0.4, 0.7, -0.5]\ntime_function = \"gaussian\"\nwidth = 0.08\ndelay = 0.28\n" +
          probes + time_to(0.7, "cfl = 0.5"));
  const auto rows = table(folder() / "moment_trace" / "probes.csv");
  ASSERT_GT(rows.size(), 100U);
  Vector3 x{};
  for (std::size_t d = 0; d < 3; ++d) x[d] = receiver[d] - source[d];
  double most = 0, difference = 0;
  for (const auto& row : rows) {
    const Vector3 u = of_moment(x, M, density, vp, vs, row[0]);
    for (std::size_t d = 0; d < 3; ++d) {
      most = std::max(most, std::abs(u[d]));
      difference = std::max(difference, std::abs(row[1 + d] - u[d]));
    }
  }
  EXPECT_LT(difference, 0.02 * most) << difference / most;
}

/// In the plane a force is a line of them: the sum of Stokes' waves along z.
TEST(WaveVerification, ALineForceMakesTheWavesOfAWholePlane) {
  const double density = 2, vp = std::sqrt(3.0), vs = 1;
  const Vector3 x{0.21, 0.34, 0}, force{1, -2, 0};
  run("line_force", "[mesh]\nbox = { min = [-1.5,-1.5], max = [1.5,1.5], cells = [24,24], shape = \"quad\" }\n" +
                        physics("elastic", 5) +
                        fmt::format("[[material]]\ndensity = {}\nvp = {:.17g}\nvs = {}\n", density, vp, vs) +
                        "[output]\nformats = []\n[[source]]\nat = [0.01, -0.02]\nforce = [1, -2]\ntime_function = "
                        "\"gaussian\"\nwidth = 0.08\ndelay = 0.28\n" +
                        probe("x", "0.22, 0.32", "u_x") + probe("y", "0.22, 0.32", "u_y") + time_to(1.1, "cfl = 0.4"));
  const auto rows = table(folder() / "line_force" / "probes.csv");
  ASSERT_GT(rows.size(), 100U);
  double most = 0, difference = 0;
  for (std::size_t r = 0; r < rows.size(); r += rows.size() / 40) {
    const double t = rows[r][0], reach = 1.05 * vp * t + 0.1;  // nothing has come from farther away
    const int pieces = 240;
    const double h = reach / pieces;
    Vector3 u{};
    for (int i = 0; i <= pieces; ++i) {
      const Vector3 part = of_force({x[0], x[1], i * h}, force, density, vp, vs, t, pulse);
      for (std::size_t d = 0; d < 2; ++d) u[d] += 2 * (i == 0 || i == pieces ? 1 : i % 2 ? 4 : 2) * h / 3 * part[d];
    }
    for (std::size_t d = 0; d < 2; ++d) {
      most = std::max(most, std::abs(u[d]));
      difference = std::max(difference, std::abs(rows[r][1 + d] - u[d]));
    }
  }
  EXPECT_LT(difference, 5e-3 * most) << difference / most;
}

/// Of SH waves R = (Z1 cos a1 - Z2 cos a2) / (Z1 cos a1 + Z2 cos a2), T = 1 + R, with Z = density vs and
/// sin a1 / vs1 = sin a2 / vs2. Sides are so far away that nothing comes from them.
TEST(WaveVerification, PlaneWavesAreReflectedAndTransmittedAtAngles) {
  for (const double degrees : {10.0, 20.0}) {
    const double a1 = degrees * M_PI / 180, a2 = std::asin(2 * std::sin(a1)), Z1 = 1, Z2 = 2 * 1.5;
    const double R = (Z1 * std::cos(a1) - Z2 * std::cos(a2)) / (Z1 * std::cos(a1) + Z2 * std::cos(a2));
    run("angle",
        "[mesh]\nbox = { min = [-1,0], max = [5,8], cells = [24,32], shape = \"quad\" }\n" + physics("sh", 5) +
            group("soft", "surfaces", "x < 3") + group("hard", "surfaces", "x > 3") +
            "[[material]]\non = \"soft\"\ndensity = 1\nvs = 1\n[[material]]\non = \"hard\"\ndensity = 1.5\nvs = 2\n" +
            "[[boundary]]\non = [\"left\", \"right\", \"top\", \"bottom\"]\ntype = \"absorbing\"\n" +
            "[output]\nformats = []\n" + probe("back", "2.4, 4", "u") + probe("on", "3.6, 4", "u") +
            fmt::format("[[plane_wave]]\non = [\"soft\"]\ndirection = [{}, {}]\nat = [1, 4]\ntime_function = "
                        "\"gaussian\"\nwidth = 0.16\ndelay = 0\n",
                        std::cos(a1), std::sin(a1)) +
            time_to(3.1, "cfl = 0.3"));
    double back = 0, before = 0, on = 0;
    const double passed = 1.4 * std::cos(a1) + 0.5;  // of the wave that comes
    for (const auto& row : table(folder() / "angle" / "probes.csv")) {
      before = std::max(before, row[1]);
      if (row[0] > passed) back = std::min(back, row[1]);
      on = std::max(on, row[2]);
    }
    EXPECT_NEAR(before, 1, 2e-3) << degrees;
    EXPECT_NEAR(back, R, 2e-3) << degrees;
    EXPECT_NEAR(on, 1 + R, 2e-3) << degrees;
  }
}

/// Over a hundred thousand steps the energy of a solid stays within the bound of the scheme.
TEST(WaveVerification, EnergyIsKeptForAHundredThousandSteps) {
  const Standing wave = standing_shear(2);
  const nlohmann::json summary =
      run("long", deck_of(wave, box(2, 1), 4, time_to(3150, "cfl = 0.6")) +
                      "[[quantity]]\nname = \"Ek\"\nkind = \"kinetic_energy\"\n[[quantity]]\nname = \"Ep\"\nkind = "
                      "\"potential_energy\"\n[output]\nevery = 4999\nformats = []\n");
  const auto rows = table(folder() / "long" / "quantities.csv");
  ASSERT_GE(rows.size(), 10U);
  EXPECT_GE(int(summary["time"]["steps"]), 100000);
  const double start = rows[0][1] + rows[0][2];
  for (const auto& row : rows) EXPECT_NEAR(row[1] + row[2], start, 1e-2 * start) << row[0];
}

}  // namespace
