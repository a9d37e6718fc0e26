// Rayleigh's damping, alpha M v + beta K v.
#include <complex>
#include <numbers>

#include "app/ranks.hpp"
#include "base/backend.hpp"
#include "decks.hpp"
#include "solvers/time/stability.hpp"
#include "traces.hpp"

namespace {

using namespace wave_test;

/// A standing wave of this frequency: a mode of sound in the unit square, or Lame's of a solid.
struct Mode {
  std::string medium;
  double frequency;
  std::string damping, scheme = "newmark", cfl = "0.4";

  std::string deck() const {
    const bool sound = medium == "acoustic", sh = medium == "sh";
    // omega = sqrt(2) pi c of the speed that the mode has
    const double speed = frequency * std::sqrt(2.0);
    const std::string speeds = sound ? fmt::format("vp = {}\n", speed)
                               : sh  ? fmt::format("vs = {}\n", speed)
                                     : fmt::format("vp = {}\nvs = {}\n", 2 * speed, speed);
    const std::string field = sound ? "p = \"cos(pi*x)*cos(pi*y)\""
                              : sh  ? "u = \"cos(pi*x)*cos(pi*y)\""
                                    : "u = [\"cos(pi*x)*sin(pi*y)\", \"-sin(pi*x)*cos(pi*y)\"]";
    return box(2, 2) + physics(medium, 6) + "[[material]]\ndensity = 2\n" + speeds + damping + "[[initial]]\n" + field +
           "\n" +
           probe("u", "0.1, 0.35",
                 sound ? "p"
                 : sh  ? "u"
                       : "u_x") +
           "[output]\nformats = []\n" + time_to(6 / frequency, "cfl = " + cfl, scheme);
  }
};

/// u'' + (alpha + beta omega^2) u' + omega^2 u = 0 decays as exp(-(alpha + beta omega^2) t / 2), at the frequency
/// sqrt(omega^2 - that rate^2).
void expect_decay(const Mode& mode, double alpha, double beta, double bound) {
  run("rayleigh", mode.deck());
  const Decay decay = decay_of(table(folder() / "rayleigh" / "probes.csv"), 1);
  const double omega = 2 * std::numbers::pi * mode.frequency, rate = (alpha + beta * omega * omega) / 2;
  const std::string what = fmt::format("{} {} {} {}", mode.medium, mode.frequency, mode.damping, mode.scheme);
  EXPECT_NEAR(decay.rate / rate, 1, bound) << what;
  EXPECT_NEAR(decay.omega / std::sqrt(omega * omega - rate * rate), 1, bound) << what;
}

TEST(WaveRayleigh, StandingWavesDecayByAlphaAndBetaAtAllFrequencies) {
  const auto each = [](const char* medium, double frequency) {
    const double omega = 2 * std::numbers::pi * frequency;
    const double alpha = 0.04 * omega, beta = 0.04 / omega;  // two per cent of the critical damping each
    expect_decay({medium, frequency, fmt::format("rayleigh_alpha = {}\n", alpha)}, alpha, 0, 1e-3);
    expect_decay({medium, frequency, fmt::format("rayleigh_beta = {}\n", beta)}, 0, beta, 1e-3);
  };
  each("acoustic", 2);
  each("sh", 2);
  for (const double frequency : {0.5, 6.0}) each("elastic", frequency);
  // The same numbers for all: what is low is damped by alpha, what is high by beta.
  for (const double frequency : {0.5, 2.0, 6.0})
    expect_decay({"elastic", frequency, "rayleigh_alpha = 0.2\nrayleigh_beta = 0.002\n"}, 0.2, 0.002, 2e-3);
}

/// A number that varies takes another way than one for all, which must come to the same.
TEST(WaveRayleigh, NumbersThatVaryAreTakenAtTheirPlaces) {
  const auto trace = [](const std::string& damping) {
    run("rayleigh_same", Mode{"elastic", 2, damping}.deck());
    return table(folder() / "rayleigh_same" / "probes.csv");
  };
  const auto one = trace("rayleigh_alpha = 0.5\nrayleigh_beta = 0.003\n");
  // The step is that of the largest beta: 0 x keeps it, and the numbers at the places.
  const auto other = trace("rayleigh_alpha = \"0.5 + 0*x\"\nrayleigh_beta = \"if(x < 2, 0.003, 0)\"\n");
  expect_same_traces(one, other);
}

TEST(WaveRayleigh, RungeAndKuttaDampToTheirOrder) {
  for (const char* scheme : {"low_storage_rk45", "rk4"})
    for (const char* medium : {"acoustic", "elastic"})
      expect_decay({medium, 2, "rayleigh_alpha = 0.3\nrayleigh_beta = 0.002\n", scheme, "0.4"}, 0.3, 0.002, 2e-4);
}

/// All there is: a part of the mesh that damps, numbers that vary, an absorbing side, a fixed one, and a source.
std::string mixed(const std::string& step, const std::string& scheme = "newmark", const std::string& beta = "1e-4*x") {
  return irregular(2, 1) + group("a", "surfaces", "x < 0.5") + group("b", "surfaces", "x >= 0.5") +
         group("left", "curves", "x < 1e-6") + group("low", "curves", "y < 1e-6") + physics("elastic", 4) +
         "[[material]]\non = \"a\"\ndensity = \"2 + x\"\nvp = 2\nvs = 1\nrayleigh_alpha = \"1 + y\"\nrayleigh_beta = "
         "\"" +
         beta + "\"\n[[material]]\non = \"b\"\ndensity = 2\nvp = 2.5\nvs = 1.2\nrayleigh_alpha = 3\n" +
         (beta == "1e-4*x" ? "" : "rayleigh_beta = \"" + beta + "\"\n") +
         "[[boundary]]\non = [\"left\"]\ntype = \"absorbing\"\n[[boundary]]\non = [\"low\"]\ntype = \"fixed\"\n"
         "[[source]]\nat = [0.4, 0.6]\nforce = [1, 2]\ntime_function = \"ricker\"\nfrequency = 12\ndelay = 0.05\n" +
         probe("u", "0.8, 0.8", "u_x") + probe("v", "0.2, 0.7", "v_y") + "[output]\nevery = 20\n" +
         time_to(0.1, step, scheme);
}

TEST(WaveRayleigh, GoesOnBitwiseAsIfItHadNeverStopped) {
  for (const char* beta : {"1e-4*x", "1e-4"})
    expect_goes_on_bitwise("damped", mixed("step = 0.0005", "newmark", beta) + "[checkpoint]\nevery = 7\n", 0.025, 0.05,
                           "solution_000100.vtu");
}

TEST(WaveRayleigh, OnRanksIsThatOfOne) {
  SKIP_WITHOUT_MPI();
  const auto check = [](const std::string& deck, int ranks) {
    expect_same_traces(traces_on_ranks("damped_ranks", deck, ranks), traces_on_ranks("damped_ranks", deck, 1));
  };
  check(mixed("cfl = 0.5"), 4);
  check(mixed("cfl = 0.5", "newmark", "1e-4"), 2);
  check(mixed("cfl = 0.5", "rk4"), 2);
}

TEST(WaveRayleigh, OnCudaIsThatOfThreads) {
  if (!tessera::cuda_info().usable) GTEST_SKIP() << "no GPU: " << tessera::cuda_info().why_not;
  for (const char* beta : {"1e-4*x", "1e-4"}) {
    const std::string deck = write_deck("damped_cuda.toml", mixed("step = 0.0005", "newmark", beta));
    expect_cuda_as_threads("damped", deck);
  }
}

TEST(WaveRayleigh, InFloatIsNearlyThatInDouble) {
  run("damped_double", mixed("step = 0.0005"));
  run("damped_float", mixed("step = 0.0005"), "--set run.precision=float");
  const auto exact = table(folder() / "damped_double" / "probes.csv"),
             rounded = table(folder() / "damped_float" / "probes.csv");
  expect_same_traces(rounded, exact, 2e-4);
}

/// Solids beside a fluid that damp: energy is taken, and traces are those of whatever numbers of ranks.
TEST(WaveRayleigh, SolidsBesideFluidsDamp) {
  const auto deck = [](const std::string& damping, const std::string& step = "cfl = 0.5") {
    return box(2, 4) + group("water", "surfaces", "y > 0.5") + group("rock", "surfaces", "y <= 0.5") +
           physics("coupled", 4) + "[[material]]\non = \"water\"\ndensity = 1\nvp = 1.5\n" +
           "[[material]]\non = \"rock\"\ndensity = 2\nvp = 2\nvs = 1\n" + damping +
           "[[source]]\nat = [0.4, 0.3]\nforce = [1, 2]\ntime_function = \"ricker\"\nfrequency = 3\ndelay = 0.4\n"
           "[[quantity]]\nname = \"energy\"\nkind = \"kinetic_energy\"\n" +
           probe("u", "0.7, 0.3", "u_x") + probe("w", "0.7, 0.8", "v_y") + "[output]\nevery = 1000\nformats = []\n" +
           time_to(2, step);
  };
  const auto loudest = [&](const std::string& damping, std::size_t column) {
    run("damped_ocean", deck(damping));
    double most = 0;
    for (const auto& row : table(folder() / "damped_ocean" / "probes.csv"))
      if (row[0] > 1.5) most = std::max(most, std::abs(row[column]));
    return most;
  };
  for (const std::size_t column : {1U, 2U}) {
    const double free = loudest("", column);
    for (const char* damping : {"rayleigh_alpha = 2\n", "rayleigh_beta = 0.006\n"}) {
      const double damped = loudest(damping, column);
      EXPECT_LT(damped, 0.7 * free) << damping << column;
      EXPECT_GT(damped, 0) << damping << column;
    }
  }
  SKIP_WITHOUT_MPI();
  const std::string damped = deck("rayleigh_alpha = 2\nrayleigh_beta = \"0.002*(1 + x)\"\n", "step = 0.004");
  expect_same_traces(traces_on_ranks("damped_ocean_ranks", damped, 2),
                     traces_on_ranks("damped_ocean_ranks", damped, 1));
}

/// c dt / h < 0.147704 / sqrt(2) without beta, of c = 2 and h = 1/2, and the root of omega^2 (dt^2 + 2 beta dt) = 4.
TEST(WaveRayleigh, StepsAreShortenedByBetaAndTheLimitIsNamed) {
  const double plain = 0.147704 / std::sqrt(2.0) / 4, beta = 0.02, longest = std::hypot(beta, plain) - beta;
  const auto deck = [&](const std::string& scheme, const std::string& step) {
    return box(2, 2) + physics("elastic", 4) + "[[material]]\ndensity = 2\nvp = 2\nvs = 1\n" +
           fmt::format("rayleigh_beta = {}\n", beta) +
           "[[initial]]\nu = [\"exp(-20*x^2)\", \"y\"]\n[output]\nformats = []\n" + time_to(0.5, step, scheme);
  };
  EXPECT_NEAR(double(run("shortened", deck("newmark", "cfl = 0.9"))["time"]["stable_step"]), longest, 1e-6);
  const auto wrong = deck("newmark", "step = 0.02");  // stable without the damping
  expect_says(app_test::tessera("run " + write_deck("too_long.toml", wrong) + " --quiet --backend threads --output " +
                                (folder() / "refused").string()),
              {"too_long",
               wrong,
               2,
               {"steps of 0.02 are unstable on this mesh", fmt::format("{:.3g} long", longest), "rayleigh_beta",
                "choose step = "}});
  for (const char* scheme : {"rk4", "low_storage_rk45"}) {
    const nlohmann::json summary = run("shortened_rk", deck(scheme, "cfl = 0.95"));
    tessera::solvers::StepperParams params;
    params.scheme = scheme;
    EXPECT_NEAR(double(summary["time"]["stable_step"]),
                tessera::solvers::damped_stability_limit(params, 2 / plain, beta), 1e-6)
        << scheme;
    EXPECT_TRUE(summary["warnings"].empty()) << summary["warnings"];
  }
  // alpha bounds no step of the leapfrog.
  const std::string only_alpha = Mode{"elastic", 1, "rayleigh_alpha = 100\n", "newmark", "0.95"}.deck();
  const std::string nothing = Mode{"elastic", 1, "", "newmark", "0.95"}.deck();
  EXPECT_EQ(double(run("alpha", only_alpha)["time"]["stable_step"]),
            double(run("nothing", nothing)["time"]["stable_step"]));
}

/// Of rk4, whose polynomial of stability is known: just below the limit no mode grows, just above it one does.
TEST(WaveRayleigh, LimitsOfRungeAndKuttaAreThoseOfTheirPolynomial) {
  tessera::solvers::StepperParams rk4;
  rk4.scheme = "rk4";
  const double highest = 50;
  for (const double beta : {0.0, 0.001, 0.01, 0.05, 0.3}) {
    const auto most = [&](double dt) {
      double largest = 0;
      for (int k = 1; k <= 2000; ++k) {
        const double omega = highest * k / 2000, half = beta * omega * omega / 2;
        const std::complex<double> root = std::sqrt(std::complex<double>(half * half - omega * omega));
        for (const auto& z : {dt * (-half + root), dt * (-half - root)})
          largest = std::max(largest, std::abs(1.0 + z * (1.0 + z / 2.0 * (1.0 + z / 3.0 * (1.0 + z / 4.0)))));
      }
      return largest;
    };
    const double limit = tessera::solvers::damped_stability_limit(rk4, highest, beta);
    EXPECT_LE(most(0.999 * limit), 1 + 1e-9) << beta;
    // A little damping lets longer steps be, of which the limit makes no use.
    const bool is_free = limit < tessera::solvers::imaginary_stability_limit(rk4) / highest;
    EXPECT_TRUE(!is_free || most(1.01 * limit) > 1 + 1e-9) << beta;
    const double dt = tessera::solvers::damped_leap(2 / highest, beta);
    EXPECT_NEAR(highest * highest * (dt * dt + 2 * beta * dt), 4, 1e-12);
  }
}

class RayleighRefused : public ::testing::TestWithParam<app_test::Case> {};

TEST_P(RayleighRefused, SaysWhatIsWrong) {
  const app_test::Case& wrong = GetParam();
  expect_says(app_test::tessera("run " + write_deck(std::string(wrong.name) + ".toml", wrong.deck) +
                                " --quiet --backend threads --output " + (folder() / "refused").string()),
              wrong);
}

const std::string solid = "[[material]]\ndensity = 2\nvp = 2\nvs = 1\n", soon = time_to(0.1, "cfl = 0.5"),
                  elastic = box(2, 2) + physics("elastic", 4);

INSTANTIATE_TEST_SUITE_P(
    Wave, RayleighRefused,
    ::testing::Values(
        app_test::Case{"negative_alpha",
                       elastic + solid + "rayleigh_alpha = -1\n" + soon,
                       2,
                       {"rayleigh_alpha is -1", "must not be negative", "negative_alpha.toml:"}},
        app_test::Case{"negative_beta",
                       elastic + solid + "rayleigh_beta = \"x - 0.5\"\n" + soon,
                       2,
                       {"rayleigh_beta is -0.5 at (0, 0, 0)"}},
        app_test::Case{"alpha_of_t", elastic + solid + "rayleigh_alpha = \"t\"\n" + soon, 2, {"depends on t"}},
        app_test::Case{"damped_and_lossy",
                       elastic + solid + "rayleigh_beta = 1e-3\nq_mu = 50\n[attenuation]\nband = [1, 10]\n" + soon,
                       2,
                       {"Rayleigh damping beside quality factors", "choose one of both", "damped_and_lossy.toml:"}},
        app_test::Case{"damped_layer",
                       elastic + solid +
                           "rayleigh_beta = \"1e-3*(1 + x)\"\n[[boundary]]\non = [\"left\"]\ntype = \"pml\"\n" + soon,
                       2,
                       {"a rayleigh_beta that is not the same everywhere, beside perfectly matched layers",
                        "the same constant rayleigh_beta"}},
        app_test::Case{"damped_fluid",
                       box(2, 2) + group("a", "surfaces", "x < 0.5") + group("b", "surfaces", "x >= 0.5") +
                           physics("coupled", 4) + "[[material]]\non = \"a\"\ndensity = 2\nvp = 2\nvs = 1\n" +
                           "[[material]]\non = \"b\"\ndensity = 2\nvp = 2\nrayleigh_alpha = 1\n" + soon,
                       2,
                       {"Rayleigh damping of a fluid beside solids"}}),
    app_test::case_name);

}  // namespace
