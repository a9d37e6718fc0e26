// Operators that are alive at the same time: what a kernel is launched with for one is nothing to another.
#include <thread>

#include "spectral_support.hpp"
#include "support/backends.hpp"

namespace {

using namespace tessera;
using namespace tessera::spectral_test;

template <class Exec>
class SpectralOperatorsBeside : public ::testing::Test {};
TYPED_TEST_SUITE(SpectralOperatorsBeside, tessera::testing::Backends);

/// An operator with all that an application takes.
template <class Exec>
struct Problem {
  using Space = typename Exec::Space;
  mesh::Mesh mesh;
  DofMap dofs = spectral_dofs(mesh, 5);
  Cells cells = assembly::spectral::make_cells(mesh, dofs);
  assembly::SpectralOperator<Exec, forms::IsotropicStress> K;
  Array<double, Space> u, ones, f;

  Problem(Exec& exec, mesh::Mesh of)
      : mesh(std::move(of)),
        K(exec, mesh, dofs, cells, constant({1, 2}, mesh.cells())),
        u(to_space<Space>(noise(static_cast<std::size_t>(dofs.dofs) * 3, 5))),
        ones(to_space<Space>(std::vector<double>(static_cast<std::size_t>(dofs.dofs), 1.0))),
        f(u.size()) {}

  std::vector<double> apply(Exec& exec) {
    f.set_zero();
    K.apply(exec, View<const double>(u.view()), View<const double>(ones.view()), f.view());
    return to_vector(f);
  }
};

/// Patches of a box have other lists than those of a mesh whose cells lie anyhow, and than a single cell.
TYPED_TEST(SpectralOperatorsBeside, GiveWhatEachGivesAlone) {
  TESSERA_REQUIRE(TypeParam);
  auto exec = tessera::testing::with_threads<TypeParam>(2);
  const auto meshes = [] {
    return std::vector<mesh::Mesh>{test_meshes::box(mesh::Shape::hex, 1, 1), irregular(3, 4),
                                   test_meshes::box(mesh::Shape::hex, 4, 1)};
  };
  std::vector<std::vector<double>> alone;
  for (mesh::Mesh& mesh : meshes()) alone.push_back(Problem<TypeParam>(exec, std::move(mesh)).apply(exec));
  std::vector<std::unique_ptr<Problem<TypeParam>>> beside;
  for (mesh::Mesh& mesh : meshes()) beside.push_back(std::make_unique<Problem<TypeParam>>(exec, std::move(mesh)));
  for (const std::size_t i : {0U, 1U, 2U, 1U, 0U, 2U, 0U, 1U}) {
    EXPECT_EQ(beside[i]->apply(exec), alone[i]) << i;
    EXPECT_GT(largest(alone[i]), 0);
  }
}

/// Two threads of a program, each with a stream of its own, whose launches fall between each other's.
TYPED_TEST(SpectralOperatorsBeside, GiveItFromTwoThreadsOfAProgram) {
  TESSERA_REQUIRE(TypeParam);
  std::vector<double> expected[2];
  bool same[2] = {true, true};
  const auto mesh = [](int which) { return which == 0 ? irregular(3, 4) : test_meshes::box(mesh::Shape::hex, 2, 1); };
  for (const int which : {0, 1}) {
    auto exec = tessera::testing::with_threads<TypeParam>(1);
    expected[which] = Problem<TypeParam>(exec, mesh(which)).apply(exec);
  }
  std::vector<std::thread> threads;
  for (const int which : {0, 1})
    threads.emplace_back([&, which] {
      auto exec = tessera::testing::with_threads<TypeParam>(1);
      Problem<TypeParam> problem(exec, mesh(which));
      for (int k = 0; k < 20; ++k) same[which] = same[which] && problem.apply(exec) == expected[which];
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(same[0]);
  EXPECT_TRUE(same[1]);
}

}  // namespace
