// Integrals over two sides that lie on each other.
#include "assembly/facets/contact.hpp"

#include <cmath>
#include <random>

#include "assembly/matrix_free/operator.hpp"
#include "assembly/support.hpp"
#include "mesh/geometry.hpp"
#include "mesh/split.hpp"

namespace tessera::testing {
namespace {

using assembly::ContactPoints;

/// The box with its halves x < 1/2 and x > 1/2 apart.
mesh::Mesh split_box(const std::string& shape, int cells, int geometry = 1) {
  mesh::Mesh mesh = box(shape, cells, geometry);
  mesh::Group low{"low", mesh.dim, {}, {}}, high{"high", mesh.dim, {}, {}};
  for (Index cell = 0; cell < mesh.cells(); ++cell)
    (mesh::centroid(mesh, cell)[0] < 0.5 ? low : high).entities.push_back(cell);
  mesh.groups.push_back(low);
  mesh.groups.push_back(high);
  mesh::add_interface(mesh, low, high, "cut");
  const std::vector<mesh::Seam> cuts{{"cut", mesh.group("cut", mesh.dim - 1)->entities}};
  mesh::split_along(mesh, cuts);
  return mesh;
}

struct Sides {
  std::vector<Index> first, second;
  ContactPoints points;
  Sides(const mesh::Mesh& mesh, int order)
      : first(mesh.group("cut_1", mesh.dim - 1)->entities),
        second(mesh.group("cut_2", mesh.dim - 1)->entities),
        points(assembly::contact_points(mesh, order, mesh::find_overlaps(mesh, first, second, -1))) {}
};

template <class Exec>
class Contact : public ::testing::Test {};
TYPED_TEST_SUITE(Contact, Backends);

/// int h (u_1 - u_2)^2 ds of a jump of polynomials of the order, from the matrix of every strategy.
TYPED_TEST(Contact, MatricesAreThoseOfTheJump) {
  TESSERA_REQUIRE(TypeParam);
  for (const char* shape : {"interval", "triangle", "quad", "tet", "hex", "prism"})
    for (int order = 1; order <= 3; ++order)
      for (const char* strategy : {"colour", "nonzeros", "two_pass", "shared", "atomic", "colour_blocks"}) {
        const std::string what = std::string(shape) + std::to_string(order) + strategy;
        const mesh::Mesh mesh = split_box(shape, 2);
        const assembly::DofMap map = assembly::make_dof_map(mesh, order);
        const Sides sides(mesh, order);
        const std::vector<assembly::DofBlock> couplings = assembly::contact_blocks(mesh, map, sides.points);
        TypeParam exec;
        assembly::Assembler<TypeParam, forms::Diffusion> assembler(exec, mesh, map,
                                                                   {.strategy = strategy, .couplings = &couplings});
        auto A = assembler.make_matrix();
        Array<double, typename TypeParam::Space> b(map.dofs);
        assembler.set_data({.region = {}, .k = constant(1), .c = {}, .f = {}});
        assembly::FacetTerms terms;
        assembly::add_contact_terms(mesh, map, sides.points, std::vector<double>(sides.points.ds.size(), 3.0), terms);
        for (int again = 0; again < 2; ++again) {  // a refill zeroes what was added
          assembler.refill(A, b.view());
          assembly::add_entries(exec, assembly::entries_of(terms), A);
        }
        const Eigen::MatrixXd K = dense(A);
        EXPECT_LT((K - K.transpose()).cwiseAbs().maxCoeff(), 1e-13) << what;
        EXPECT_LT((K * Eigen::VectorXd::Ones(map.dofs)).cwiseAbs().maxCoeff(), 1e-11) << what;
        // u = 0 on the low half, (1 + y)^order on the high one: the energy of the gradient, and 3 int (1 + y)^(2
        // order).
        Eigen::VectorXd u = Eigen::VectorXd::Zero(map.dofs);
        const std::vector<double> at = assembly::dof_points(mesh, map);
        for (const Index dof : assembly::facet_dofs(mesh, map, *mesh.group("high", mesh.dim)))
          u[dof] = std::pow(1 + at[3 * dof + 1], order);
        const double grown = (std::pow(2.0, 2 * order + 1) - 1) / (2 * order + 1);
        const double slope = order * order * (std::pow(2.0, 2 * order - 1) - 1) / (2 * order - 1);
        const double expected = mesh.dim == 1 ? 3 : 3 * grown + slope / 2;
        EXPECT_NEAR(u.dot(K * u), expected, 1e-10 * expected) << what;
      }
}

TYPED_TEST(Contact, OperatorsWithoutAMatrixHaveIt) {
  TESSERA_REQUIRE(TypeParam);
  for (const char* shape : {"quad", "hex", "tet"}) {
    const mesh::Mesh mesh = split_box(shape, 2);
    const assembly::DofMap map = assembly::make_dof_map(mesh, 2);
    const Sides sides(mesh, 2);
    const std::vector<assembly::DofBlock> couplings = assembly::contact_blocks(mesh, map, sides.points);
    TypeParam exec;
    assembly::Assembler<TypeParam, forms::Diffusion> assembler(exec, mesh, map, {.couplings = &couplings});
    const forms::DiffusionData data{.region = {}, .k = constant(2), .c = {}, .f = {}};
    auto A = assembler.make_matrix();
    Array<double, typename TypeParam::Space> b(map.dofs), x(map.dofs), y(map.dofs);
    assembler.assemble(data, A, b.view());
    assembly::BoundaryData boundary;
    assembly::add_contact_terms(mesh, map, sides.points, std::vector<double>(sides.points.ds.size(), 3.0),
                                boundary.terms);
    assembly::add_entries(exec, assembly::entries_of(boundary.terms), A);
    const auto free = assembly::make_matrix_free<forms::Diffusion>(exec, mesh, map, data, boundary, {}, b.view());
    std::mt19937 random(3);
    std::uniform_real_distribution<double> any(-1, 1);
    Eigen::VectorXd u(map.dofs);
    for (double& value : u) value = any(random);
    copy_bytes(Host{}, u.data(), typename TypeParam::Space{}, x.data(), sizeof(double) * map.dofs);
    free->apply(exec, std::as_const(x).view(), y.view());
    exec.synchronize();
    const std::vector<double> product = to_vector(y);
    const Eigen::VectorXd expected = dense(A) * u;
    for (Index i = 0; i < map.dofs; ++i) EXPECT_NEAR(product[i], expected[i], 1e-12) << shape << " row " << i;
  }
}

TEST(ContactLoads, WhatLeavesOneSideEntersTheOther) {
  for (const char* shape : {"interval", "triangle", "hex"}) {
    const mesh::Mesh mesh = split_box(shape, 2);
    const assembly::DofMap map = assembly::make_dof_map(mesh, 2);
    const Sides sides(mesh, 2);
    const std::vector<double> h(sides.points.ds.size(), 3.0);
    std::vector<double> u(static_cast<std::size_t>(map.dofs), 0.0);
    for (const Index dof : assembly::facet_dofs(mesh, map, *mesh.group("high", mesh.dim))) u[dof] = 5;
    double in[2] = {};
    for (const bool second : {false, true}) {
      const auto loads =
          assembly::contact_loads(mesh, map, sides.points, h, u, second ? sides.second : sides.first, second);
      for (Offset f = 0; f < loads.sides(); ++f) in[second] += loads.total(f);
    }
    EXPECT_NEAR(std::abs(in[0]), 15, 1e-12) << shape;
    EXPECT_NEAR(in[0] + in[1], 0, 1e-13) << shape;
    const assembly::ContactCover cover = assembly::contact_cover(mesh, sides.points, sides.first);
    EXPECT_NEAR(cover.area, 1, 1e-12) << shape;
    EXPECT_LT(cover.uncovered, 1e-12) << shape;
  }
}

}  // namespace
}  // namespace tessera::testing
