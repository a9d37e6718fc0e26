// Spectral elements of which few points remember their strain.
#include "assembly/spectral/coarse.hpp"

#include <gtest/gtest.h>

#include "assembly/space/quadrature.hpp"
#include "assembly/spectral/relaxation.hpp"
#include "spectral_support.hpp"
#include "support/backends.hpp"

namespace {

using namespace tessera;
using namespace tessera::spectral_test;
using assembly::spectral::CoarseRule;

TEST(CoarseRule, IsExactAsItsPointsInterpolateAndPositive) {
  for (int degree = 2; degree <= 8; ++degree) {
    const assembly::spectral::Rule& fine = assembly::spectral::rule(degree);
    const CoarseRule& rule = assembly::spectral::coarse_rule(degree);
    const int exact = rule.points + rule.points % 2;  // powers below
    for (int k = 0; k < exact; ++k) {
      double sum = 0;
      for (int i = 0; i < rule.points; ++i)
        sum += rule.weights[i] * std::pow(fine.points[assembly::spectral::coarse_node(fine.n, i)], k);
      EXPECT_NEAR(sum, k % 2 == 0 ? 2.0 / (k + 1) : 0, 1e-13) << degree << ' ' << k;
    }
    double most = 0;
    for (int i = 0; i < rule.points; ++i) {
      const int node = assembly::spectral::coarse_node(fine.n, i);
      EXPECT_GT(rule.weights[i], 0);
      EXPECT_NEAR(rule.weights[i], rule.ratio[i] * fine.weights[node], 1e-14);
      EXPECT_EQ(assembly::spectral::coarse_number(fine.n, node), i);
      EXPECT_NEAR(fine.points[node], -fine.points[assembly::spectral::coarse_node(fine.n, rule.points - 1 - i)], 1e-14);
      most = std::max(most, rule.ratio[i]);
    }
    int met = 0;
    for (int node = 0; node < fine.n; ++node) met += assembly::spectral::coarse_number(fine.n, node) >= 0 ? 1 : 0;
    EXPECT_EQ(met, rule.points);
    EXPECT_NEAR(rule.largest_ratio(3), most * most * most, 1e-12);
    EXPECT_LT(most, 2.2) << degree;  // what remembers may take a tenth of a modulus in space
  }
}

constexpr int L = assembly::spectral::mechanisms;
const std::array<double, 3> times{0.03, 0.2, 1.1};

/// The forces as they are written down: at all points s = M_U : e, at those of the coarse rule less what they remember
/// of all gradients, with the weights of that rule.
template <class Law, int dim>
class Written {
 public:
  static constexpr int C = Law::components(dim);
  using Gradient = std::array<std::array<double, dim>, C>;

  Written(const mesh::Mesh& mesh, const DofMap& dofs, const Cells& cells, const Coefficients& material)
      : cells_(cells),
        material_(material),
        dofs_(dofs.dofs),
        geometry_(assembly::spectral::stored_geometry(mesh, cells, 0, mesh.cells())),
        before_(all()),
        remembered_(static_cast<std::size_t>(L), all()) {}

  /// The next displacement, dt after the last one; the first one is without memory.
  std::vector<double> force(const std::vector<double>& u, double dt) {
    std::vector<double> f(u.size(), 0.0);
    const assembly::spectral::Rule& rule = assembly::spectral::rule(cells_.n - 1);
    for (Index cell = 0; cell < cells_.cells; ++cell)
      for (int q = 0; q < cells_.places; ++q) {
        const std::size_t at = static_cast<std::size_t>(cell) * places() + static_cast<std::size_t>(q);
        const Gradient g = gradient(u, cell, q);
        for (std::size_t l = 0; l < L && dt > 0; ++l) {
          const assembly::spectral::Relaxation of(dt, times[l]);
          for (int c = 0; c < C; ++c)
            for (int d = 0; d < dim; ++d)
              remembered_[l][at][c][d] =
                  of.kept * remembered_[l][at][c][d] + of.before * before_[at][c][d] + of.now * g[c][d];
        }
        before_[at] = g;
        const Gradient s = stress(cell, q, at, g);
        int of[3] = {q % cells_.n, q / cells_.n % cells_.n, q / (cells_.n * cells_.n)};
        for (int a = 0; a < dim; ++a)
          for (int m = 0; m < cells_.n; ++m) {
            int node[3] = {of[0], of[1], of[2]};
            node[a] = m;
            const Index dof = cells_.cell(cell)[node[0] + cells_.n * (node[1] + cells_.n * node[2])];
            for (int c = 0; c < C; ++c)
              for (int d = 0; d < dim; ++d)
                f[static_cast<std::size_t>(dof * C + c)] -=
                    weight(cell, q) * rule.slope[of[a] * cells_.n + m] * inverse(cell, q, a, d) * s[c][d];
          }
      }
    return f;
  }

 private:
  std::size_t places() const { return static_cast<std::size_t>(cells_.places); }
  std::vector<Gradient> all() const { return std::vector<Gradient>(static_cast<std::size_t>(cells_.cells) * places()); }
  double geometry(Index cell, int q, int entry) const {
    return geometry_[(static_cast<std::size_t>(cell) * (dim * dim + 1) + static_cast<std::size_t>(entry)) * places() +
                     static_cast<std::size_t>(q)];
  }
  double weight(Index cell, int q) const { return geometry(cell, q, dim * dim); }
  double inverse(Index cell, int q, int a, int d) const { return geometry(cell, q, a * dim + d); }

  Gradient gradient(const std::vector<double>& u, Index cell, int q) const {
    const int n = cells_.n, of[3] = {q % n, q / n % n, q / (n * n)};
    const assembly::spectral::Rule& rule = assembly::spectral::rule(n - 1);
    Gradient g{};
    for (int a = 0; a < dim; ++a)
      for (int m = 0; m < n; ++m) {
        int node[3] = {of[0], of[1], of[2]};
        node[a] = m;
        const Index dof = cells_.cell(cell)[node[0] + n * (node[1] + n * node[2])];
        for (int c = 0; c < C; ++c)
          for (int d = 0; d < dim; ++d)
            g[c][d] += rule.slope[of[a] * n + m] * inverse(cell, q, a, d) * u[static_cast<std::size_t>(dof * C + c)];
      }
    return g;
  }

  Gradient stress(Index cell, int q, std::size_t at, const Gradient& g) const {
    std::vector<double> k;
    for (int m = 0; m < Law::coefficients(dim); ++m) k.push_back(material_.at(cells_, cell, q, m));
    Gradient sum{};
    add<0>(k.data(), g, 1, sum);
    if constexpr (Law::parts == 2) add<1>(k.data(), g, 1, sum);
    const double ratio = ratio_at(q);
    for (int l = 0; l < L && ratio > 0; ++l) {
      const Gradient& of = remembered_[static_cast<std::size_t>(l)][at];
      add<0>(k.data(), of, -ratio * k[static_cast<std::size_t>(Law::moduli(dim) + l)], sum);
      if constexpr (Law::parts == 2)
        add<1>(k.data(), of, -ratio * k[static_cast<std::size_t>(Law::moduli(dim) + L + l)], sum);
    }
    return sum;
  }
  template <int part>
  static void add(const double* k, const Gradient& g, double by, Gradient& sum) {
    double from[C][dim], s[C][dim];
    for (int c = 0; c < C; ++c)
      for (int d = 0; d < dim; ++d) from[c][d] = g[c][d];
    Law::template Part<part>::template flux<dim, double>(k, from, s);
    for (int c = 0; c < C; ++c)
      for (int d = 0; d < dim; ++d) sum[c][d] += by * s[c][d];
  }
  double ratio_at(int q) const {
    const CoarseRule& rule = assembly::spectral::coarse_rule(cells_.n - 1);
    double ratio = 1;
    for (int axis = 0; axis < dim; ++axis, q /= cells_.n) {
      const int i = assembly::spectral::coarse_number(cells_.n, q % cells_.n);
      ratio *= i < 0 ? 0 : rule.ratio[i];
    }
    return ratio;
  }

  const Cells& cells_;
  const Coefficients& material_;
  Index dofs_;
  std::vector<double> geometry_;
  std::vector<Gradient> before_;
  std::vector<std::vector<Gradient>> remembered_;
};

/// An operator, and forces of given displacements as its steps find them.
template <class Exec, class Law, class T>
class Stepped {
 public:
  using Space = typename Exec::Space;
  Stepped(Exec& exec, const mesh::Mesh& mesh, const DofMap& dofs, const Cells& cells, const Coefficients& material,
          bool stored)
      : exec_(exec),
        K_(exec, mesh, dofs, cells, material, {.stored = stored}),
        ones_(to_space<Space>(std::vector<T>(static_cast<std::size_t>(dofs.dofs), T(1)))) {
    K_.set_times(times);
  }
  std::vector<double> begin(const std::vector<double>& u, double dt) {
    const auto x = as_numbers(u);
    K_.forget(exec_, x.view(), dt);
    return force(u);
  }
  std::vector<double> step(const std::vector<double>& u, double before, double dt, bool kept) {
    K_.begin_step(before, dt, kept);
    return force(u);
  }
  auto& operator_itself() { return K_; }

 private:
  static Array<T, Space> as_numbers(const std::vector<double>& u) {
    return to_space<Space>(std::vector<T>(u.begin(), u.end()));
  }
  std::vector<double> force(const std::vector<double>& u) {
    auto x = as_numbers(u);
    Array<T, Space> v(x.size());
    v.set_zero();
    K_.leap(exec_, T(1), T(0), View<const T>(ones_.view()), v.view(), x.view(), {});
    const std::vector<T> forces = to_vector(v);
    return {forces.begin(), forces.end()};
  }

  Exec& exec_;
  assembly::CoarseOperator<Exec, Law, T> K_;
  Array<T, Space> ones_;
};

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
  return most / largest(b);
}

template <class Exec>
class CoarseOperator : public ::testing::Test {};
TYPED_TEST_SUITE(CoarseOperator, tessera::testing::Backends);

template <class Law, int dim, class T, class Exec>
void expect_as_written(Exec& exec, int degree, bool stored, bool varies) {
  const mesh::Mesh mesh = irregular(dim, dim == 2 ? 3 : 2, stored ? 2 : 1);
  const DofMap dofs = spectral_dofs(mesh, degree);
  const Cells cells = assembly::spectral::make_cells(mesh, dofs);
  std::vector<double> numbers;
  for (int m = 0; m < Law::coefficients(dim); ++m) numbers.push_back(m < Law::moduli(dim) ? 1.0 + m : 0.02 * (m + 1));
  const Coefficients material =
      varies ? varying(mesh, dofs, cells, Law::coefficients(dim)) : constant(numbers, mesh.cells());
  Written<Law, dim> written(mesh, dofs, cells, material);
  Stepped<Exec, Law, T> stepped(exec, mesh, dofs, cells, material, stored);
  const std::size_t rows = static_cast<std::size_t>(dofs.dofs) * static_cast<std::size_t>(Law::components(dim));
  const double tolerance = sizeof(T) == 8 ? 1e-12 : 2e-5;
  const double steps[] = {0.02, 0.05, 0.01, 0.01};
  EXPECT_LT(distance(stepped.begin(noise(rows, 1), steps[0]), written.force(noise(rows, 1), 0)), tolerance);
  stepped.step(noise(rows, 1), steps[0], steps[0], true);
  for (unsigned k = 1; k < 4; ++k) {
    const std::vector<double> u = noise(rows, k + 1);
    const std::vector<double> looked = stepped.step(u, steps[k - 1], steps[k], false);  // leaves no trace
    const std::vector<double> forces = stepped.step(u, steps[k - 1], steps[k], true);
    EXPECT_EQ(looked, forces);
    EXPECT_LT(distance(forces, written.force(u, steps[k - 1])), tolerance)
        << dim << ' ' << degree << ' ' << stored << varies << ' ' << k;
  }
}

TYPED_TEST(CoarseOperator, HasTheForcesThatAreWrittenDown) {
  TESSERA_REQUIRE(TypeParam);
  auto exec = tessera::testing::with_threads<TypeParam>(2);
  for (const bool stored : {false, true})
    for (int degree = 2; degree <= 8; ++degree) {
      expect_as_written<forms::AttenuatedStress, 2, double>(exec, degree, stored, degree % 2 == 0);
      expect_as_written<forms::AttenuatedAnisotropicStress, 2, double>(exec, degree, stored, degree % 2 == 1);
      expect_as_written<forms::AttenuatedGradient, 2, double>(exec, degree, stored, true);
      if (degree > 6) continue;
      expect_as_written<forms::AttenuatedStress, 3, double>(exec, degree, stored, degree % 2 == 1);
      expect_as_written<forms::AttenuatedStress, 3, float>(exec, degree, stored, degree % 2 == 0);
      expect_as_written<forms::AttenuatedAnisotropicStress, 3, double>(exec, degree, stored, false);
    }
}

/// Rigid motions, of any history, and what goes on from the numbers of cells.
TYPED_TEST(CoarseOperator, HasNoForceOfRigidMotionsAndGoesOnFromItsNumbers) {
  TESSERA_REQUIRE(TypeParam);
  auto exec = tessera::testing::with_threads<TypeParam>(2);
  const mesh::Mesh mesh = irregular(3, 3);
  const DofMap dofs = spectral_dofs(mesh, 4);
  const Cells cells = assembly::spectral::make_cells(mesh, dofs);
  const Coefficients material = constant({1, 2, 0.05, 0.06, 0.04, 0.03, 0.05, 0.06}, mesh.cells());
  using Steps = Stepped<TypeParam, forms::AttenuatedStress, double>;
  Steps rigid(exec, mesh, dofs, cells, material, false);
  const auto moved = [&](double by) {
    return at_dofs(mesh, dofs, 3, [&](const double* x, int c) {
      return by * (1 + c) + by * by * (x[(c + 1) % 3] * (3 - c) - x[(c + 2) % 3] * (3 - (c + 2) % 3));
    });
  };
  // of u = w x x the rows are skew: u_c = x_(c+1) a_c - x_(c+2) a_(c+2) with a_c = 3 - c
  const std::vector<double> size = stiffness_times<forms::AttenuatedStress>(
      exec, mesh, dofs, cells, material, at_dofs(mesh, dofs, 3, [](const double* x, int c) { return x[c]; }));
  EXPECT_LT(largest(rigid.begin(moved(1), 0.1)), 1e-12 * largest(size));
  for (const double by : {2.0, -1.0, 3.0})
    EXPECT_LT(largest(rigid.step(moved(by), 0.1, 0.1, true)), 1e-11 * largest(size)) << by;

  const std::size_t rows = 3 * static_cast<std::size_t>(dofs.dofs);
  Steps one(exec, mesh, dofs, cells, material, false), other(exec, mesh, dofs, cells, material, false);
  one.begin(noise(rows, 1), 0.1);
  for (unsigned k = 1; k < 4; ++k) one.step(noise(rows, k), 0.1, 0.1, true);
  const assembly::NumbersOfCells numbers = one.operator_itself().memory_of_cells();
  EXPECT_EQ(numbers.cells.size(), 27U);
  EXPECT_EQ(numbers.width, 3U * 6 * 8);
  other.operator_itself().restore_memory_of_cells(numbers);
  EXPECT_EQ(other.step(noise(rows, 9), 0.1, 0.1, true), one.step(noise(rows, 9), 0.1, 0.1, true));
}

}  // namespace
