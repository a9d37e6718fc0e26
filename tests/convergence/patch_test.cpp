// What holds to round-off on any mesh, distorted and of several shapes, on every backend: linear fields are solved
// exactly, the stiffness of a constant is zero, mass and load sum to the volume.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "assembly/space/element.hpp"
#include "mesh/geometry.hpp"
#include "support/backends.hpp"
#include "support/mixed.hpp"
#include "support/poisson.hpp"

namespace tessera::testing {
namespace {

const char* const meshes[] = {"interval", "triangle", "quad", "tet", "hex", "prism", "quad+triangle", "hex+prism+tet"};

/// n cells an axis, then moved out of shape: the interfaces between shapes too.
mesh::Mesh distorted(const std::string& name, int n) {
  mesh::Mesh mesh = name == "quad+triangle"   ? quads_and_triangles(n)
                    : name == "hex+prism+tet" ? hexes_prisms_and_tets(n)
                                              : box(name, n);
  distort(mesh, 0.1);
  return mesh;
}

/// Row sums, and the sum of all entries' sizes as their scale.
template <class Space>
std::vector<double> row_sums(const linalg::Crs<Space>& A, double& largest) {
  const std::vector<Offset> row_ptr = to_vector(A.row_ptr);
  const std::vector<double> values = to_vector(A.values);
  std::vector<double> sums(static_cast<std::size_t>(A.rows), 0.0);
  largest = 0;
  for (Index row = 0; row < A.rows; ++row)
    for (Offset k = row_ptr[row]; k < row_ptr[row + 1]; ++k) {
      sums[row] += values[k];
      largest = std::max(largest, std::abs(values[k]));
    }
  return sums;
}

/// Orders that all cells of the mesh have; on hexes up to 6, for matrices of higher order are large.
int largest_order(const mesh::Mesh& mesh) {
  int least = mesh.dim == 3 ? 6 : assembly::max_order;
  for (const mesh::CellBlock& block : mesh.blocks) least = std::min(least, assembly::largest_order(block.shape));
  return least;
}

double sum(const std::vector<double>& values) {
  double total = 0;
  for (double value : values) total += value;
  return total;
}

template <class Exec>
class Patch : public ::testing::Test {};
TYPED_TEST_SUITE(Patch, Backends);

TYPED_TEST(Patch, LinearFieldsAreSolvedExactly) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  const std::string fields[] = {"1+2*x", "1+2*x-3*y", "1+2*x-3*y+0.5*z"};
  const std::vector<std::string> gradient{"2", "-3", "0.5"};
  for (const char* name : meshes)
    for (int order = 1; order <= largest_order(distorted(name, 2)); ++order) {
      const mesh::Mesh mesh = distorted(name, order < 3 ? 4 : 2);
      const std::vector<std::string> exact_gradient(gradient.begin(), gradient.begin() + mesh.dim);
      const Solved solved = solve_dirichlet(exec, mesh, order, fields[mesh.dim - 1], exact_gradient, "0", 1e-14);
      EXPECT_LT(solved.errors.max, 1e-11) << name << " P" << order;
      EXPECT_LT(*solved.errors.h1, 1e-10) << name << " P" << order;
    }
}

/// u = x^k + y^k + z^k, so f = -k (k-1) (x^(k-2) + ...): in the space of affine cells of order k.
TYPED_TEST(Patch, PolynomialsOfTheElementsOrderAreSolvedExactly) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  for (const char* shape : {"interval", "triangle", "quad", "tet", "hex", "prism"})
    for (int k = 1; k <= assembly::largest_order(mesh::shape_from_name(shape)); ++k) {
      const mesh::Mesh mesh = box(shape, k > 4 ? 1 : 2);
      std::string u = "0", f = "0";
      std::vector<std::string> gradient;
      for (int axis = 0; axis < mesh.dim; ++axis) {
        const std::string x(1, "xyz"[axis]), power = std::to_string(k);
        u += "+" + x + "^" + power;
        if (k > 1) f += "-" + std::to_string(k * (k - 1)) + "*" + x + "^" + std::to_string(k - 2);
        gradient.push_back(power + "*" + x + "^" + std::to_string(k - 1));
      }
      const Solved solved = solve_dirichlet(exec, mesh, k, u, gradient, f, 1e-14);
      EXPECT_LT(solved.errors.max, 1e-11) << shape << " P" << k;
      EXPECT_LT(*solved.errors.h1, 1e-10) << shape << " P" << k;
    }
}

TYPED_TEST(Patch, StiffnessOfAConstantIsZero) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  for (const char* name : meshes)
    for (int order = 1; order <= largest_order(distorted(name, 2)); ++order) {
      const mesh::Mesh mesh = distorted(name, 2);
      const assembly::DofMap dofs = assembly::make_dof_map(mesh, order);
      assembly::Assembler<TypeParam, forms::Diffusion> assembler(exec, mesh, dofs);
      auto A = assembler.make_matrix();
      Array<double, typename TypeParam::Space> b(dofs.dofs);
      forms::DiffusionData data;
      data.k.values = {2.5};
      assembler.assemble(data, A, b);
      double largest = 0;
      for (double value : row_sums(A, largest)) EXPECT_LT(std::abs(value), 1e-12 * largest) << name << " P" << order;
      EXPECT_GT(largest, 0) << name << " P" << order;
    }
}

TYPED_TEST(Patch, MassAndLoadSumToTheVolume) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  for (const char* name : meshes)
    for (int order = 1; order <= largest_order(distorted(name, 2)); ++order) {
      const mesh::Mesh mesh = distorted(name, 2);
      const double volume = mesh::measure(mesh);
      const assembly::DofMap dofs = assembly::make_dof_map(mesh, order);
      assembly::Assembler<TypeParam, forms::Diffusion> assembler(exec, mesh, dofs);
      auto A = assembler.make_matrix();
      Array<double, typename TypeParam::Space> b(dofs.dofs);
      forms::DiffusionData data;
      data.c.values = {1.0};
      data.f.values = {3.0};
      assembler.assemble(data, A, b);
      double largest = 0;
      EXPECT_NEAR(sum(row_sums(A, largest)), volume, 1e-12) << name << " P" << order;
      EXPECT_NEAR(sum(to_vector(b)), 3 * volume, 1e-12) << name << " P" << order;
    }
}

/// The mixed meshes themselves: nothing overlaps, and what two cells share is no side of the whole.
TEST(MixedMeshes, AreConforming) {
  const mesh::Mesh flat = quads_and_triangles(4), solid = hexes_prisms_and_tets(4);
  const auto surface = [](const mesh::Mesh& mesh) {
    double area = 0;
    for (Index facet = 0; facet < mesh.facets.size(); ++facet) area += mesh::facet_measure(mesh, facet);
    return area;
  };
  EXPECT_NEAR(mesh::measure(flat), 1, 1e-13);
  EXPECT_NEAR(surface(flat), 4, 1e-13);
  EXPECT_NEAR(mesh::measure(solid), 0.75, 1e-13);
  EXPECT_NEAR(surface(solid), 5.5, 1e-13);
  EXPECT_EQ(solid.blocks.size(), 3u);
}

}  // namespace
}  // namespace tessera::testing
