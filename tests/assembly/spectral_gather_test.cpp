// Nodes of meshes in which there are as many cells at one as there may be: the lists of sums, which are launched
// together as far as a launch takes them.
#include "spectral_support.hpp"
#include "support/backends.hpp"

namespace {

using namespace tessera;
using namespace tessera::spectral_test;
using forms::GradientFlux;
using forms::IsotropicStress;

template <class Exec>
class SpectralGather : public ::testing::Test {};
TYPED_TEST_SUITE(SpectralGather, tessera::testing::Backends);

/// Fans of 3 to 10 quads around a vertex each, or two layers of hexes around edges, beside each other.
mesh::Mesh fans(int dim) {
  mesh::Mesh mesh;
  mesh.dim = dim;
  mesh::CellBlock block;
  block.shape = dim == 2 ? mesh::Shape::quad : mesh::Shape::hex;
  block.nodes_per_cell = dim == 2 ? 4 : 8;
  const int planes = dim == 2 ? 1 : 3;
  for (int around = 3; around <= 10; ++around) {
    const Index first = mesh.nodes();
    const int of_plane = 1 + 2 * around;
    for (int plane = 0; plane < planes; ++plane)
      for (int k = -1; k < 2 * around; ++k) {
        const double angle = M_PI * k / around, radius = k < 0 ? 0 : k % 2 == 0 ? 1 : 1.2;
        const double point[] = {3.0 * around + radius * std::cos(angle), radius * std::sin(angle),
                                plane + 0.1 * plane * std::cos(angle)};
        mesh.points.insert(mesh.points.end(), point, point + 3);
      }
    for (int layer = 0; layer < std::max(1, planes - 1); ++layer)
      for (int k = 0; k < around; ++k)
        for (int plane = layer; plane < layer + dim - 1; ++plane)
          for (const int vertex : {0, 1 + 2 * k, 2 + 2 * k, 1 + 2 * ((k + 1) % around)})
            block.nodes.push_back(first + plane * of_plane + vertex);
  }
  mesh.blocks.push_back(block);
  return mesh;
}

/// An operator with its lists in sight.
template <class Exec, class Law>
struct WithLists : assembly::SpectralOperator<Exec, Law> {
  using Base = assembly::SpectralOperator<Exec, Law>;
  using Base::Base, Base::gather_, Base::gather_held_;
};

/// Every fifth node.
std::vector<Index> some_held(const DofMap& dofs) {
  std::vector<Index> held;
  for (Index dof = 0; dof < dofs.dofs; dof += 5) held.push_back(dof);
  return held;
}

/// Cells by themselves, so that all their nodes are in lists, give what patches give, of which few nodes are.
template <class Law, class Exec>
void expect_forces_and_steps(Exec& exec, int dim) {
  using Space = typename Exec::Space;
  const mesh::Mesh mesh = fans(dim);
  const DofMap dofs = spectral_dofs(mesh, 3);
  const Cells cells = assembly::spectral::make_cells(mesh, dofs);
  const int C = Law::components(dim);
  const Coefficients material = varying(mesh, dofs, cells, Law::coefficients(dim));
  const auto rows = static_cast<std::size_t>(dofs.dofs * C);
  const std::vector<double> u0 = noise(rows, 1), v0 = noise(rows, 2);
  Threads host(1);
  std::vector<double> force = stiffness_times<Law>(host, mesh, dofs, cells, material, u0);
  for (double& value : force) value = -value;
  const double size = largest(force);

  const std::vector<unsigned char> apart{1};
  const std::vector<Index> held = some_held(dofs);
  WithLists<Exec, Law> K(exec, mesh, dofs, cells, material, assembly::SpectralOptions{.held = held}.with_apart(apart));
  ASSERT_GT(K.gather_.size() + K.gather_held_.size(), 8U);
  ASSERT_GT(K.gather_held_.size(), 2U);
  const auto scale = to_space<Space>(std::vector<double>(static_cast<std::size_t>(dofs.dofs), 1.0));
  auto u = to_space<Space>(u0), v = to_space<Space>(v0);
  auto f = to_space<Space>(std::vector<double>(rows, NAN));
  K.apply(exec, View<const double>(u.view()), scale.view(), f.view());
  const std::vector<double> here = to_vector(f);
  for (std::size_t i = 0; i < rows; ++i) ASSERT_NEAR(here[i], force[i], 1e-13 * size) << i;

  const double kick = 0.5, drift = 0.25;
  auto a = to_space<Space>(std::vector<double>(held.size() * static_cast<std::size_t>(C), NAN));
  K.leap(exec, kick, drift, scale.view(), v.view(), u.view(), a.view());
  const std::vector<double> u1 = to_vector(u), v1 = to_vector(v), of_held = to_vector(a);
  for (Index dof = 0; dof < dofs.dofs; ++dof)
    for (int c = 0; c < C; ++c) {
      const auto i = static_cast<std::size_t>(dof * C + c);
      const bool moves = dof % 5 != 0;
      const double moved = v0[i] + (moves ? kick * here[i] : 0);
      ASSERT_NEAR(v1[i], moved, 1e-15 * size) << dof << ' ' << c;
      ASSERT_NEAR(u1[i], u0[i] + (moves ? drift * moved : 0), 1e-15 * size) << dof << ' ' << c;
      if (!moves) {
        ASSERT_EQ(of_held[static_cast<std::size_t>(dof / 5 * C + c)], here[i]) << dof << ' ' << c;
      }
    }
}

TYPED_TEST(SpectralGather, AddsUpAsManyCellsAsThereAreAtANode) {
  TESSERA_REQUIRE(TypeParam);
  auto exec = tessera::testing::with_threads<TypeParam>(2);
  for (const int dim : {2, 3}) {
    expect_forces_and_steps<GradientFlux>(exec, dim);
    expect_forces_and_steps<IsotropicStress>(exec, dim);
  }
}

}  // namespace
