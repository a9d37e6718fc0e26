// Attenuation over a band of frequencies: what travels, fluids, solids with directions, and fluids beside solids.
#include <complex>
#include <numbers>

#include "base/backend.hpp"
#include "decks.hpp"
#include "traces.hpp"

namespace {

using namespace wave_test;
using std::numbers::pi;

constexpr double quality = 30, reference = 1.5, speed = 1;

/// A pulse that runs along a strip, past two points, in media of which its speed is 1 at the reference frequency.
struct Strip {
  std::string medium, materials, begins, of;

  std::string deck() const {
    return "[mesh]\nbox = { min = [0,0], max = [5,0.2], cells = [25,1], shape = \"quad\" }\n" +
           group("near", "surfaces", "x < 4.6") + group("far", "surfaces", "x > 4.6") + physics(medium, 6) + materials +
           fmt::format("[attenuation]\nband = [0.5, 5]\nreference = {}\n", reference) + begins +
           probe("first", "1, 0.1", of) + probe("second", "2.5, 0.1", of) + "[output]\nformats = []\nevery = 100000\n" +
           time_to(6, "step = 0.002");
  }
};
/// Ricker's pulse of 2 Hz at the left side.
std::string pushed(const std::string& more) {
  const std::string pulse = "(1 - 2*(2*pi*(t - 0.75))^2)*exp(-(2*pi*(t - 0.75))^2)";
  return "[[boundary]]\non = [\"left\"]\ntype = \"prescribed\"\nvalue = [\"" + pulse + "\"" + more + "]\n";
}
std::vector<Strip> strips() {
  const std::string q = fmt::format("q = {}\n", quality);
  const std::string solid = "density = 2\nlambda = 0\nmu = 1\n";  // P waves make no stress across
  return {
      {"acoustic", "[[material]]\ndensity = 2\nvp = 1\nq_kappa = 30\n", pushed(""), "p"},
      {"sh", "[[material]]\ndensity = 2\nvs = 1\nq_mu = 30\n", pushed(""), "u"},
      {"elastic", "[[material]]\n" + solid + q, pushed(", \"0\""), "u_x"},
      {"elastic", "[[material]]\ndensity = 2\nstiffness = [2, 0, 0, 3, 0, 0.7]\n" + q, pushed(", \"0\""), "u_x"},
      {"coupled", "[[material]]\non = \"near\"\n" + solid + q + "[[material]]\non = \"far\"\ndensity = 1\nvp = 1\n",
       pushed(", \"0\""), "u_x"},
      {"coupled", "[[material]]\non = \"near\"\ndensity = 1\nvp = 1\n" + q + "[[material]]\non = \"far\"\n" + solid,
       "[[source]]\nat = [0.3, 0.1]\ntime_function = \"gaussian\"\nfrequency = 2\ndelay = 0.75\n", "p"},
  };
}

std::complex<double> transform(const std::vector<std::vector<double>>& rows, std::size_t column, double frequency) {
  std::complex<double> sum = 0;
  for (const auto& row : rows) sum += row[column] * std::exp(std::complex<double>(0, -2 * pi * frequency * row[0]));
  return sum;
}

/// exp(-i k x) with k = omega / sqrt(M / rho): both parts of k between two points, for a modulus of the phase 1 / Q
/// whose phase speed is c (f / f_0)^(atan(1 / Q) / pi). E. Kjartansson, J. Geophys. Res. 84 (1979) 4737-4748.
TEST(WaveAttenuation, PulsesDecayAndDisperseAsTheirQualitySaysOverTheBand) {
  for (const Strip& strip : strips()) {
    run("strip", strip.deck());
    const auto rows = table(folder() / "strip" / "probes.csv");
    for (const double f : {0.6, 1.0, 1.5, 2.5, 4.0}) {
      const std::string what = fmt::format("{} {} {}", strip.medium, strip.materials, f);
      const std::complex<double> ratio = transform(rows, 2, f) / transform(rows, 1, f);
      const double omega = 2 * pi * f, distance = 1.5, phase = std::atan(1 / quality);
      const double c = speed * std::pow(f / reference, phase / pi);
      const double turns = std::round((omega * distance / c + std::arg(ratio)) / (2 * pi));
      const double found = omega * distance / (2 * pi * turns - std::arg(ratio));
      EXPECT_NEAR(found / c, 1, 1e-3) << what;
      EXPECT_NEAR(-std::log(std::abs(ratio)) * found / (omega * distance * std::tan(phase / 2)), 1, 0.02) << what;
    }
  }
}

/// Lame's mode of a solid that is not isotropic: rho omega^2 = pi^2 (C_11 - C_12), whatever C_66 is.
TEST(WaveAttenuation, ModesOfAnisotropicSolidsDecay) {
  for (const double frequency : {0.6, 1.5, 4.0}) {
    const double modulus = 4 * frequency * frequency;  // C_11 - C_12 over the density
    run("anisotropic_mode",
        box(2, 2) + physics("elastic", 6) +
            fmt::format("[[material]]\ndensity = 2\nq = 25\nstiffness = [{0}, {1}, 0, {0}, 0, {2}]\n", 3 * modulus,
                        modulus, 1.7 * modulus) +
            "[attenuation]\nband = [0.5, 5]\nreference = 1.5\n[[initial]]\nu = [\"cos(pi*x)*sin(pi*y)\", "
            "\"-sin(pi*x)*cos(pi*y)\"]\n" +
            probe("u", "0.1, 0.35", "u_x") + "[output]\nformats = []\n" + time_to(8 / frequency, "cfl = 0.4"));
    const Decay decay = decay_of(table(folder() / "anisotropic_mode" / "probes.csv"), 4);
    EXPECT_NEAR(decay.rate / decay.omega * 2 * 25, 1, 0.02) << frequency;
    EXPECT_NEAR(decay.omega / (2 * pi * frequency), 1 + std::log(frequency / 1.5) / (pi * 25), 2e-3) << frequency;
  }
}

/// With and without loss, factors that vary, all boundaries and a source.
std::string mixed(const std::string& medium, const std::string& first, const std::string& second,
                  const std::string& source, const std::string& probes, const std::string& step) {
  return irregular(2, 1) + group("a", "surfaces", "x < 0.5") + group("b", "surfaces", "x >= 0.5") +
         group("left", "curves", "x < 1e-6") + group("low", "curves", "y < 1e-6") + physics(medium, 4) +
         "[[material]]\non = \"a\"\n" + first + "[[material]]\non = \"b\"\n" + second +
         "[attenuation]\nband = [3, 30]\n[[boundary]]\non = [\"left\"]\ntype = \"absorbing\"\n[[boundary]]\non = "
         "[\"low\"]\ntype = \"free\"\n[[source]]\nat = [0.4, 0.6]\n" +
         source + "time_function = \"ricker\"\nfrequency = 12\ndelay = 0.05\n" + probes + "[output]\nevery = 20\n" +
         time_to(0.1, step);
}
std::vector<std::string> all_mixed(const std::string& step) {
  const std::string traces = probe("u", "0.8, 0.8", "u_x") + probe("v", "0.2, 0.7", "v_y"), force = "force = [1, 2]\n",
                    water = "density = \"1 + y\"\nvp = 1.5\nq_kappa = \"20 + 30*y\"\n",
                    rock = "density = 2\nvp = 2.5\nvs = 1.2\nq = \"40 + 20*x\"\n",
                    shale = "density = 2\nvpv = 2\nvph = 2.2\nvsv = 1\neta = 0.95\nq = \"30 + y\"\n";
  return {mixed("acoustic", water, "density = 2\nvp = 2.5\n", "amplitude = 2\n",
                probe("p", "0.8, 0.8", "p") + probe("r", "0.2, 0.7", "p_rate"), step),
          mixed("elastic", shale, rock, force, traces, step),
          mixed("coupled", rock, water, force, traces + probe("p", "0.8, 0.3", "p"), step),
          mixed("coupled", shale, "density = 1\nvp = 1.5\n", force, traces + probe("p", "0.8, 0.3", "p"), step)};
}

TEST(WaveAttenuation, OfAllMediaGoesOnBitwiseAsIfItHadNeverStopped) {
  for (const std::string& medium : all_mixed("step = 0.0005"))
    expect_goes_on_bitwise("band", medium + "[checkpoint]\nevery = 7\n", 0.025, 0.05, "solution_000100.vtu");
}

TEST(WaveAttenuation, OfAllMediaIsTheSameBitsOnAnyNumberOfThreads) {
  for (const std::string& medium : all_mixed("step = 0.001")) expect_same_on_threads("band_threads", medium);
}

TEST(WaveAttenuation, OfAllMediaOnRanksIsThatOfOne) {
  SKIP_WITHOUT_MPI();
  int ranks = 2;
  for (const std::string& deck : all_mixed("step = 0.001")) {
    expect_same_traces(traces_on_ranks("band_ranks", deck, ranks), traces_on_ranks("band_ranks", deck, 1));
    ranks = 6 - ranks;  // 2 and 4 in turn
  }
}

TEST(WaveAttenuation, OfAllMediaOnCudaIsThatOfThreads) {
  if (!tessera::cuda_info().usable) GTEST_SKIP() << "no GPU: " << tessera::cuda_info().why_not;
  for (const std::string& deck : all_mixed("step = 0.0005"))
    expect_cuda_as_threads("band", write_deck("band_cuda.toml", deck));
}

}  // namespace
