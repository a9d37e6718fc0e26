#include "assembly/fields/quantities.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "assembly/fields/errors.hpp"
#include "assembly/fields/flux.hpp"
#include "base/error.hpp"
#include "meshes.hpp"

namespace {

using namespace tessera;
using namespace tessera::assembly;
using deck::Expression;
using mesh::Mesh;
using mesh::Shape;

/// The flux out through a group of exterior facets.
double flux_through(const Mesh& mesh, const DofMap& dofs, std::span<const double> u, const HostTensorField& k,
                    const mesh::Group& group, int threads = 0) {
  std::vector<mesh::CellSide> sides;
  for (const mesh::SidePair& pair : mesh::sides_of(mesh, group.entities)) sides.push_back(pair.first);
  return gradient_flux(mesh, dofs, u, k, sides, threads);
}

const Shape shapes[] = {Shape::interval, Shape::triangle, Shape::quad, Shape::tet, Shape::hex, Shape::prism};

TEST(Quantities, OfAPolynomialOnTheUnitBoxAreExact) {
  for (const Shape shape : shapes)
    for (int k = 1; k <= 4; ++k)
      for (const int geometry_order : {1, 2}) {
        const Mesh mesh = test_meshes::box(shape, 2, geometry_order);
        const DofMap dofs = make_dof_map(mesh, k);
        const auto u = interpolate(mesh, dofs, Expression("x^" + std::to_string(k)));
        const FieldStatistics all = field_statistics(mesh, dofs, u);
        EXPECT_NEAR(all.measure, 1, 1e-13) << mesh::name(shape);
        EXPECT_NEAR(all.integral, 1.0 / (k + 1), 1e-13);
        EXPECT_NEAR(all.average(), 1.0 / (k + 1), 1e-13);
        EXPECT_NEAR(all.l2, std::sqrt(1.0 / (2 * k + 1)), 1e-13);
        EXPECT_NEAR(all.min, 0, 1e-15);
        EXPECT_NEAR(all.max, 1, 1e-15);
        const FieldStatistics domain = field_statistics(mesh, dofs, u, mesh.group("domain", mesh.dim));
        EXPECT_EQ(domain.integral, all.integral);
        const FieldStatistics right = field_statistics(mesh, dofs, u, mesh.group("right", mesh.dim - 1));
        EXPECT_NEAR(right.measure, 1, 1e-13);
        EXPECT_NEAR(right.integral, 1, 1e-13);
        EXPECT_NEAR(right.min, 1, 1e-15);
        if (mesh.dim < 2) continue;
        const FieldStatistics bottom = field_statistics(mesh, dofs, u, mesh.group("bottom", mesh.dim - 1));
        EXPECT_NEAR(bottom.integral, 1.0 / (k + 1), 1e-13);
        EXPECT_NEAR(bottom.l2, std::sqrt(1.0 / (2 * k + 1)), 1e-13);
      }
}

/// The unit square as half of a section through a cylinder of radius 1 and height 1, about either axis.
TEST(Quantities, OfABodyOfRevolutionAreExact) {
  for (const Shape shape : {Shape::triangle, Shape::quad})
    for (int k = 1; k <= 4; ++k)
      for (const int geometry_order : {1, 2})
        for (const char* axis : {"x", "y"}) {
          Mesh mesh = test_meshes::box(shape, 2, geometry_order);
          mesh::set_axis(mesh, axis);
          const DofMap dofs = make_dof_map(mesh, k);
          const std::string r = axis[0] == 'y' ? "x" : "y";
          const auto u = interpolate(mesh, dofs, Expression(r + "^" + std::to_string(k)));
          const FieldStatistics all = field_statistics(mesh, dofs, u);
          EXPECT_NEAR(all.measure, M_PI, 1e-13) << mesh::name(shape) << axis;
          EXPECT_NEAR(all.integral, 2 * M_PI / (k + 2), 1e-13);
          EXPECT_NEAR(all.average(), 2.0 / (k + 2), 1e-13);
          EXPECT_NEAR(all.l2, std::sqrt(2 * M_PI / (2 * k + 2)), 1e-13);
          EXPECT_NEAR(all.max, 1, 1e-15);
          const char* const mantle = axis[0] == 'y' ? "right" : "top";
          EXPECT_NEAR(field_statistics(mesh, dofs, u, mesh.group(mantle, 1)).measure, 2 * M_PI, 1e-13);
          const char* const end = axis[0] == 'y' ? "top" : "right";
          EXPECT_NEAR(field_statistics(mesh, dofs, u, mesh.group(end, 1)).integral, 2 * M_PI / (k + 2), 1e-13);
          const char* const of_axis = axis[0] == 'y' ? "left" : "bottom";
          EXPECT_EQ(field_statistics(mesh, dofs, u, mesh.group(of_axis, 1)).integral, 0);
          EXPECT_TRUE(mesh::on_axis(mesh, *mesh.group(of_axis, 1)));
          EXPECT_FALSE(mesh::on_axis(mesh, *mesh.group(end, 1)));
          // -3 k through the mantle, where du/dr = k
          EXPECT_NEAR(flux_through(mesh, dofs, u, HostTensorField::constant(3), *mesh.group(mantle, 1)), -6 * M_PI * k,
                      1e-11);
        }
}

TEST(Quantities, FluxOfALinearFieldIsExactOnEverySide) {
  // u = 1 + 2x - y + 3z, K u-gradient through a side with normal e: -(K g) . e
  const double k3[6] = {2, 0.5, 0.25, 3, 0.125, 4};
  for (const Shape shape : shapes)
    for (int order = 1; order <= 4; ++order) {
      const Mesh mesh = test_meshes::box(shape, 2);
      const int dim = mesh.dim;
      const DofMap dofs = make_dof_map(mesh, order);
      const char* fields[] = {"1+2*x", "1+2*x-y", "1+2*x-y+3*z"};
      const auto u = interpolate(mesh, dofs, Expression(std::string(fields[dim - 1])));
      const double g[3] = {2, -1, 3};
      const HostTensorField full{dim * (dim + 1) / 2, [&](Index, int count, const deck::Points&, double* k) {
                                   for (const double* end = k + count * dim * (dim + 1) / 2; k < end;
                                        k += dim * (dim + 1) / 2) {
                                     if (dim == 3) std::copy_n(k3, 6, k);
                                     if (dim == 2) k[0] = 2, k[1] = 0.5, k[2] = 3;
                                     if (dim == 1) k[0] = 2;
                                   }
                                 }};
      const double kg[3][3] = {{4, 0, 0},
                               {2 * 2 - 0.5, 0.5 * 2 - 3, 0},
                               {2 * 2 - 0.5 + 0.25 * 3, 0.5 * 2 - 3 + 0.125 * 3, 0.25 * 2 - 0.125 + 4 * 3}};
      const char* sides[3][2] = {{"left", "right"}, {"bottom", "top"}, {"back", "front"}};
      for (int axis = 0; axis < dim; ++axis)
        for (const int high : {0, 1}) {
          const mesh::Group* side = mesh.group(sides[axis][high], dim - 1);
          ASSERT_NE(side, nullptr);
          const double sign = high ? -1 : 1;
          EXPECT_NEAR(flux_through(mesh, dofs, u, HostTensorField::constant(5), *side), sign * 5 * g[axis], 1e-11);
          EXPECT_NEAR(flux_through(mesh, dofs, u, full, *side), sign * kg[dim - 1][axis], 1e-11)
              << mesh::name(shape) << axis;
        }
    }
}

TEST(Quantities, FluxLeavesACurvedBodyAsItsSourcesSay) {
  // div(-grad u) = -2 dim for u = |x|^2, so the flux out is -2 dim times the volume, on a curved mesh too
  for (const Shape shape : shapes) {
    Mesh mesh = test_meshes::box(shape, 3, 2);
    for (Index n = 0; n < mesh.nodes(); ++n) {
      double* x = &mesh.points[3 * std::size_t(n)];
      if (mesh.dim > 1) x[1] += 0.2 * x[0] * x[0];  // quadratic: u of order 4 holds |x|^2 exactly
    }
    const DofMap dofs = make_dof_map(mesh, 4);
    const auto u = interpolate(mesh, dofs, Expression("x^2+y^2+z^2"));
    mesh::Group hull{"hull", mesh.dim - 1, {}, {}};
    for (Index f = 0; f < mesh.facets.size(); ++f) hull.entities.push_back(f);
    const double volume = field_statistics(mesh, dofs, u).measure;
    EXPECT_NEAR(volume, 1, 1e-12);
    EXPECT_NEAR(flux_through(mesh, dofs, u, HostTensorField::constant(1), hull), -2.0 * mesh.dim * volume, 1e-10)
        << mesh::name(shape);
  }
}

TEST(Quantities, OfMixedMeshes) {
  const Mesh mesh = test_meshes::mixed_2d();
  const DofMap dofs = make_dof_map(mesh, 2);
  const FieldStatistics all = field_statistics(mesh, dofs, interpolate(mesh, dofs, Expression("y")));
  EXPECT_NEAR(all.measure, 3, 1e-14);   // 2 unit squares, and triangles (1,0) (2,1) (1,2) of area 1
  EXPECT_NEAR(all.integral, 3, 1e-14);  // symmetric about y = 1
  const Mesh solid = test_meshes::mixed_3d();
  const DofMap solid_dofs = make_dof_map(solid, 1);
  const std::vector<double> one(solid_dofs.dofs, 1.0);
  EXPECT_NEAR(field_statistics(solid, solid_dofs, one).measure, 1 + 0.5 + 1.0 / 6, 1e-14);
}

TEST(Quantities, ValueAtAPoint) {
  for (const Shape shape : shapes) {
    const Mesh mesh = test_meshes::box(shape, 3);
    const DofMap dofs = make_dof_map(mesh, 2);
    const auto u = interpolate(mesh, dofs, Expression("1+x*x-y*z*0.5+y"));
    std::array<double, 3> p{0.37, 0.61, 0.83};
    for (int axis = mesh.dim; axis < 3; ++axis) p[axis] = 0;
    EXPECT_NEAR(value_at(mesh, dofs, u, p), 1 + p[0] * p[0] - 0.5 * p[1] * p[2] + p[1], 1e-12) << mesh::name(shape);
    try {
      value_at(mesh, dofs, u, {1.5, 0, 0});
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::usage);
      EXPECT_NE(error.help().find("bounding box"), std::string::npos);
    }
  }
}

TEST(Quantities, DoNotDependOnTheNumberOfThreads) {
  const Mesh mesh = test_meshes::box(Shape::tet, 8);
  const DofMap dofs = make_dof_map(mesh, 2);
  const auto u = interpolate(mesh, dofs, Expression("exp(x)*sin(9*y)+z"));
  const auto k = HostTensorField::constant(0.1);
  const mesh::Group* top = mesh.group("top", 2);
  EXPECT_EQ(field_statistics(mesh, dofs, u, nullptr, 1).integral, field_statistics(mesh, dofs, u, nullptr, 3).integral);
  EXPECT_EQ(flux_through(mesh, dofs, u, k, *top, 1), flux_through(mesh, dofs, u, k, *top, 3));
  EXPECT_EQ(flux_field(mesh, dofs, u, k, 1), flux_field(mesh, dofs, u, k, 3));
}

TEST(Quantities, RefuseGroupsWithoutMeaning) {
  const Mesh mesh = test_meshes::box(Shape::tet, 1);
  const DofMap dofs = make_dof_map(mesh, 1);
  const std::vector<double> u(dofs.dofs, 1.0);
  const mesh::Group curve{"edge", 1, {}, {0, 1}}, nothing{"nothing", 2, {}, {}};
  EXPECT_THROW(field_statistics(mesh, dofs, u, &curve), Error);
  EXPECT_THROW(field_statistics(mesh, dofs, u, &nothing), Error);
  EXPECT_EQ(min_max(mesh, dofs, u, &curve), (std::array<double, 2>{1, 1}));
}

TEST(Quantities, ShowValuesThatAreNotNumbers) {
  const Mesh mesh = test_meshes::box(Shape::quad, 2);
  const DofMap dofs = make_dof_map(mesh, 1);
  std::vector<double> u(dofs.dofs, 1.0);
  u[4] = std::nan("");
  EXPECT_TRUE(std::isnan(min_max(mesh, dofs, u)[0]));
  EXPECT_TRUE(std::isnan(min_max(mesh, dofs, u)[1]));
  EXPECT_TRUE(std::isnan(compute_errors(mesh, dofs, u, Expression(1.0)).max));
}

/// Straight simplices of order 1 have formulas of their own where the coefficient is constant.
TEST(FluxField, IsThatOfGeneralFormulasWhereTheCoefficientIsConstant) {
  for (const Shape shape : {Shape::interval, Shape::triangle, Shape::tet}) {
    Mesh mesh = test_meshes::box(shape, 5);
    for (std::size_t i = 0; i < mesh.points.size(); ++i)
      if (i % 3 < static_cast<std::size_t>(mesh.dim)) mesh.points[i] += 0.02 * std::sin(17.0 * static_cast<double>(i));
    const DofMap dofs = make_dof_map(mesh, 1);
    const auto u = interpolate(mesh, dofs, Expression("exp(x)*sin(4*x) + y*y - x*z"));
    const int entries = mesh.dim * (mesh.dim + 1) / 2;
    for (const int components : {1, entries}) {
      HostTensorField known{components,
                            [components](Index cell, int count, const deck::Points&, double* k) {
                              for (int i = 0; i < count * components; ++i) k[i] = 2 + cell % 3 + 0.1 * (i % components);
                            },
                            [](Index) { return true; }};
      HostTensorField unknown = known;
      unknown.is_constant = [](Index) { return false; };
      const auto quick = flux_field(mesh, dofs, u, known), general = flux_field(mesh, dofs, u, unknown);
      ASSERT_EQ(quick.size(), general.size());
      for (std::size_t i = 0; i < quick.size(); ++i)
        ASSERT_NEAR(quick[i], general[i], 1e-12 * 50) << mesh::name(shape) << " " << components << " " << i;
      EXPECT_EQ(quick, flux_field(mesh, dofs, u, known, 3));
    }
  }
}

TEST(FluxField, OfALinearFieldIsConstant) {
  for (const Shape shape : shapes)
    for (int order = 1; order <= 3; ++order) {
      Mesh mesh = test_meshes::box(shape, 2, 2);
      test_meshes::bend(mesh, 0.05);
      const DofMap dofs = make_dof_map(mesh, std::max(order, 2));
      const auto u = interpolate(mesh, dofs, Expression("1+2*x-y"));
      const auto flux = flux_field(mesh, dofs, u, HostTensorField::constant(3));
      ASSERT_EQ(flux.size(), 3 * std::size_t(dofs.dofs));
      for (Index dof = 0; dof < dofs.dofs; ++dof) {
        EXPECT_NEAR(flux[3 * std::size_t(dof)], -6, 1e-10) << mesh::name(shape);
        EXPECT_NEAR(flux[3 * std::size_t(dof) + 1], mesh.dim > 1 ? 3 : 0, 1e-10);
        EXPECT_NEAR(flux[3 * std::size_t(dof) + 2], 0, 1e-10);
      }
    }
}

TEST(FieldView, BothLayoutsSayTheSame) {
  const Mesh mesh = test_meshes::box(Shape::triangle, 3);
  const DofMap dofs = make_dof_map(mesh, 2);
  const auto n = static_cast<Offset>(dofs.dofs);
  std::vector<double> by_nodes;
  for (Offset i = 0; i < 3 * n; ++i) by_nodes.push_back(std::sin(1.0 + i));
  const FieldView nodes(by_nodes, FieldLayout::by_nodes(3));
  const std::vector<double> by_components = nodes.in(FieldLayout::by_components(3, n));
  const FieldView components(by_components, FieldLayout::by_components(3, n));
  EXPECT_EQ(components.in(FieldLayout::by_nodes(3)), by_nodes);
  for (int c = 0; c < 3; ++c) {
    std::vector<double> alone;
    for (Offset i = 0; i < n; ++i) alone.push_back(by_nodes[3 * i + c]);
    const FieldStatistics expected = field_statistics(mesh, dofs, alone);
    for (const FieldView& view : {nodes.component(c), components.component(c)}) {
      const FieldStatistics found = field_statistics(mesh, dofs, view);
      EXPECT_EQ(found.integral, expected.integral);
      EXPECT_EQ(found.l2, expected.l2);
      EXPECT_EQ(found.max, expected.max);
      EXPECT_EQ(value_at(mesh, dofs, view, {0.3, 0.2, 0}), value_at(mesh, dofs, alone, {0.3, 0.2, 0}));
    }
  }
  EXPECT_THROW(FieldView(by_nodes, FieldLayout::by_nodes(2 + static_cast<int>(3 * n))), Error);
}

}  // namespace
