// The decks of waves in inputs/verification against what their heads say; those of Lamb and Stokes stand in
// interface_test.cpp and verification_test.cpp.
#include "traces.hpp"

namespace {

using namespace wave_test;

struct Mode {
  const char *name, *field;
  double error;   ///< in L2
  double energy;  ///< 0: not asked for
};
void PrintTo(const Mode& of, std::ostream* stream) { *stream << of.name; }
class WaveModeDecks : public ::testing::TestWithParam<Mode> {};

TEST_P(WaveModeDecks, HaveTheirExactModes) {
  const auto [name, field, error, energy] = GetParam();
  const nlohmann::json summary = verify(name);
  EXPECT_LT(double(summary["errors"][field]["l2"]), error);
  EXPECT_TRUE(summary["warnings"].empty()) << summary["warnings"];
  if (energy == 0) return;
  const double kinetic = summary["quantities"]["kinetic"], potential = summary["quantities"]["potential"];
  EXPECT_GT(std::min(kinetic, potential), 0.1 * energy);
  EXPECT_NEAR(kinetic + potential, energy, 1e-5 * energy);
}
INSTANTIATE_TEST_SUITE_P(, WaveModeDecks,
                         ::testing::Values(Mode{"wave_sound", "p", 1e-6, 5 * M_PI* M_PI / 16},
                                           Mode{"wave_sound_cube", "p", 1e-6, 3 * M_PI* M_PI / 32},
                                           Mode{"wave_lame", "u", 1e-7, M_PI* M_PI},
                                           Mode{"wave_lame_cube", "u", 2e-6, M_PI* M_PI},
                                           Mode{"wave_pressure_and_shear", "u", 1e-8, 0},
                                           Mode{"wave_sh", "u", 1e-6, 5 * M_PI* M_PI / 4}),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(WaveDecks, OfAPlaneWaveHaveWhatIsReflectedAndTransmitted) {
  verify("wave_interface");
  const double a1 = 20 * M_PI / 180, a2 = std::asin(2 * std::sin(a1)), Z1 = 1, Z2 = 1.5 * 2,
               R = (Z1 * std::cos(a1) - Z2 * std::cos(a2)) / (Z1 * std::cos(a1) + Z2 * std::cos(a2));
  EXPECT_NEAR(R, -0.399178, 1e-6);
  const auto f = [](double t) { return std::exp(-std::pow(t / 0.16, 2)); };
  // The wave is f(t) at (1, 4) and meets the interface at x = 3; points lie at y = 5.5. What comes from the corner of
  // both media at the bottom side runs up in the faster one.
  const double c1 = std::cos(a1), up = 1.5 * std::sin(a1);
  const auto rows = table(folder() / "wave_interface" / "probes.csv");
  ASSERT_GT(rows.size(), 200U);
  EXPECT_LT(misfit(rows, 1, [&](double t) { return f(t - 1.4 * c1 - up) + R * f(t - 2.6 * c1 - up); }), 2e-3);
  std::vector<std::vector<double>> first = rows;
  std::erase_if(first, [](const std::vector<double>& row) { return row[0] > 2.8; });
  EXPECT_LT(misfit(first, 2, [&](double t) { return (1 + R) * f(t - 2 * c1 - up - 0.15 * std::cos(a2)); }), 2e-3);
}

TEST(WaveDecks, OfASourceOfSoundHaveThePressureOfAWholeSpace) {
  verify("wave_volume");
  const auto rows = table(folder() / "wave_volume" / "probes.csv");
  ASSERT_GT(rows.size(), 100U);
  const double distances[] = {std::hypot(0.3, 0.5, 0.15), std::hypot(0.1, 0.3, 0.2)};
  for (std::size_t i = 0; i < 2; ++i)
    EXPECT_LT(misfit(rows, 1 + i,
                     [&](double t) {
                       const double r = distances[i];
                       return 1.3 * std::exp(-std::pow((t - r / 1.5 - 0.5) / 0.14, 2)) / (4 * M_PI * r);
                     }),
              5e-3)
        << i;
}

TEST(WaveDecks, OfAQualityFactorDecayAsItSays) {
  const nlohmann::json summary = verify("wave_quality");
  EXPECT_LT(double(summary["attenuation"]["deviation"]), 0.02);
  const Decay decay = decay_of(table(folder() / "wave_quality" / "probes.csv"), 4);
  EXPECT_NEAR(decay.rate / decay.omega * 2 * 50, 1, 0.02);
  EXPECT_NEAR(decay.omega / (4 * M_PI), 1, 2e-3);
}

}  // namespace
