// Solids whose stiffness has directions, against plane waves of Christoffel's equation.
#include <eigen3/Eigen/Eigenvalues>
#include <numbers>

#include "decks.hpp"
#include "physics/wave/anisotropy.hpp"

namespace {

using namespace wave_test;
using Eigen::Matrix3d;
using Eigen::Vector3d;

/// C_ijkl with three axes, whatever the dimensions of the mesh.
struct Tensor {
  double entries[3][3][3][3] = {};

  static int voigt(int i, int j) { return i == j ? i : 6 - i - j; }
  explicit Tensor(const Eigen::Matrix<double, 6, 6>& C) {
    each([&](int i, int j, int k, int l) { entries[i][j][k][l] = C(voigt(i, j), voigt(k, l)); });
  }
  template <class Visit>
  static void each(Visit visit) {
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        for (int k = 0; k < 3; ++k)
          for (int l = 0; l < 3; ++l) visit(i, j, k, l);
  }
  Tensor turned(const Matrix3d& R) const {
    Tensor result = *this;
    each([&](int i, int j, int k, int l) {
      double sum = 0;
      each([&](int a, int b, int c, int d) { sum += R(i, a) * R(j, b) * R(k, c) * R(l, d) * entries[a][b][c][d]; });
      result.entries[i][j][k][l] = sum;
    });
    return result;
  }
  Matrix3d christoffel(const Vector3d& n) const {
    Matrix3d G = Matrix3d::Zero();
    each([&](int i, int j, int k, int l) { G(i, k) += entries[i][j][k][l] * n[j] * n[l]; });
    return G;
  }
  /// stiffness = [...] of a deck.
  std::string in_deck(int dim) const {
    const std::vector<std::pair<int, int>> pairs =
        dim == 2 ? std::vector<std::pair<int, int>>{{0, 0}, {1, 1}, {0, 1}}
                 : std::vector<std::pair<int, int>>{{0, 0}, {1, 1}, {2, 2}, {1, 2}, {0, 2}, {0, 1}};
    std::vector<std::string> numbers;
    for (std::size_t a = 0; a < pairs.size(); ++a)
      for (std::size_t b = a; b < pairs.size(); ++b)
        numbers.push_back(
            fmt::format("{:.17g}", entries[pairs[a].first][pairs[a].second][pairs[b].first][pairs[b].second]));
    return fmt::format("stiffness = [{}]\n", fmt::join(numbers, ", "));
  }
};

constexpr double density = 1.5;

/// Layers with these speeds, whose normal is the axis.
struct Layers {
  double vpv = 2, vph = 2.6, vsv = 1.1, vsh = 1.3, eta = 0.9;
  Vector3d axis;

  Tensor tensor() const {
    const double C = density * vpv * vpv, A = density * vph * vph, L = density * vsv * vsv, N = density * vsh * vsh,
                 F = eta * (A - 2 * L);
    Eigen::Matrix<double, 6, 6> matrix = Eigen::Matrix<double, 6, 6>::Zero();
    matrix.diagonal() << A, A, C, L, L, N;
    matrix(0, 1) = matrix(1, 0) = A - 2 * N;
    matrix(0, 2) = matrix(2, 0) = matrix(1, 2) = matrix(2, 1) = F;
    Matrix3d R;  // brings z to the axis
    const Vector3d s = axis.normalized();
    const Vector3d across = s.unitOrthogonal();
    R << s.cross(across), across, s;
    return Tensor(matrix).turned(R);
  }
  std::string in_deck(int dim) const {
    return fmt::format("vpv = {}\nvph = {}\nvsv = {}\neta = {}\n{}axis = [{}, {}{}]\n", vpv, vph, vsv, eta,
                       dim == 3 ? fmt::format("vsh = {}\n", vsh) : "", axis[0], axis[1],
                       dim == 3 ? fmt::format(", {}", axis[2]) : "");
  }
};

Layers layers(int dim) { return {.axis = dim == 2 ? Vector3d(1, 2, 0) : Vector3d(1, 2, -0.5)}; }

/// A solid without any symmetry; in two dimensions that of the plane.
Tensor without_symmetry() {
  Eigen::Matrix<double, 6, 6> C;
  C << 8, 2.1, 1.9, 0.3, -0.4, 0.7,  //
      0, 7, 2.3, -0.6, 0.2, -0.5,    //
      0, 0, 9, 0.1, 0.5, 0.4,        //
      0, 0, 0, 2.5, 0.3, -0.2,       //
      0, 0, 0, 0, 2, 0.1,            //
      0, 0, 0, 0, 0, 3;
  return Tensor(C.selfadjointView<Eigen::Upper>());
}

struct PlaneWave {
  Vector3d along, polarisation;
  double speed;

  /// f of the phase k n.x - k c t of each component, times factor.
  std::string value(int dim, const std::string& f, double k, double factor, const std::string& t) const {
    std::string phase = fmt::format("-{:.17g}*({})", k * speed, t);
    for (int d = 0; d < dim; ++d) phase += fmt::format(" + {:.17g}*{}", k * along[d], "xyz"[d]);
    std::vector<std::string> all;
    for (int c = 0; c < dim; ++c)
      all.push_back(fmt::format("\"{:.17g}*({})\"", factor * polarisation[c],
                                fmt::format(fmt::runtime(f), fmt::arg("s", phase))));
    return fmt::format("[{}]", fmt::join(all, ", "));
  }
};

std::vector<PlaneWave> plane_waves(const Tensor& C, int dim, const Vector3d& n) {
  const Matrix3d G = C.christoffel(n.normalized());
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(G.topLeftCorner(dim, dim));
  std::vector<PlaneWave> waves;
  for (int w = 0; w < dim; ++w) {
    Vector3d p = Vector3d::Zero();
    p.head(dim) = solver.eigenvectors().col(w);
    waves.push_back({n.normalized(), p, std::sqrt(solver.eigenvalues()[w] / density)});
  }
  return waves;
}

std::string material(const std::string& of) { return fmt::format("[[material]]\ndensity = {}\n", density) + of; }

std::string all_sides(int dim) {
  return dim == 2 ? "\"left\", \"right\", \"top\", \"bottom\""
                  : "\"left\", \"right\", \"top\", \"bottom\", \"front\", \"back\"";
}

/// The error of a plane wave through a box whose sides follow it.
double error_of(const PlaneWave& wave, const std::string& of_material, int dim) {
  const double k = 4;
  return l2_error(box(dim, dim == 2 ? 3 : 2) + physics("elastic", dim == 2 ? 7 : 6) + material(of_material) +
                      "[[initial]]\nu = " + wave.value(dim, "sin({s})", k, 1, "0") +
                      "\nv = " + wave.value(dim, "cos({s})", k, -k * wave.speed, "0") +
                      "\n[exact]\nu = " + wave.value(dim, "sin({s})", k, 1, "t") + "\n[[boundary]]\non = [" +
                      all_sides(dim) + "]\ntype = \"prescribed\"\nvalue = " + wave.value(dim, "sin({s})", k, 1, "t") +
                      "\n" + time_to(0.3, "cfl = 0.1", "low_storage_rk45"),
                  "u");
}

TEST(WaveAnisotropy, PlaneWavesTravelAtChristoffelsSpeeds) {
  for (const int dim : {2, 3}) {
    const Vector3d along = dim == 2 ? Vector3d(3, 1, 0) : Vector3d(3, 1, -2);
    const Layers of = layers(dim);
    const double bound = dim == 2 ? 1e-6 : 1e-5;
    for (const PlaneWave& wave : plane_waves(of.tensor(), dim, along)) {
      EXPECT_LT(error_of(wave, of.in_deck(dim), dim), bound) << dim << "-D, layers, speed " << wave.speed;
      EXPECT_LT(error_of(wave, of.tensor().in_deck(dim), dim), bound) << dim << "-D, layers as C, " << wave.speed;
      PlaneWave slower = wave;  // what a speed that is wrong by one part in 500 would be
      slower.speed *= 0.998;
      EXPECT_GT(error_of(slower, of.in_deck(dim), dim), 20 * bound);
    }
    const Tensor any = without_symmetry();
    for (const PlaneWave& wave : plane_waves(any, dim, along))
      EXPECT_LT(error_of(wave, any.in_deck(dim), dim), bound) << dim << "-D, any, speed " << wave.speed;
  }
}

/// A pulse along the normal of a side leaves through it, though its polarisation is neither along nor across.
TEST(WaveAnisotropy, LeavesThroughAbsorbingSides) {
  const std::string pulse = "exp(-({s} + 2)^2)";
  const double k = 6;
  for (const PlaneWave& wave : plane_waves(without_symmetry(), 2, Vector3d(1, 0, 0))) {
    const std::string rate = "2*({s} + 2)*exp(-({s} + 2)^2)";
    const double end = 1.5 / wave.speed;
    const std::string deck =
        "[mesh]\nbox = { min = [0,0], max = [1,0.25], cells = [8,2], shape = \"quad\" }\n" + physics("elastic", 6) +
        material(without_symmetry().in_deck(2)) + "[[initial]]\nu = " + wave.value(2, pulse, k, 1, "0") +
        "\nv = " + wave.value(2, rate, k, k * wave.speed, "0") + "\n[exact]\nu = " + wave.value(2, pulse, k, 1, "t") +
        "\n[[boundary]]\non = [\"left\", \"top\", \"bottom\"]\ntype = \"prescribed\"\nvalue = " +
        wave.value(2, pulse, k, 1, "t") + "\n[[boundary]]\non = [\"right\"]\ntype = \"absorbing\"\n" +
        "[output]\nformats = []\n[[quantity]]\nname = \"Ek\"\nkind = \"kinetic_energy\"\n";
    EXPECT_LT(l2_error(deck + time_to(end, "cfl = 0.1"), "u"), 1e-4) << wave.speed;
    EXPECT_LT(l2_error(deck + time_to(end / 2, "cfl = 0.1"), "u"), 1e-4) << wave.speed;
  }
}

TEST(WaveAnisotropy, BoundsStepsByTheFastestOfAllPlaneWaves) {
  for (const int dim : {2, 3}) {
    for (const bool in_layers : {true, false}) {
      const Tensor C = in_layers ? layers(dim).tensor() : without_symmetry();
      double fastest = 0;
      const int turns = 160;
      for (int i = 0; i < turns; ++i)
        for (int j = 0; j < (dim == 2 ? 1 : turns); ++j) {
          const double phi = std::numbers::pi * i / turns, z = dim == 2 ? 0 : (j + 0.5) / turns * 2 - 1,
                       r = std::sqrt(1 - z * z);
          fastest = std::max(fastest, plane_waves(C, dim, {r * std::cos(phi), r * std::sin(phi), z}).back().speed);
        }
      const std::string deck =
          box(dim, 2) + physics("elastic", 4) + material(in_layers ? layers(dim).in_deck(dim) : C.in_deck(dim));
      const nlohmann::json summary = run("fastest", deck + time_to(0.05, "cfl = 0.5"));
      EXPECT_NEAR(double(summary["time"]["stable_step"]) * fastest, 0.147704 / std::sqrt(dim) / 2, 2e-5)
          << dim << ' ' << in_layers;
    }
  }
}

/// Of stiff and of random solids: the fastest wave of all bounds steps, the slowest one counts nodes on a wave, to some
/// per cent.
TEST(WaveAnisotropy, FindsTheExtremeSpeedsOfAllDirections) {
  using namespace tessera::physics::wave;
  std::srand(1);
  for (const int dim : {2, 3})
    for (int material = 0; material < 20; ++material) {
      const int n = dim == 2 ? 3 : 6;
      const Eigen::MatrixXd part = Eigen::MatrixXd::Random(n, n);
      const Eigen::MatrixXd values = part * part.transpose() + 0.3 * Eigen::MatrixXd::Identity(n, n);
      Stiffness C{dim, {}};
      for (int i = 0, at = 0; i < n; ++i)
        for (int j = i; j < n; ++j) C.values[static_cast<std::size_t>(at++)] = values(i, j);
      double least = 1e300, most = 0;
      for (int direction = 0; direction < 4000; ++direction) {
        Vector3d axis = Vector3d::Random();
        if (dim == 2) axis[2] = 0;
        axis.normalize();
        const Eigen::VectorXd squares =
            Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(christoffel(C, {axis[0], axis[1], axis[2]})).eigenvalues();
        least = std::min(least, squares[0]);
        most = std::max(most, squares[dim - 1]);
      }
      const Speeds speeds = extreme_speeds(C, density);
      EXPECT_GT(speeds.fastest, std::sqrt(most / density) * (1 - 1e-7)) << dim << ' ' << material;
      EXPECT_LT(speeds.fastest, std::sqrt(most / density) * 1.01) << dim << ' ' << material;
      EXPECT_NEAR(speeds.slowest / std::sqrt(least / density), 1, 0.05) << dim << ' ' << material;
    }
}

/// One part of the body isotropic, the other not; both described by expressions. Energy is kept.
TEST(WaveAnisotropy, KeepsItsEnergyWhereMaterialsVary) {
  const std::string deck =
      irregular(2, 1) + physics("elastic", 4) +
      "[[group]]\nname = \"left\"\nof = \"surfaces\"\nwhere = \"x < 0.5\"\n"
      "[[group]]\nname = \"right\"\nof = \"surfaces\"\nwhere = \"x >= 0.5\"\n"
      "[[material]]\non = \"left\"\ndensity = 2\nvp = \"2 + 0.3*y\"\nvs = 1\n"
      "[[material]]\non = \"right\"\ndensity = \"1.5 + 0.1*x\"\nvpv = 2\nvph = \"2.5 + 0.2*y\"\nvsv = 1\neta = 0.95\n"
      "axis = [\"y\", \"1\"]\n"
      "[[initial]]\nu = [\"exp(-40*((x-0.5)^2 + (y-0.5)^2))\", \"0\"]\n"
      "[[quantity]]\nname = \"Ek\"\nkind = \"kinetic_energy\"\n[[quantity]]\nname = \"Ep\"\nkind = "
      "\"potential_energy\"\n[output]\nevery = 37\nformats = []\n" +
      time_to(8, "cfl = 0.3");
  const nlohmann::json summary = run("mixed", deck);
  const nlohmann::json& phases = summary["phases"];
  EXPECT_TRUE(std::any_of(phases.begin(), phases.end(), [](const auto& phase) { return phase["name"] == "materials"; }))
      << phases;
  const auto rows = table(folder() / "mixed" / "quantities.csv");
  ASSERT_GT(rows.size(), 20U);
  const double start = rows[0][1] + rows[0][2];
  EXPECT_GT(rows[3][1], 0.01 * start);
  for (const auto& row : rows) EXPECT_NEAR(row[1] + row[2], start, 3e-3 * start);
}

}  // namespace
