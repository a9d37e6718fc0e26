// Elastic waves where media end: at an interface at an angle, and along a free surface, beside solutions that the test
// computes by itself.
#include <algorithm>
#include <array>
#include <complex>

#include "decks.hpp"

namespace {

using namespace wave_test;
using Complex = std::complex<double>;

/// A plane wave u = amplitude d f(t - s.x) in a medium; of fluids mu = 0.
struct Ray {
  double s[2], d[2], lambda, mu;
  double amplitude = 1;

  /// -sigma_x? / f' of amplitude 1 at a side x = const.
  double traction(int k) const {
    return k == 0 ? lambda * (d[0] * s[0] + d[1] * s[1]) + 2 * mu * d[0] * s[0] : mu * (d[0] * s[1] + d[1] * s[0]);
  }
};

struct Medium {
  double density, vp, vs;

  double mu() const { return density * vs * vs; }
  double lambda() const { return density * vp * vp - 2 * mu(); }
  /// A wave of this slowness along the interface that goes to the right (1) or left (-1).
  Ray ray(bool shear, double along, double way) const {
    const double speed = shear ? vs : vp, across = way * std::sqrt(1 / (speed * speed) - along * along);
    Ray ray{{across, along}, {speed * across, speed * along}, lambda(), mu()};
    if (shear) {
      ray.d[0] = -speed * along;
      ray.d[1] = speed * across;
    }
    return ray;
  }
  std::string deck(const std::string& group) const {
    return fmt::format("[[material]]\non = \"{}\"\ndensity = {}\nvp = {}\n{}", group, density, vp,
                       vs > 0 ? fmt::format("vs = {}\n", vs) : "");
  }
};

/// Gauss-Jordan with pivots, in place: A [n, n + 1] becomes diagonal but for its last column.
void eliminate(std::vector<std::vector<double>>& A) {
  for (std::size_t k = 0; k < A.size(); ++k) {
    const auto pivot = std::max_element(A.begin() + static_cast<std::ptrdiff_t>(k), A.end(),
                                        [&](auto& a, auto& b) { return std::abs(a[k]) < std::abs(b[k]); });
    std::swap(A[k], *pivot);
    for (std::size_t i = 0; i < A.size(); ++i) {
      const double factor = i == k ? 0 : A[i][k] / A[k][k];
      for (std::size_t j = k; j < A[i].size(); ++j) A[i][j] -= factor * A[k][j];
    }
  }
}

/// What an interface makes of a wave that comes from the left: the waves on both sides, by continuity of displacement
/// and traction; beside a fluid of the displacement across and the traction, which is a pressure. Aki & Richards,
/// section 5.2.
std::pair<std::vector<Ray>, std::vector<Ray>> scattered(const Medium& left, const Medium& right, const Ray& comes) {
  std::vector<Ray> back{left.ray(false, comes.s[1], -1), left.ray(true, comes.s[1], -1)};
  std::vector<Ray> on{right.ray(false, comes.s[1], 1)};
  if (right.vs > 0) on.push_back(right.ray(true, comes.s[1], 1));
  const auto conditions = [&](const Ray& ray) {
    std::vector<double> of{ray.d[0], ray.traction(0), ray.traction(1)};
    if (right.vs > 0) of.push_back(ray.d[1]);
    return of;
  };
  // The equations of the amplitudes, with what comes on the right of them.
  std::vector<std::vector<double>> A(conditions(comes).size());
  const auto column = [&](const Ray& ray, double sign) {
    const std::vector<double> of = conditions(ray);
    for (std::size_t i = 0; i < A.size(); ++i) A[i].push_back(sign * of[i]);
  };
  for (const Ray& ray : back) column(ray, 1);
  for (const Ray& ray : on) column(ray, -1);
  column(comes, -1);
  eliminate(A);
  for (std::size_t k = 0; k < A.size(); ++k)
    (k < back.size() ? back[k] : on[k - back.size()]).amplitude = A[k].back() / A[k][k];
  return {back, on};
}

struct Case {
  const char* name;
  bool shear;
  double degrees;
  bool fluid;
};
void PrintTo(const Case& of, std::ostream* stream) { *stream << of.name; }

class WaveInterface : public testing::TestWithParam<Case> {};

/// The interface x = 3; the wave is f(t - s.(x - from)), f a Gaussian of 0.16. Sides are so far away that nothing
/// comes from them.
TEST_P(WaveInterface, SendsBackAndLetsThroughWhatContinuityAsksFor) {
  const Case of = GetParam();
  const double width = 0.16, interface = 3, from[2] = {of.shear ? 1.4 : 0.6, 4};
  const Medium soft{1, std::sqrt(3.0), 1}, hard = of.fluid ? Medium{1.5, 1.5, 0} : Medium{1.5, 2.2, 1.3};
  const double a = of.degrees * M_PI / 180, speed = of.shear ? soft.vs : soft.vp;
  const Ray comes = soft.ray(of.shear, std::sin(a) / speed, 1);
  const auto [back, on] = scattered(soft, hard, comes);

  const double near = of.shear ? 0.25 : 0.45, end = of.shear ? 2.05 : 2.2;
  const double left[2] = {interface - near, 4.6}, right[2] = {interface + near, 4.4};
  const auto at = [](const double(&x)[2]) { return fmt::format("{}, {}", x[0], x[1]); };
  run("interface",
      "[mesh]\nbox = { min = [-1,0], max = [5,8], cells = [24,32], shape = \"quad\" }\n" +
          physics(of.fluid ? "coupled" : "elastic", 5) + group("soft", "surfaces", "x < 3") +
          group("hard", "surfaces", "x > 3") + soft.deck("soft") + hard.deck("hard") +
          "[[boundary]]\non = [\"left\", \"right\", \"top\", \"bottom\"]\ntype = \"absorbing\"\n[output]\nformats = "
          "[]\n" +
          probe("ux", at(left), "u_x") + probe("uy", at(left), "u_y") +
          (of.fluid ? probe("p", at(right), "p") : probe("vx", at(right), "u_x") + probe("vy", at(right), "u_y")) +
          fmt::format("[[plane_wave]]\non = [\"soft\"]\nwave = \"{}\"\ndirection = [{:.17g}, {:.17g}]\nat = [{}, "
                      "4]\ntime_function = \"gaussian\"\nwidth = {}\ndelay = 0\n",
                      of.shear ? "s" : "p", std::cos(a), std::sin(a), from[0], width) +
          time_to(end, "cfl = 0.3"));

  const auto f = [&](double t) { return std::exp(-t * t / (width * width)); };
  const auto df = [&](double t) { return -2 * t / (width * width) * f(t); };
  // All waves meet at the interface with the phase of the one that comes.
  const auto phase = [&](const Ray& ray, double t, const double(&x)[2]) {
    return t - comes.s[0] * (interface - from[0]) - ray.s[0] * (x[0] - interface) - ray.s[1] * (x[1] - from[1]);
  };
  const auto displacement = [&](const std::vector<Ray>& rays, int k, double t, const double(&x)[2]) {
    double sum = 0;
    for (const Ray& ray : rays) sum += ray.amplitude * ray.d[k] * f(phase(ray, t, x));
    return sum;
  };
  std::vector<Ray> before = back;
  before.push_back(comes);
  double most = 0, difference = 0, most_p = 0, difference_p = 0;
  for (const auto& row : table(folder() / "interface" / "probes.csv")) {
    for (int k = 0; k < 2; ++k) {
      const double u = displacement(before, k, row[0], left);
      most = std::max(most, std::abs(u));
      difference = std::max(difference, std::abs(row[1 + static_cast<std::size_t>(k)] - u));
      if (!of.fluid)
        difference =
            std::max(difference, std::abs(row[3 + static_cast<std::size_t>(k)] - displacement(on, k, row[0], right)));
    }
    if (of.fluid) {  // p = -lambda div u
      const double p = on[0].amplitude * on[0].traction(0) * df(phase(on[0], row[0], right));
      most_p = std::max(most_p, std::abs(p));
      difference_p = std::max(difference_p, std::abs(row[3] - p));
    }
  }
  EXPECT_GT(most, 0.9);
  EXPECT_LT(difference, 4e-3 * most);
  if (of.fluid) {
    EXPECT_GT(most_p, 1);
    EXPECT_LT(difference_p, 1e-2 * most_p);
  }
}

INSTANTIATE_TEST_SUITE_P(, WaveInterface,
                         testing::Values(Case{"p_10", false, 10, false}, Case{"p_20", false, 20, false},
                                         Case{"s_10", true, 10, false}, Case{"p_on_a_fluid_15", false, 15, true},
                                         Case{"s_on_a_fluid_10", true, 10, true}),
                         [](const auto& info) { return std::string(info.param.name); });

/// u_y and u_x at distance x along the free surface y = 0 of the half space below, of a line force f(t) along y at
/// x = 0: Lamb's problem, by sums over wavenumbers and frequencies omega - i epsilon, in which the forces of other
/// periods have not arrived or are e^-9 of themselves.
class Lamb {
 public:
  Lamb(double density, double vp, double vs, double width, double delay, double x) {
    const double smear = 1e-5, mu = density * vs * vs;
    for (std::size_t m = 0; m < waves_.size(); ++m) {
      const Complex omega = frequency(m), kp = omega / vp, ks = omega / vs;
      // The transform of the Gaussian.
      const Complex force = width * std::sqrt(M_PI) * std::exp(-omega * omega * width * width / 4.0) *
                            std::exp(Complex(0, -1) * omega * delay);
      Complex y = 0, along = 0;
      for (int n = 0; n < 1500; ++n) {
        const double k = 2 * M_PI * n / length;
        const Complex na = std::sqrt(k * k - kp * kp), nb = std::sqrt(k * k - ks * ks);
        const Complex q = 2 * k * k - ks * ks, rayleigh = q * q - 4 * k * k * na * nb;
        const double taper = (n == 0 ? 1 : 2) * std::exp(-smear * k * k);
        y += taper * std::cos(k * x) * (-ks * ks * na / rayleigh);
        along -= taper * std::sin(k * x) * k * (q - 2.0 * na * nb) / rayleigh;
      }
      const Complex wave = (m == 0 ? 1.0 : 2.0) * force / (period * length * mu);
      waves_[m] = {wave * y, wave * along};
    }
  }

  std::array<double, 2> at(double t) const {
    std::array<double, 2> u{};
    for (std::size_t m = 0; m < waves_.size(); ++m) {
      const Complex turn = std::exp(Complex(0, 1) * frequency(m) * t);
      for (std::size_t k = 0; k < 2; ++k) u[k] += (turn * waves_[m][k]).real();
    }
    return u;
  }

 private:
  static constexpr double period = 3, length = 12;
  static Complex frequency(std::size_t m) { return {2 * M_PI * static_cast<double>(m) / period, -9 / period}; }

  std::array<std::array<Complex, 2>, 60> waves_;
};

TEST(WaveSurface, ALineForceOnAHalfSpaceMakesTheWavesOfLamb) {
  const double source = 0.03, receivers[] = {0.65, 1.05};
  verify("wave_lamb");
  const auto rows = table(folder() / "wave_lamb" / "probes.csv");
  ASSERT_GT(rows.size(), 100U);
  for (std::size_t i = 0; i < std::size(receivers); ++i) {
    const Lamb exact(2, std::sqrt(3.0), 1, 0.1, 0.3, receivers[i] - source);
    double most = 0, difference = 0;
    for (std::size_t r = 0; r < rows.size(); r += rows.size() / 50) {
      const auto u = exact.at(rows[r][0]);
      for (std::size_t k = 0; k < 2; ++k) {
        most = std::max(most, std::abs(u[k]));
        difference = std::max(difference, std::abs(rows[r][1 + 2 * i + k] - u[k]));
      }
    }
    EXPECT_GT(most, 0.05) << i;
    EXPECT_LT(difference, 0.01 * most) << i;
  }
}

}  // namespace
