// Periodic dofs: the space, and its matrices by every strategy on every backend against that of the mesh without them,
// folded.
#include <cmath>
#include <numeric>

#include "assembly/cells/strategy.hpp"
#include "assembly/matrix_free/operator.hpp"
#include "assembly/space/periodic_dof_map.hpp"
#include "assembly/support.hpp"
#include "base/error.hpp"
#include "mesh/periodic.hpp"

namespace tessera::testing {
namespace {

using assembly::DofMap;

const char* const shapes[] = {"interval", "triangle", "quad", "tet", "hex", "prism"};

int largest_order(const std::string& shape) {
  return shape == "triangle" || shape == "tet" || shape == "prism" ? 4 : 5;
}

/// The sides of a box joined in its first `directions` directions.
std::vector<Index> joined(const mesh::Mesh& mesh, int directions, int order) {
  const char* const sides[3][2] = {{"left", "right"}, {"bottom", "top"}, {"back", "front"}};
  std::vector<Index> same(static_cast<std::size_t>(mesh.nodes()));
  std::iota(same.begin(), same.end(), 0);
  for (int d = 0; d < directions; ++d)
    mesh::join_sides(mesh, *mesh.group(sides[d][0], mesh.dim - 1), *mesh.group(sides[d][1], mesh.dim - 1), {}, same);
  mesh::check_joined(mesh, same, order);
  return same;
}

TEST(PeriodicDofs, CountThoseOfATorus) {
  for (const char* shape : shapes)
    for (int order = 1; order <= largest_order(shape); ++order) {
      const mesh::Mesh mesh = box(shape, 3);
      for (int directions = 0; directions <= mesh.dim; ++directions) {
        const DofMap dofs = assembly::make_periodic_dof_map(mesh, order, joined(mesh, directions, order));
        int expected = 1;
        for (int d = 0; d < mesh.dim; ++d) expected *= 3 * order + (d < directions ? 0 : 1);
        EXPECT_EQ(dofs.dofs, expected) << shape << order << directions;
        // Every dof belongs to a cell.
        std::vector<char> used(static_cast<std::size_t>(dofs.dofs), 0);
        for (const assembly::DofBlock& block : dofs.blocks)
          for (const Index dof : block.dofs) used[dof] = 1;
        EXPECT_EQ(std::accumulate(used.begin(), used.end(), 0), dofs.dofs);
      }
    }
}

/// A periodic function at the dofs is the same from both sides: faces are seen alike, however they are turned.
TEST(PeriodicDofs, HaveOneValueOfAPeriodicFunction) {
  for (const char* shape : shapes)
    for (int order = 1; order <= largest_order(shape); ++order) {
      const mesh::Mesh mesh = box(shape, 3);
      const DofMap dofs = assembly::make_periodic_dof_map(mesh, order, joined(mesh, mesh.dim, order));
      const DofMap plain = assembly::make_dof_map(mesh, order);
      const std::vector<double> points = assembly::dof_points(mesh, plain);
      std::vector<double> value(static_cast<std::size_t>(dofs.dofs), 1e300);
      for (std::size_t b = 0; b < dofs.blocks.size(); ++b)
        for (std::size_t i = 0; i < dofs.blocks[b].dofs.size(); ++i) {
          const double* x = &points[3 * static_cast<std::size_t>(plain.blocks[b].dofs[i])];
          double f = 1;
          for (int d = 0; d < mesh.dim; ++d) f *= 2 + std::sin(2 * M_PI * (x[d] + 0.1 * d + 0.05));
          double& known = value[dofs.blocks[b].dofs[i]];
          if (known == 1e300) known = f;
          ASSERT_NEAR(known, f, 1e-12) << shape << order;
        }
    }
}

TEST(PeriodicDofs, TooFewCellsAcrossAreRefused) {
  for (const char* shape : shapes) {
    EXPECT_THROW(joined(box(shape, 1), 1, 1), Error) << shape;
    EXPECT_NO_THROW(joined(box(shape, 2), 1, 1)) << shape;
    if (std::string(shape) == "interval") continue;  // it has no edges beside its cells
    EXPECT_THROW(joined(box(shape, 2), 1, 2), Error) << shape;
  }
}

template <class Exec>
struct PeriodicMatrices : ::testing::Test {};
TYPED_TEST_SUITE(PeriodicMatrices, Backends);

/// P^T A P, where P takes a periodic dof to those that it stands for.
Eigen::MatrixXd fold(const Eigen::MatrixXd& A, const DofMap& plain, const DofMap& dofs) {
  Eigen::MatrixXd P = Eigen::MatrixXd::Zero(plain.dofs, dofs.dofs);
  for (std::size_t b = 0; b < dofs.blocks.size(); ++b)
    for (std::size_t i = 0; i < dofs.blocks[b].dofs.size(); ++i) P(plain.blocks[b].dofs[i], dofs.blocks[b].dofs[i]) = 1;
  return P.transpose() * A * P;
}

TYPED_TEST(PeriodicMatrices, OfEveryStrategyAreThoseOfTheMeshFolded) {
  TESSERA_REQUIRE(TypeParam);
  const forms::DiffusionData data{.region = {}, .k = constant(1.7), .c = constant(0.4), .f = constant(2)};
  for (const char* shape : shapes)
    for (const int order : {1, 2, 3}) {
      mesh::Mesh mesh = box(shape, order == 1 ? 2 : 3);
      deform(mesh);
      const DofMap plain = assembly::make_dof_map(mesh, order);
      const DofMap dofs = assembly::make_periodic_dof_map(mesh, order, joined(mesh, mesh.dim, order));
      System<Threads> reference(mesh, order);
      reference.assemble(data);
      const Eigen::MatrixXd expected = fold(reference.matrix(), plain, dofs);
      for (const assembly::StrategyEntry& entry : assembly::strategy_table()) {
        assembly::AssemblyOptions options;
        options.strategy = entry.name;
        TypeParam exec;
        assembly::Assembler<TypeParam, forms::Diffusion> assembler(exec, mesh, dofs, options);
        auto A = assembler.make_matrix();
        Array<double, typename TypeParam::Space> b(dofs.dofs);
        assembler.assemble(data, A, b.view());
        EXPECT_LE((dense(A) - expected).cwiseAbs().maxCoeff(), 1e-11 * expected.cwiseAbs().maxCoeff())
            << shape << order << entry.name;
      }
      TypeParam exec;
      assembly::MatrixFree<TypeParam, forms::Diffusion> A(exec, mesh, dofs);
      Array<double, typename TypeParam::Space> load(dofs.dofs);
      A.assemble(exec, data, {}, load.view());
      std::vector<double> x(static_cast<std::size_t>(dofs.dofs));
      for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::sin(1 + 7.3 * static_cast<double>(i));
      const auto in = to_space<typename TypeParam::Space>(x);
      Array<double, typename TypeParam::Space> out(dofs.dofs);
      A.apply(exec, in.view(), out.view());
      const std::vector<double> product = to_vector(out);
      const Eigen::VectorXd by_matrix = expected * Eigen::Map<const Eigen::VectorXd>(x.data(), dofs.dofs);
      EXPECT_LE((Eigen::Map<const Eigen::VectorXd>(product.data(), dofs.dofs) - by_matrix).cwiseAbs().maxCoeff(),
                1e-11 * expected.cwiseAbs().maxCoeff())
          << shape << order;
    }
}

}  // namespace
}  // namespace tessera::testing
