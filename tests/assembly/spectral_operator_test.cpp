#include <gtest/gtest.h>

#include "assembly/spectral/operator_bytes.hpp"
#include "base/error.hpp"
#include "spectral_support.hpp"
#include "support/backends.hpp"

namespace {

using namespace tessera;
using namespace tessera::spectral_test;
using assembly::spectral::make_cells;
using assembly::spectral::operator_bytes;
using forms::AnisotropicStress;
using forms::GradientFlux;
using forms::IsotropicStress;

constexpr int degrees[] = {2, 3, 4, 5, 6, 7, 8};

template <class Exec>
class SpectralOperator : public ::testing::Test {};
TYPED_TEST_SUITE(SpectralOperator, tessera::testing::Backends);

TYPED_TEST(SpectralOperator, RigidMotionsMakeNoForceOnAnyMesh) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  for (const int dim : {2, 3})
    for (const int order : {1, 2})
      for (const int degree : degrees) {
        const mesh::Mesh mesh = irregular(dim, 2, order);
        const DofMap dofs = spectral_dofs(mesh, degree);
        const Cells cells = make_cells(mesh, dofs);
        const Coefficients material = varying(mesh, dofs, cells, 2);
        const auto motions = {
            at_dofs(mesh, dofs, dim, [](const double*, int c) { return c == 0 ? 1.0 : -2.0; }),
            at_dofs(mesh, dofs, dim, [](const double* x, int c) { return c == 0   ? -x[1]
                                                                         : c == 1 ? x[0]
                                                                                  : 0.0; }),
            at_dofs(mesh, dofs, dim, [dim](const double* x, int c) {
              if (dim == 2) return c == 0 ? -x[1] : x[0];
              return c == 1 ? -x[2] : c == 2 ? x[1] : 0.0;
            })};
        for (const std::vector<double>& u : motions) {
          const std::vector<double> f = stiffness_times<IsotropicStress>(exec, mesh, dofs, cells, material, u);
          EXPECT_LT(largest(f), 1e-12 * degree * degree) << dim << "-D, degree " << degree << ", order " << order;
        }
      }
}

TYPED_TEST(SpectralOperator, TakesWhatIsForetold) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  for (const int dim : {2, 3})
    for (const int order : {1, 2}) {
      const mesh::Mesh mesh = irregular(dim, 2, order);
      const DofMap dofs = spectral_dofs(mesh, 4);
      const Cells cells = make_cells(mesh, dofs);
      const Coefficients material = varying(mesh, dofs, cells, 2);
      const assembly::SpectralOperator<TypeParam, IsotropicStress> K(exec, mesh, dofs, cells, material);
      const auto layout = std::is_same_v<typename TypeParam::Space, Host>
                              ? assembly::spectral::patch_layout_of_threads(dim, cells.n, dim, sizeof(double))
                              : assembly::spectral::patch_layout(dim, cells.n, dim, sizeof(double));
      EXPECT_EQ(K.bytes(), operator_bytes(mesh, cells, material, dim, sizeof(double), layout).kept)
          << dim << ' ' << order;
    }
}

/// The gradient of a linear function is the same on both sides of a face only where neighbours agree on every node of
/// it: else forces would not cancel there.
TYPED_TEST(SpectralOperator, ForcesOfLinearFunctionsCancelInsideTheMesh) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  for (const int dim : {2, 3})
    for (const int degree : degrees) {
      if (dim == 3 && degree == 2) continue;  // the rule is not exact for skew hexes
      const mesh::Mesh mesh = irregular(dim, 3);
      const DofMap dofs = spectral_dofs(mesh, degree);
      const Cells cells = make_cells(mesh, dofs);
      const std::vector<double> u =
          at_dofs(mesh, dofs, dim, [](const double* x, int c) { return (1 + c) * x[0] - 2 * x[1] + c * x[2]; });
      const std::vector<double> f =
          stiffness_times<IsotropicStress>(exec, mesh, dofs, cells, constant({2, 3}, mesh.cells()), u);
      std::vector<char> outside(static_cast<std::size_t>(dofs.dofs), 0);
      const std::vector<double> points = assembly::dof_points(mesh, dofs);
      // Nodes inside the mesh: those of which all cells around have their sides in common; found by the unit box that
      // was bent.
      mesh::Mesh box = test_meshes::box(dim == 2 ? mesh::Shape::quad : mesh::Shape::hex, 3);
      const mesh::Mesh bent = [&] {
        mesh::Mesh copy = box;
        test_meshes::bend(copy);
        return copy;
      }();
      const DofMap of_box = spectral_dofs(box, degree);
      const std::vector<double> straight = assembly::dof_points(box, of_box),
                                moved = assembly::dof_points(bent, of_box);
      std::size_t inside = 0;
      for (Index dof = 0; dof < dofs.dofs; ++dof)
        for (Index other = 0; other < of_box.dofs; ++other) {
          const double* const a = &points[3 * static_cast<std::size_t>(dof)];
          const double* const b = &moved[3 * static_cast<std::size_t>(other)];
          if (std::abs(a[0] - b[0]) + std::abs(a[1] - b[1]) + std::abs(a[2] - b[2]) > 1e-9) continue;
          const double* const x = &straight[3 * static_cast<std::size_t>(other)];
          bool within = true;
          for (int axis = 0; axis < dim; ++axis) within &= x[axis] > 1e-9 && x[axis] < 1 - 1e-9;
          if (!within) break;
          ++inside;
          for (int c = 0; c < dim; ++c)
            EXPECT_NEAR(f[static_cast<std::size_t>(dof * dim + c)], 0, 1e-11) << dim << "-D, degree " << degree;
          break;
        }
      EXPECT_EQ(inside, static_cast<std::size_t>(std::pow(3 * degree - 1, dim)));
    }
}

TYPED_TEST(SpectralOperator, EnergyOfALinearFunctionIsItsGradientSquaredTimesTheVolume) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  for (const int dim : {2, 3})
    for (const int degree : degrees) {
      const mesh::Mesh mesh = irregular(dim, 2);
      const DofMap dofs = spectral_dofs(mesh, degree);
      const Cells cells = make_cells(mesh, dofs);
      const std::vector<double> mass =
          assembly::spectral::diagonal_mass(mesh, dofs, cells, constant({1}, mesh.cells()));
      double volume = 0;
      for (const double m : mass) volume += m;
      const std::vector<double> u = at_dofs(mesh, dofs, 1, [](const double* x, int) { return x[0] - 2 * x[1]; });
      const std::vector<double> f =
          stiffness_times<GradientFlux>(exec, mesh, dofs, cells, constant({3}, mesh.cells()), u);
      EXPECT_NEAR(dot(u, f), 15 * volume, 1e-12 * volume * 15) << dim << "-D, degree " << degree;
    }
}

TYPED_TEST(SpectralOperator, IsSymmetric) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  for (const int dim : {2, 3})
    for (const int degree : degrees) {
      const mesh::Mesh mesh = irregular(dim, 2);
      const DofMap dofs = spectral_dofs(mesh, degree);
      const Cells cells = make_cells(mesh, dofs);
      const auto check = [&](auto law, int components, int coefficients) {
        const Coefficients material = varying(mesh, dofs, cells, coefficients);
        const auto rows = static_cast<std::size_t>(dofs.dofs * components);
        const std::vector<double> u = noise(rows, 1), v = noise(rows, 2);
        using Law = decltype(law);
        const std::vector<double> Ku = stiffness_times<Law>(exec, mesh, dofs, cells, material, u);
        const std::vector<double> Kv = stiffness_times<Law>(exec, mesh, dofs, cells, material, v);
        EXPECT_NEAR(dot(v, Ku), dot(u, Kv), 1e-12 * std::sqrt(dot(v, v) * dot(Ku, Ku)));
        EXPECT_GT(dot(u, Ku), 0);
      };
      check(GradientFlux{}, 1, 1);
      check(IsotropicStress{}, dim, 2);
    }
}

TYPED_TEST(SpectralOperator, GeometryAndMaterialMayBeStoredOrNot) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  for (const int dim : {2, 3})
    for (const int degree : degrees) {
      const mesh::Mesh mesh = irregular(dim, 3);
      const DofMap dofs = spectral_dofs(mesh, degree);
      const Cells cells = make_cells(mesh, dofs);
      const std::vector<double> u = noise(static_cast<std::size_t>(dofs.dofs * dim), 5);
      const Coefficients of_cells = constant({2, 3}, mesh.cells());
      Coefficients at_places{2, true, {}};
      for (std::size_t i = 0; i < cells.dofs.size(); ++i) at_places.values.insert(at_places.values.end(), {2, 3});
      const std::vector<double> f = stiffness_times<IsotropicStress>(exec, mesh, dofs, cells, of_cells, u);
      const double size = largest(f);
      for (const bool stored : {false, true})
        for (const Coefficients* material : std::initializer_list<const Coefficients*>{&of_cells, &at_places}) {
          const std::vector<double> other =
              stiffness_times<IsotropicStress>(exec, mesh, dofs, cells, *material, u, {.stored = stored});
          for (std::size_t i = 0; i < f.size(); ++i) ASSERT_NEAR(other[i], f[i], 1e-13 * size);
        }
      const std::vector<double> in_float =
          stiffness_times<IsotropicStress, float>(exec, mesh, dofs, cells, of_cells, u);
      for (std::size_t i = 0; i < f.size(); ++i) ASSERT_NEAR(in_float[i], f[i], 3e-6 * size);
    }
}

TYPED_TEST(SpectralOperator, OfAnisotropicStressIsTheIsotropicOneWhereTheStiffnessIs) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  for (const int dim : {2, 3})
    for (const int degree : degrees) {
      const mesh::Mesh mesh = irregular(dim, 2);
      const DofMap dofs = spectral_dofs(mesh, degree);
      const Cells cells = make_cells(mesh, dofs);
      const std::vector<double> u = noise(static_cast<std::size_t>(dofs.dofs * dim), 5);
      const std::vector<double> f =
          stiffness_times<IsotropicStress>(exec, mesh, dofs, cells, constant({2, 3}, mesh.cells()), u);
      // lambda = 2, mu = 3
      const std::vector<double> C =
          dim == 2 ? std::vector<double>{8, 2, 0, 8, 0, 3}
                   : std::vector<double>{8, 2, 2, 0, 0, 0, 8, 2, 0, 0, 0, 8, 0, 0, 0, 3, 0, 0, 3, 0, 3};
      const std::vector<double> other =
          stiffness_times<AnisotropicStress>(exec, mesh, dofs, cells, constant(C, mesh.cells()), u);
      const double size = largest(f);
      for (std::size_t i = 0; i < f.size(); ++i) ASSERT_NEAR(other[i], f[i], 1e-13 * size) << dim << ' ' << degree;
    }
}

TYPED_TEST(SpectralOperator, IsThatOfThreads) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  Threads one(1), three(3);
  for (const int dim : {2, 3})
    for (const int order : {1, 2})
      for (const int degree : degrees) {
        const mesh::Mesh mesh = irregular(dim, 3, order);
        const DofMap dofs = spectral_dofs(mesh, degree);
        const Cells cells = make_cells(mesh, dofs);
        const auto check = [&](auto law, int components, int coefficients) {
          using Law = decltype(law);
          const Coefficients material = varying(mesh, dofs, cells, coefficients);
          const std::vector<double> u = noise(static_cast<std::size_t>(dofs.dofs * components), 5);
          const std::vector<double> f = stiffness_times<Law>(one, mesh, dofs, cells, material, u);
          EXPECT_EQ(f, stiffness_times<Law>(three, mesh, dofs, cells, material, u));
          const std::vector<double> here = stiffness_times<Law>(exec, mesh, dofs, cells, material, u);
          const double size = largest(f);
          for (std::size_t i = 0; i < f.size(); ++i) ASSERT_NEAR(here[i], f[i], 1e-13 * size);
        };
        check(GradientFlux{}, 1, 1);
        check(IsotropicStress{}, dim, 2);
        check(AnisotropicStress{}, dim, AnisotropicStress::coefficients(dim));
      }
}

TYPED_TEST(SpectralOperator, LeavesDofsOfOthersAlone) {
  TESSERA_REQUIRE(TypeParam);
  using Space = typename TypeParam::Space;
  TypeParam exec;
  const mesh::Mesh mesh = irregular(2, 3);
  const DofMap dofs = spectral_dofs(mesh, 4);
  const Cells cells = make_cells(mesh, dofs);
  const Coefficients material = constant({1}, mesh.cells());
  const std::vector<double> u = noise(static_cast<std::size_t>(dofs.dofs), 5);
  const std::vector<double> all = stiffness_times<GradientFlux>(exec, mesh, dofs, cells, material, u);
  const Index owned = dofs.dofs / 2;
  assembly::SpectralOperator<TypeParam, GradientFlux> K(exec, mesh, dofs, cells, material, {.owned = owned});
  const auto x = to_space<Space>(u), ones = to_space<Space>(std::vector<double>(static_cast<std::size_t>(owned), 1.0));
  auto f = to_space<Space>(std::vector<double>(u.size(), 7.0));
  K.apply(exec, x.view(), ones.view(), f.view());
  const std::vector<double> own = to_vector(f);
  for (Index dof = 0; dof < dofs.dofs; ++dof)
    EXPECT_EQ(own[static_cast<std::size_t>(dof)], dof < owned ? -all[static_cast<std::size_t>(dof)] : 7.0);
}

/// The largest omega with omega^2 an eigenvalue of M^-1 K, from below.
template <class Law>
double highest_of(const mesh::Mesh& mesh, const DofMap& dofs, const Cells& cells, const Coefficients& material,
                  int components) {
  Threads exec(2);
  std::vector<double> scale = assembly::spectral::diagonal_mass(mesh, dofs, cells, constant({1}, mesh.cells()));
  for (double& m : scale) m = 1 / m;
  assembly::SpectralOperator<Threads, Law> K(exec, mesh, dofs, cells, material);
  const auto inverse_mass = to_space<Host>(scale);
  auto x = to_space<Host>(noise(static_cast<std::size_t>(dofs.dofs * components), 9));
  Array<double> y(x.size());
  double omega = 0;
  for (int i = 0; i < 1500; ++i) {
    K.apply(exec, x.view(), inverse_mass.view(), y.view());
    const std::vector<double> now = to_vector(y);
    const double size = std::sqrt(dot(now, now));
    omega = std::sqrt(size);
    for (Offset k = 0; k < x.size(); ++k) x[k] = y[k] / size;
  }
  return omega;
}

TEST(SpectralSteps, TheHighestFrequencyIsExactOnEqualBricksAndBoundedOnSkewOnes) {
  for (const int dim : {2, 3})
    for (const int degree : {2, 3, 4, 5}) {
      mesh::Mesh mesh = test_meshes::box(dim == 2 ? mesh::Shape::quad : mesh::Shape::hex, 2);
      const auto both = [&] {
        const DofMap dofs = spectral_dofs(mesh, degree);
        const Cells cells = make_cells(mesh, dofs);
        const double estimate = highest_frequency(mesh, cells, constant({2}, mesh.cells())).value;
        return std::pair(highest_of<GradientFlux>(mesh, dofs, cells, constant({4}, mesh.cells()), 1), estimate);
      };
      const auto [exact, estimate] = both();
      EXPECT_NEAR(exact, estimate, 2e-3 * estimate) << dim << ' ' << degree;
      EXPECT_LE(exact, estimate * (1 + 1e-12));
      for (Index node = 0; node < mesh.nodes(); ++node) mesh.points[3 * node] += 0.5 * mesh.points[3 * node + 1];
      const auto [skew, bound] = both();
      EXPECT_LE(skew, bound);
      EXPECT_GT(skew, 0.7 * bound) << dim << ' ' << degree;
      test_meshes::bend(mesh, 0.1);
      const auto [bent, guess] = both();
      EXPECT_LE(bent, 1.1 * guess) << dim << ' ' << degree;
    }
}

/// Of an elastic body the speed of P waves counts.
TEST(SpectralSteps, TheHighestFrequencyOfASolidIsThatOfItsFastWaves) {
  for (const int dim : {2, 3})
    for (const int degree : {2, 4}) {
      const mesh::Mesh mesh = irregular(dim, 2, 1, 0.05);
      const DofMap dofs = spectral_dofs(mesh, degree);
      const Cells cells = make_cells(mesh, dofs);
      for (const double lambda : {0.0, 2.0, 20.0}) {
        const double estimate = highest_frequency(mesh, cells, constant({std::sqrt(lambda + 2)}, mesh.cells())).value;
        const double exact = highest_of<IsotropicStress>(mesh, dofs, cells, constant({lambda, 1}, mesh.cells()), dim);
        EXPECT_LE(exact, 1.1 * estimate) << dim << ' ' << degree << ' ' << lambda;
        EXPECT_GT(exact, 0.6 * estimate) << dim << ' ' << degree << ' ' << lambda;
      }
    }
}

}  // namespace
