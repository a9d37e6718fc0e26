// Solids that attenuate.
#include <complex>
#include <numbers>

#include "base/backend.hpp"
#include "decks.hpp"
#include "physics/wave/attenuation.hpp"
#include "traces.hpp"

namespace {

using namespace wave_test;
using tessera::physics::wave::AttenuationParams;
using tessera::physics::wave::ConstantQuality;

AttenuationParams band(double low, double high) { return {.band = {low, high}, .reference = {}, .where = {}}; }

TEST(ConstantQuality, IsTheSameOverADecadeToTwoPerCent) {
  const ConstantQuality decade(band(0.5, 5));
  for (const double quality : {10.0, 20.0, 50.0, 100.0, 400.0, 5000.0}) {
    EXPECT_LT(decade.deviation(quality), 0.02) << quality;
    const ConstantQuality::Numbers Y = decade.fit(quality);
    for (const double f : {0.5, 0.9, 1.6, 3.0, 5.0})
      EXPECT_NEAR(ConstantQuality::quality(decade.times(), Y, f) / quality, 1, 0.02) << quality << ' ' << f;
    for (const double number : Y) EXPECT_GE(number, 0);
    EXPECT_LT(decade.deviation_of_compliance(quality), 0.02) << quality;
    for (const double number : decade.fit_compliance(quality)) EXPECT_GE(number, 0);
  }
  EXPECT_GT(ConstantQuality(band(0.01, 100)).deviation(50), 0.05);  // four decades are too many for three
}

/// Lame's mode at a frequency of the elastic solid, in a solid with a quality factor of shear; or an SH mode.
std::string mode(bool sh, double frequency, double quality, const std::string& cfl) {
  const double vs = frequency * std::sqrt(2.0);  // omega = sqrt(2) pi vs
  const std::string qualities = fmt::format("q_mu = {}\n", quality);
  const std::string field =
      sh ? "u = \"cos(pi*x)*cos(pi*y)\"" : "u = [\"cos(pi*x)*sin(pi*y)\", \"-sin(pi*x)*cos(pi*y)\"]";
  return box(2, 2) + physics(sh ? "sh" : "elastic", 6) + "[[material]]\ndensity = 2\n" +
         (sh ? fmt::format("vs = {}\n", vs) : fmt::format("vp = {}\nvs = {}\n", 2 * vs, vs)) + qualities +
         "[attenuation]\nband = [0.5, 5]\nreference = 1.5\n[[initial]]\n" + field +
         "\n[[probe]]\nname = \"u\"\nat = [0.1, 0.35]\nof = \"" + (sh ? "u" : "u_x") + "\"\n[output]\nformats = []\n" +
         time_to(8 / frequency, "cfl = " + cfl);
}

/// A wave decays as exp(-omega t / 2 Q) and is faster at higher frequencies, omega ~ 1 + ln(f / f_0) / (pi Q).
TEST(WaveAttenuation, StandingWavesDecayAndDisperseAsTheirQualitySays) {
  const double reference = 1.5;
  const std::size_t relaxed = 4;  // what relaxes at the beginning is over
  for (const bool sh : {false, true})
    for (const double quality : {20.0, 60.0})
      for (const double frequency : {0.6, 1.5, 4.0}) {
        run("decay", mode(sh, frequency, quality, "0.4"));
        const Decay decay = decay_of(table(folder() / "decay" / "probes.csv"), relaxed);
        const double elastic = 2 * std::numbers::pi * frequency;
        EXPECT_NEAR(decay.rate / decay.omega * 2 * quality, 1, 0.02) << sh << ' ' << quality << ' ' << frequency;
        const double shift = std::log(frequency / reference) / (std::numbers::pi * quality);
        // Speeds to 2 per cent of their shift, and at the edges of the band to 6.
        const double part = frequency == reference ? 0.02 : 0.06;
        EXPECT_NEAR(decay.omega / elastic - 1, shift, part * std::abs(shift) + 0.5 / (quality * quality))
            << sh << ' ' << quality << ' ' << frequency;
      }
}

/// The trace is that of the equation of one mode, q'' = -omega_U^2 (q - sum Y_l w_l), tau_l w_l' = q - w_l, w = 0 at
/// the beginning.
TEST(WaveAttenuation, FollowsTheEquationsOfItsMechanisms) {
  const double quality = 15, frequency = 1, x = 0.1, y = 0.35;
  AttenuationParams params = band(0.5, 5);
  params.reference = 1.5;
  const ConstantQuality qualities(params);
  const ConstantQuality::Numbers Y = qualities.fit(quality), tau = qualities.times();
  const double stiffness = std::pow(2 * std::numbers::pi * frequency, 2) * qualities.unrelaxed(Y);
  using State = std::array<double, 5>;
  const auto slope = [&](const State& s) {
    State d{s[1], -stiffness * s[0], 0, 0, 0};
    for (std::size_t l = 0; l < 3; ++l) d[1] += stiffness * Y[l] * s[2 + l], d[2 + l] = (s[0] - s[2 + l]) / tau[l];
    return d;
  };
  const auto add = [](State s, const State& d, double by) {
    for (std::size_t i = 0; i < 5; ++i) s[i] += by * d[i];
    return s;
  };
  for (const char* precision : {"double", "float"}) {
    run("mechanisms", mode(false, frequency, quality, "0.14"), std::string("--set run.precision=") + precision);
    const auto rows = table(folder() / "mechanisms" / "probes.csv");
    State s{1, 0, 0, 0, 0};
    double t = 0, most = 0;
    const double shape = std::cos(std::numbers::pi * x) * std::sin(std::numbers::pi * y);
    for (const auto& row : rows) {
      const int steps = 4;
      for (int i = 0; i < steps && row[0] > 0; ++i) {
        const double h = (row[0] - t) / (steps - i);
        const State a = slope(s), b = slope(add(s, a, h / 2)), c = slope(add(s, b, h / 2)), d = slope(add(s, c, h));
        s = add(add(add(add(s, a, h / 6), b, h / 3), c, h / 3), d, h / 6);
        t += h;
      }
      most = std::max(most, std::abs(row[1] - shape * s[0]));
    }
    EXPECT_LT(most, 2e-4) << precision;
  }
}

/// Materials with and without loss, factors that vary, all boundaries and a source.
std::string mixed(const std::string& step) {
  return irregular(2, 1) +
         "[[group]]\nname = \"a\"\nof = \"surfaces\"\nwhere = \"x < 0.5\"\n"
         "[[group]]\nname = \"b\"\nof = \"surfaces\"\nwhere = \"x >= 0.5\"\n"
         "[[group]]\nname = \"left\"\nof = \"curves\"\nwhere = \"x < 1e-6\"\n"
         "[[group]]\nname = \"low\"\nof = \"curves\"\nwhere = \"y < 1e-6\"\n" +
         physics("elastic", 4) +
         "[[material]]\non = \"a\"\ndensity = \"2 + x\"\nvp = 2\nvs = 1\nq_mu = \"20 + 30*y\"\nq_kappa = 60\n"
         "[[material]]\non = \"b\"\ndensity = 2\nvp = 2.5\nvs = 1.2\n[attenuation]\nband = [3, 30]\n"
         "[[boundary]]\non = [\"left\"]\ntype = \"absorbing\"\n[[boundary]]\non = [\"low\"]\ntype = \"fixed\"\n"
         "[[source]]\nat = [0.4, 0.6]\nforce = [1, 2]\ntime_function = \"ricker\"\nfrequency = 12\ndelay = 0.05\n"
         "[[probe]]\nname = \"u\"\nat = [0.8, 0.8]\nof = \"u_x\"\n[[probe]]\nname = \"v\"\nat = [0.2, 0.7]\nof = "
         "\"v_y\"\n[output]\nevery = 20\n" +
         time_to(0.1, step);
}

TEST(WaveAttenuation, IsForetoldByCheck) {
  const Result result = app_test::tessera("check " + write_deck("lossy_check.toml", mixed("cfl = 0.5")));
  EXPECT_EQ(result.code, 0) << result.text;
}

TEST(WaveAttenuation, GoesOnBitwiseAsIfItHadNeverStopped) {
  expect_goes_on_bitwise("lossy", mixed("step = 0.0005") + "[checkpoint]\nevery = 7\n", 0.05, 0.1,
                         "solution_000200.vtu");
}

TEST(WaveAttenuation, OnRanksIsThatOfOne) {
  SKIP_WITHOUT_MPI();
  const auto one = traces_on_ranks("lossy_ranks", mixed("cfl = 0.5"), 1);
  for (const int ranks : {2, 4}) expect_same_traces(traces_on_ranks("lossy_ranks", mixed("cfl = 0.5"), ranks), one);
}

TEST(WaveAttenuation, OnCudaIsThatOfThreads) {
  if (!tessera::cuda_info().usable) GTEST_SKIP() << "no GPU: " << tessera::cuda_info().why_not;
  expect_cuda_as_threads("lossy", write_deck("lossy_cuda.toml", mixed("step = 0.0005")));
}

/// Threads of a patch differ with dimension, degree and whether moduli are two or one; a box needs no Gmsh.
TEST(WaveAttenuation, InSpaceOnCudaIsThatOfThreads) {
  if (!tessera::cuda_info().usable) GTEST_SKIP() << "no GPU: " << tessera::cuda_info().why_not;
  for (const int degree : {2, 4, 5})
    for (const char* quality : {"q_kappa = 60\nq_mu = 20\n", "q_mu = 20\n", "q = 30\n"})
      for (const char* sides : {"", "\"left\", \"bottom\""})
        expect_cuda_as_threads(
            "lossy_box",
            write_deck("lossy_box.toml",
                       box(3, 3) + physics("elastic", degree) + "[[material]]\ndensity = 2\nvp = 2\nvs = 1\n" +
                           quality + "[attenuation]\nband = [0.5, 5]\n" + (*sides ? pml(sides, "layers = 1\n") : "") +
                           "[[source]]\nat = [0.6, 0.5, 0.7]\nforce = [1, 2, 1]\ntime_function = \"ricker\"\n"
                           "frequency = 3\ndelay = 0.1\n" +
                           probe("u", "0.8, 0.8, 0.6", "u_x") + probe("v", "0.5, 0.9, 0.4", "v_y") +
                           time_to(0.2, "step = 0.002")));
}

TEST(WaveAttenuation, OfABandThatIsTooWideIsWarnedOf) {
  const auto warns = [](const char* band) {
    const Result result = app_test::tessera(
        "run " +
        write_deck("wide.toml", box(2, 2) + physics("elastic", 4) +
                                    "[[material]]\ndensity = 2\nvp = 2\nvs = 1\nq = 20\n[attenuation]\nband = " + band +
                                    "\n" + time_to(0.05, "cfl = 0.5")) +
        " --quiet --backend threads --output " + (folder() / "wide").string());
    EXPECT_EQ(result.code, 0) << result.text;
    return result.says("% off in the band from");
  };
  EXPECT_FALSE(warns("[1, 10]"));
  EXPECT_FALSE(warns("[0.1, 10]"));
  EXPECT_TRUE(warns("[1e-3, 1e3]"));
}

class AttenuationRefused : public ::testing::TestWithParam<app_test::Case> {};

TEST_P(AttenuationRefused, SaysWhatIsWrong) {
  const app_test::Case& wrong = GetParam();
  expect_says(app_test::tessera("run " + write_deck(std::string(wrong.name) + ".toml", wrong.deck) +
                                " --quiet --backend threads --output " + (folder() / "refused").string()),
              wrong);
}

const std::string lossy = "[[material]]\ndensity = 2\nvp = 2\nvs = 1\nq_mu = 50\n", soon = time_to(0.1, "cfl = 0.5"),
                  elastic = box(2, 2) + physics("elastic", 4), decade = "[attenuation]\nband = [1, 10]\n";

INSTANTIATE_TEST_SUITE_P(
    Wave, AttenuationRefused,
    ::testing::Values(
        app_test::Case{"no_band", elastic + lossy + soon, 2, {"the deck has no [attenuation]", "no_band.toml:"}},
        app_test::Case{"turned_band",
                       elastic + lossy + "[attenuation]\nband = [10, 1]\n" + soon,
                       2,
                       {"band = [10, 1]", "turned_band.toml:"}},
        app_test::Case{"endless_band",
                       elastic + lossy + "[attenuation]\nband = [1e-300, 1e300]\n" + soon,
                       2,
                       {"is 600 decades wide", "two to three decades"}},
        app_test::Case{"reference_below_zero",
                       elastic + lossy + decade + "reference = -1\n" + soon,
                       2,
                       {"reference = -1", "reference_below_zero.toml:", "| reference = -1"}},
        app_test::Case{"no_quality",
                       elastic + "[[material]]\ndensity = 2\nvp = 2\nvs = 1\n" + decade + soon,
                       2,
                       {"no material has a quality factor"}},
        app_test::Case{"low_quality",
                       elastic + "[[material]]\ndensity = 2\nvp = 2\nvs = 1\nq_mu = \"x\"\n" + decade + soon,
                       2,
                       {"the quality factor q_mu is 0 at (0, 0, 0)"}},
        app_test::Case{
            "shear_of_a_fluid",
            box(2, 2) + physics("acoustic", 4) + "[[material]]\ndensity = 2\nvp = 2\nq_mu = 9\n" + decade + soon,
            2,
            {"a q_mu of a fluid", "q_kappa is the quality factor of their bulk modulus"}},
        app_test::Case{"two_qualities",
                       elastic + lossy + "q = 50\n" + decade + soon,
                       2,
                       {"a material with q and another quality factor"}},
        app_test::Case{
            "quality_of_a_fluid",
            box(2, 2) + physics("acoustic", 4) + "[[material]]\ndensity = 2\nvp = 2\nq = \"x\"\n" + decade + soon,
            2,
            {"the quality factor q is 0 at (0, 0, 0)", "2 at least"}},
        app_test::Case{
            "lossy_layers",
            elastic + "[[material]]\ndensity = 2\nvpv = 2\nvph = 2\nvsv = 1\neta = 1\nq_mu = 9\n" + decade + soon,
            2,
            {"q_kappa or q_mu where a material is anisotropic", "give the materials q"}},
        app_test::Case{"lossy_rk4",
                       elastic + lossy + decade + time_to(0.1, "cfl = 0.5", "rk4"),
                       2,
                       {"quality factors with scheme = \"rk4\""}}),
    app_test::case_name);

}  // namespace
