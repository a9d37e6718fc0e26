// What probes look at in each medium, off the nodes, against fields that are known.
#include <functional>

#include "traces.hpp"

namespace {

using namespace wave_test;
using Exact = std::function<double(double)>;

struct Expected {
  const char* of;
  Exact exact;
};
/// Runs the deck with a probe of each kind at a point; traces differ by at most `part` of their size.
void expect_traces(const std::string& name, const std::string& deck, const std::string& at,
                   const std::vector<Expected>& all, double part) {
  std::string probes;
  for (const Expected& each : all) probes += probe(each.of, at, each.of);
  run(name, deck + probes, "--set output.formats='[]'");
  const auto rows = table(folder() / name / "probes.csv");
  ASSERT_GT(rows.size(), 30U);
  for (std::size_t i = 0; i < all.size(); ++i)
    EXPECT_LT(misfit(rows, 1 + i, all[i].exact), part) << name << ' ' << all[i].of;
}

const double pi = M_PI;

/// rho a = -grad p.
TEST(WaveReceivers, OfSoundHaveAccelerationsFromSlopesOfThePressure) {
  for (const char* scheme : {"newmark", "low_storage_rk45"}) {
    const double x = 0.37, y = 0.61, z = 0.28, rho = 2;
    const std::string time = time_to(0.5, "cfl = 0.05", scheme);
    const auto wave = [](double modes) {
      return [=](double amplitude) {
        return [=](double t) { return amplitude * std::cos(1.5 * pi * std::sqrt(modes) * t); };
      };
    };
    const auto plane = wave(5), space = wave(3);
    expect_traces("sound_2", deck_of(standing_pressure(2), box(2, 3), 8, time), fmt::format("{}, {}", x, y),
                  {{"p", plane(std::cos(pi * x) * std::cos(2 * pi * y))},
                   {"a_x", plane(pi / rho * std::sin(pi * x) * std::cos(2 * pi * y))},
                   {"a_y", plane(2 * pi / rho * std::cos(pi * x) * std::sin(2 * pi * y))}},
                  5e-4);
    expect_traces("sound_3", deck_of(standing_pressure(3), box(3, 1), 8, time), fmt::format("{}, {}, {}", x, y, z),
                  {{"a_x", space(pi / rho * std::sin(pi * x) * std::cos(pi * y) * std::cos(pi * z))},
                   {"a_y", space(pi / rho * std::cos(pi * x) * std::sin(pi * y) * std::cos(pi * z))},
                   {"a_z", space(pi / rho * std::cos(pi * x) * std::cos(pi * y) * std::sin(pi * z))}},
                  5e-4);
  }
}

/// Polynomials of the degree have exact slopes in skew cells; the density is that at the point.
TEST(WaveReceivers, OfSoundKnowTheDensityAtTheirPoint) {
  const double x = 0.37, y = 0.61;
  run("sound_start", irregular(2, 0) + physics("acoustic", 4) + "[[material]]\ndensity = \"1/(1 + x)\"\nvp = 1\n" +
                         "[[initial]]\np = \"x*y - 2*x^2\"\n" + probe("ax", "0.37, 0.61", "a_x") +
                         probe("ay", "0.37, 0.61", "a_y") + time_to(0.1, "cfl = 0.5") + "[output]\nformats = []\n");
  const auto first = table(folder() / "sound_start" / "probes.csv").front();
  EXPECT_NEAR(first[1], -(1 + x) * (y - 4 * x), 1e-11);
  EXPECT_NEAR(first[2], -(1 + x) * x, 1e-11);
}

/// u is across the plane: strain_xz is half of its slope along x, rotation_x half of that along y.
TEST(WaveReceivers, OfShearAcrossThePlaneHaveAccelerationsStrainsAndRotations) {
  const double x = 0.37, y = 0.61, omega = pi * std::sqrt(5.0);
  const auto wave = [&](double amplitude) { return [=](double t) { return amplitude * std::cos(omega * t); }; };
  const double u = std::cos(pi * x) * std::cos(2 * pi * y), u_x = -pi * std::sin(pi * x) * std::cos(2 * pi * y),
               u_y = -2 * pi * std::cos(pi * x) * std::sin(2 * pi * y);
  expect_traces("sh_receivers",
                box(2, 3) + physics("sh", 8) +
                    "[[material]]\ndensity = 2\nvs = 1\n[[initial]]\nu = \"cos(pi*x)*cos(2*pi*y)\"\n" +
                    time_to(0.5, "cfl = 0.05"),
                fmt::format("{}, {}", x, y),
                {{"u", wave(u)},
                 {"a", wave(-omega * omega * u)},
                 {"strain_xz", wave(u_x / 2)},
                 {"strain_yz", wave(u_y / 2)},
                 {"rotation_x", wave(u_y / 2)},
                 {"rotation_y", wave(-u_x / 2)}},
                1e-3);
}

/// All kinds in space, in skew hexes: slopes of polynomials, and accelerations of Lame's mode.
TEST(WaveReceivers, OfSolidsInSpaceHaveAllOfTheirStrainsAndRotations) {
  const double x = 0.37, y = 0.61, z = 0.28, rho = 2, vp = 2, vs = 1;
  const std::vector<std::pair<const char*, double>> all{{"u_z", z * x + y * y},
                                                        {"strain_xx", y},
                                                        {"strain_yy", z},
                                                        {"strain_zz", x},
                                                        {"strain_xy", (x - 1) / 2},
                                                        {"strain_yz", (y + 2 * y) / 2},
                                                        {"strain_xz", (2 * z + z) / 2},
                                                        {"rotation_x", (2 * y - y) / 2},
                                                        {"rotation_y", (2 * z - z) / 2},
                                                        {"rotation_z", (-1 - x) / 2},
                                                        {"p", -rho * (vp * vp - 4 * vs * vs / 3) * (x + y + z)}};
  std::string probes;
  for (const auto& [of, value] : all) probes += probe(of, "0.37, 0.61, 0.28", of);
  run("solid_start", irregular(3, 0) + physics("elastic", 3) +
                         "[[material]]\ndensity = 2\nvp = 2\nvs = 1\n[[initial]]\nu = [\"x*y + z^2\", \"y*z - x\", "
                         "\"z*x + y^2\"]\n" +
                         probes + time_to(0.01, "cfl = 0.5") + "[output]\nformats = []\n");
  const auto first = table(folder() / "solid_start" / "probes.csv").front();
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_NEAR(first[1 + i], all[i].second, 1e-10) << all[i].first;
  const double omega = std::sqrt(2.0) * pi;
  const auto wave = [&](double amplitude) {
    return [=](double t) { return -omega * omega * amplitude * std::cos(omega * t); };
  };
  expect_traces(
      "solid_waves", deck_of(standing_shear(3), box(3, 1), 8, time_to(0.5, "cfl = 0.05")), "0.37, 0.61, 0.28",
      {{"a_x", wave(std::cos(pi * x) * std::sin(pi * y))}, {"a_y", wave(-std::sin(pi * x) * std::cos(pi * y))}}, 1e-3);
}

/// A volume s(t) in a whole space of fluid alone: chi = -rho s(t - r / c) / (4 pi r), u = grad chi / rho.
TEST(WaveReceivers, OfFluidsAloneHaveDisplacementsOfTheirPotential) {
  const double width = 0.15, delay = 0.6, rho = 1.3, c = 1.5;
  const double dx = 0.3, dy = 0.5, dz = -0.1, r = std::hypot(dx, dy, dz);
  const std::function<double(double)> s[] = {
      [=](double q) { return std::exp(-q * q); }, [=](double q) { return -2 * q / width * std::exp(-q * q); },
      [=](double q) { return (4 * q * q - 2) / (width * width) * std::exp(-q * q); },
      [=](double q) { return (12 * q - 8 * q * q * q) / (width * width * width) * std::exp(-q * q); }};
  const auto late = [&](int k) { return [=](double t) { return s[k]((t - r / c - delay) / width); }; };
  const auto along = [&](double part, int k) {
    return [=](double t) { return part / r * (late(k)(t) / (r * r) + late(k + 1)(t) / (r * c)) / (4 * pi); };
  };
  expect_traces("fluid_alone",
                "[mesh]\nbox = { min = [0,0,0], max = [2,2,2], cells = [6,6,6], shape = \"hex\" }\n" +
                    physics("coupled", 6) + fmt::format("[[material]]\ndensity = {}\nvp = {}\n", rho, c) +
                    "[[source]]\nat = [0.8, 0.7, 1.1]\ntime_function = \"gaussian\"\n" +
                    fmt::format("width = {}\ndelay = {}\n", width, delay) + time_to(1.3, "cfl = 0.4"),
                "1.1, 1.2, 1",
                {{"u_x", along(dx, 0)},
                 {"u_y", along(dy, 0)},
                 {"v_y", along(dy, 1)},
                 {"a_z", along(dz, 2)},
                 {"p", [=](double t) { return rho * late(2)(t) / (4 * pi * r); }}},
                0.01);
}

class ReceiversRefused : public ::testing::TestWithParam<app_test::Case> {};

TEST_P(ReceiversRefused, SaysWhatIsThereInTheirPlace) {
  const app_test::Case& wrong = GetParam();
  const std::string deck = write_deck(std::string(wrong.name) + ".toml", wrong.deck);
  for (const char* command : {"run ", "check "})
    expect_says(
        app_test::tessera(command + deck + " --quiet --backend threads --output " + (folder() / "refused").string()),
        wrong);
}

const std::string sound = box(2, 2) + physics("acoustic", 4) + "[[material]]\ndensity = 2\nvp = 2\n",
                  soon = time_to(0.1, "cfl = 0.5");

INSTANTIATE_TEST_SUITE_P(
    Wave, ReceiversRefused,
    ::testing::Values(
        app_test::Case{"displacement_of_sound",
                       sound + soon + probe("a", "0.5, 0.5", "u_x"),
                       2,
                       {"probe 'a': there is no 'u_x' of physics.medium = \"acoustic\"", "displacement_of_sound.toml:",
                        "physics.medium = \"coupled\", also where all materials are fluids"}},
        app_test::Case{"velocity_of_sound", sound + soon + probe("a", "0.5, 0.5", "v_y"), 2, {"there is no 'v_y' of"}},
        app_test::Case{
            "strain_of_sound", sound + soon + probe("a", "0.5, 0.5", "strain_xx"), 2, {"strain_xx", "a_x", "p_rate"}},
        app_test::Case{"acceleration_in_space",
                       sound + soon + probe("a", "0.5, 0.5", "a_z"),
                       2,
                       {"there is no 'a_z' in 2 dimensions"}},
        app_test::Case{"acceleration_of_stokes",
                       sound + "rayleigh_beta = 1e-4\n" + soon + probe("a", "0.5, 0.5", "a_x"),
                       2,
                       {"an acceleration of a fluid with rayleigh_beta", "look at p and p_rate"}},
        app_test::Case{
            "pressure_of_sh",
            box(2, 2) + physics("sh", 4) + "[[material]]\ndensity = 2\nvs = 2\n" + soon + probe("a", "0.5, 0.5", "p"),
            2,
            {"strain_xz"}},
        app_test::Case{"acceleration_of_sh_by_rk4",
                       box(2, 2) + physics("sh", 4) + "[[material]]\ndensity = 2\nvs = 2\n" +
                           time_to(0.1, "cfl = 0.5", "rk4") + probe("a", "0.5, 0.5", "a"),
                       2,
                       {"accelerations with scheme = \"rk4\"", "choose scheme = \"newmark\""}}),
    app_test::case_name);

}  // namespace
