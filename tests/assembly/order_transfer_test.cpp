// What takes fields from order to order: dofs of lower orders, prolongation and restriction without a matrix.
#include "assembly/matrix_free/order_transfer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "assembly/meshes.hpp"
#include "assembly/space/lower_dof_map.hpp"
#include "assembly/space/periodic_dof_map.hpp"
#include "assembly/space/places.hpp"
#include "support/backends.hpp"
#include "support/matrices.hpp"

namespace tessera {
namespace {

using assembly::DofMap;
using mesh::Shape;

void expect_same(const DofMap& found, const DofMap& expected) {
  ASSERT_EQ(found.dofs, expected.dofs);
  EXPECT_EQ(found.order, expected.order);
  EXPECT_EQ(found.vertex_dofs, expected.vertex_dofs);
  ASSERT_EQ(found.blocks.size(), expected.blocks.size());
  for (std::size_t b = 0; b < found.blocks.size(); ++b) {
    const assembly::DofBlock &one = found.blocks[b], &other = expected.blocks[b];
    EXPECT_EQ(one.shape, other.shape);
    EXPECT_EQ(one.geometry_order, other.geometry_order);
    EXPECT_EQ(one.first_cell, other.first_cell);
    EXPECT_EQ(one.nodes, other.nodes);
    EXPECT_TRUE(std::equal(one.dofs.begin(), one.dofs.end(), other.dofs.begin(), other.dofs.end()));
  }
}

/// A mesh of each shape, its nodes and cells turned about, and meshes of several shapes.
std::vector<mesh::Mesh> meshes() {
  std::vector<mesh::Mesh> result;
  for (const Shape shape : {Shape::interval, Shape::triangle, Shape::quad, Shape::tet, Shape::hex, Shape::prism}) {
    mesh::Mesh& mesh = result.emplace_back(test_meshes::box(shape, 3));
    test_meshes::shuffle_nodes(mesh, 5);
    test_meshes::turn_cells(mesh, 7);
  }
  result.push_back(test_meshes::mixed_2d());
  result.push_back(test_meshes::mixed_3d());
  result.push_back(test_meshes::box(Shape::hex, 2, /*order=*/2));
  return result;
}
int largest_order(const mesh::Mesh& mesh) {
  int order = assembly::max_order;
  for (const mesh::CellBlock& block : mesh.blocks) order = std::min(order, assembly::largest_order(block.shape));
  return order;
}

/// The left node that each right one is, else the node itself.
std::vector<Index> folded_nodes(const mesh::Mesh& mesh) {
  std::vector<Index> same(static_cast<std::size_t>(mesh.nodes()));
  for (Index node = 0; node < mesh.nodes(); ++node) {
    same[node] = node;
    for (Index other = 0; other < node; ++other)
      if (mesh.point(node)[0] == 1 && mesh.point(other)[0] == 0 && mesh.point(node)[1] == mesh.point(other)[1] &&
          mesh.point(node)[2] == mesh.point(other)[2])
        same[node] = other;
  }
  return same;
}

TEST(LowerDofMap, IsThatWhichTheMeshWouldBeGivenInThatOrder) {
  for (const mesh::Mesh& mesh : meshes())
    for (int high = 2; high <= largest_order(mesh); ++high) {
      const DofMap higher = assembly::make_dof_map(mesh, high);
      for (int low = 1; low < high; ++low)
        for (const int threads : {1, 3}) {
          SCOPED_TRACE(fmt::format("{} from {} to {}", mesh::name(mesh.blocks[0].shape), high, low));
          const DofMap expected = assembly::make_dof_map(mesh, low);
          expect_same(assembly::lower_dof_map(higher, low, threads), expected);
          std::vector<Index> none;
          expect_same(assembly::lower_dof_map(higher, low, threads, 1, none, &mesh), expected);
        }
    }
}

TEST(LowerDofMap, FoldsWhatIsPeriodicInEveryOrder) {
  for (const int cells : {1, 3})
    for (const Shape shape : {Shape::quad, Shape::hex}) {
      const mesh::Mesh mesh = test_meshes::box(shape, cells);
      const std::vector<Index> same = folded_nodes(mesh);
      const DofMap higher = assembly::make_periodic_dof_map(mesh, 6, same);
      for (const int low : {1, 2, 3}) {
        std::vector<Index> none;
        const DofMap expected = assembly::make_periodic_dof_map(mesh, low, same);
        expect_same(assembly::lower_dof_map(higher, low), expected);
        expect_same(assembly::lower_dof_map(higher, low, 2, 1, none, &mesh), expected);
      }
    }
}

TEST(LowerDofMap, HoldsWhatIsFixedInTheHigherOrderAndNothingElse) {
  for (const mesh::Mesh& mesh : meshes()) {
    mesh::Group some;
    some.dim = mesh.dim - 1;
    for (Index facet = 0; facet < mesh.facets.size(); facet += 3) some.entities.push_back(facet);
    for (int high = 2; high <= largest_order(mesh); ++high)
      for (int low = 1; low < high; ++low) {
        SCOPED_TRACE(fmt::format("{} from {} to {}", mesh::name(mesh.blocks[0].shape), high, low));
        // Of two unknowns a node the first is fixed on some facets.
        const auto on_facets = [&](int order) {
          std::vector<Index> rows = assembly::facet_dofs(mesh, assembly::make_dof_map(mesh, order), some);
          for (Index& dof : rows) dof *= 2;
          return rows;
        };
        for (const mesh::Mesh* of : {static_cast<const mesh::Mesh*>(nullptr), &mesh}) {
          std::vector<Index> fixed = on_facets(high);
          assembly::lower_dof_map(assembly::make_dof_map(mesh, high), low, 2, 2, fixed, of);
          EXPECT_EQ(fixed, on_facets(low));
        }
      }
  }
}

TEST(LowerDofMap, TakesValuesOfLinearFunctionsAtItsNodes) {
  for (const mesh::Mesh& mesh : meshes()) {
    const int high = largest_order(mesh);
    const DofMap higher = assembly::make_dof_map(mesh, high);
    const auto linear = [&](const DofMap& map) {
      const std::vector<double> x = assembly::dof_points(mesh, map);
      std::vector<double> u(static_cast<std::size_t>(map.dofs));
      for (std::size_t i = 0; i < u.size(); ++i) u[i] = 1 + x[3 * i] - 2 * x[3 * i + 1] + 3 * x[3 * i + 2];
      return u;
    };
    for (int low = 1; low < high; ++low) {
      const DofMap lower = assembly::lower_dof_map(higher, low);
      const std::vector<double> found = assembly::at_lower_nodes(higher, lower, linear(higher)),
                                expected = linear(lower);
      for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-12) << low;
    }
  }
}

TEST(LowerDofMap, TakesNoValueBeyondThoseThatThereAre) {
  for (const mesh::Mesh& mesh : meshes()) {
    const int high = largest_order(mesh);
    const DofMap higher = assembly::make_dof_map(mesh, high);
    std::vector<double> u(static_cast<std::size_t>(higher.dofs));
    for (std::size_t i = 0; i < u.size(); ++i) u[i] = i % 3 == 0 ? 1 : 0;
    for (int low = 1; low < high; ++low)
      for (const double value : assembly::at_lower_nodes(higher, assembly::lower_dof_map(higher, low), u)) {
        EXPECT_GE(value, -1e-12) << low;
        EXPECT_LE(value, 1 + 1e-12) << low;
      }
  }
}

template <class Exec>
struct LowerDofMapOf : ::testing::Test {};
TYPED_TEST_SUITE(LowerDofMapOf, testing::Backends);

/// The map, what is fixed of two unknowns a node, and the lists of the cells where the backend has them.
template <class Exec>
void expect_map_of_backend(Exec& exec, const DofMap& higher, int low, const DofMap& expected, const mesh::Mesh* mesh) {
  using Space = typename Exec::Space;
  std::vector<Index> fixed;
  for (Index row = 1; row < 2 * higher.dofs; row += 3) fixed.push_back(row);
  std::vector<Index> of_host = fixed;
  assembly::lower_dof_map(higher, low, 2, 2, of_host, mesh);
  assembly::CellLists<Space> cells(higher);
  const assembly::MapOnBackend<Space> found = assembly::lower_dof_map_on(exec, higher, cells, low, 2, 2, fixed, mesh);
  expect_same(found.map, expected);
  EXPECT_EQ(fixed, of_host);
  if (found.cells.empty()) return;
  std::vector<Index> lists;
  for (const assembly::DofBlock& block : expected.blocks)
    lists.insert(lists.end(), block.dofs.begin(), block.dofs.end());
  EXPECT_EQ(to_vector(found.cells), lists);
}

TYPED_TEST(LowerDofMapOf, EachBackendIsThatOfTheMesh) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec = testing::with_threads<TypeParam>(2);
  for (const mesh::Mesh& mesh : meshes())
    for (int high = 2; high <= largest_order(mesh); ++high)
      for (int low = 1; low < high; ++low) {
        SCOPED_TRACE(fmt::format("{} from {} to {}", mesh::name(mesh.blocks[0].shape), high, low));
        const DofMap higher = assembly::make_dof_map(mesh, high), lower = assembly::make_dof_map(mesh, low);
        expect_map_of_backend(exec, higher, low, lower, nullptr);
        expect_map_of_backend(exec, higher, low, lower, &mesh);
      }
  const mesh::Mesh mesh = test_meshes::box(Shape::hex, 3);
  const std::vector<Index> same = folded_nodes(mesh);
  for (const int low : {1, 3})
    expect_map_of_backend(exec, assembly::make_periodic_dof_map(mesh, 6, same), low,
                          assembly::make_periodic_dof_map(mesh, low, same), &mesh);
}

TEST(LowerDofMap, RefusesAnOrderThatIsNotLower) {
  const DofMap higher = assembly::make_dof_map(test_meshes::box(Shape::quad, 1), 3);
  for (const int order : {-1, 0, 3, 4}) EXPECT_THROW(assembly::lower_dof_map(higher, order), Error) << order;
}

TEST(FirstPlaces, PassOverEntriesBelowZero) {
  Threads exec(2);
  const std::vector<Index> list{-1, 2, 0, -1, 2, 0};
  const Array<Index> first = assembly::first_places(exec, View<const Index>(list.data(), 6), 4);
  const Index none = std::numeric_limits<Index>::max();
  EXPECT_EQ(to_vector(first), (std::vector<Index>{2, none, 1, none}));
}

/// P and P^T as dense matrices [rows of the higher order, rows of the lower one], from what they do to unit vectors.
template <class Exec, class T>
struct Dense {
  using Space = typename Exec::Space;
  Index high, low;
  std::vector<T> P, R;

  Dense(Exec& exec, const linalg::OrderTransfer<Exec>& transfer, Index high, Index low) : high(high), low(low) {
    for (Index j = 0; j < low; ++j) {
      Array<T, Space> x(high);
      x.set_zero();
      std::vector<T> unit(static_cast<std::size_t>(low), 0);
      unit[j] = 1;
      const auto y = to_space<Space>(unit);
      transfer.prolong(exec, y.view(), x.view());
      const auto column = to_vector(x);
      P.insert(P.end(), column.begin(), column.end());
    }
    Array<T, Space> values(transfer.values()), y(low);
    for (Index i = 0; i < high; ++i) {
      std::vector<T> unit(static_cast<std::size_t>(high), 0);
      unit[i] = 1;
      const auto r = to_space<Space>(unit);
      transfer.restrict_to(exec, r.view(), values.view(), y.view());
      const auto row = to_vector(y);
      R.insert(R.end(), row.begin(), row.end());
    }
  }
  T p(Index i, Index j) const { return P[static_cast<std::size_t>(j * high + i)]; }
  T r(Index j, Index i) const { return R[static_cast<std::size_t>(i * low + j)]; }
};

double polynomial(const double* x, int order) { return std::pow(1 + x[0] - 0.5 * x[1] + 0.25 * x[2], order); }

template <class Exec>
struct OrderTransfers : ::testing::Test {
  using Space = typename Exec::Space;

  /// x + P y.
  template <class T>
  static std::vector<T> prolonged(Exec& exec, const linalg::OrderTransfer<Exec>& transfer, const std::vector<T>& y,
                                  std::vector<T> x) {
    auto to = to_space<Space>(x);
    transfer.prolong(exec, to_space<Space>(y).view(), to.view());
    return to_vector(to);
  }
};
TYPED_TEST_SUITE(OrderTransfers, testing::Backends);

TYPED_TEST(OrderTransfers, TakePolynomialsOfTheLowerOrderToThemselvesOnEveryShape) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec = testing::with_threads<TypeParam>(2);
  for (const mesh::Mesh& mesh : meshes())
    for (int high = 2; high <= largest_order(mesh); ++high) {
      const int low = high / 2;
      SCOPED_TRACE(fmt::format("{} from {} to {}", mesh::name(mesh.blocks[0].shape), low, high));
      const DofMap higher = assembly::make_dof_map(mesh, high), lower = assembly::make_dof_map(mesh, low);
      const auto transfer = assembly::make_order_transfer(exec, lower, higher, 1, {}, {});
      const std::vector<double> coarse = assembly::dof_points(mesh, lower), fine = assembly::dof_points(mesh, higher);
      std::vector<double> y, expected;
      for (Index i = 0; i < lower.dofs; ++i) y.push_back(polynomial(&coarse[3 * std::size_t(i)], low));
      for (Index i = 0; i < higher.dofs; ++i) expected.push_back(7 + polynomial(&fine[3 * std::size_t(i)], low));
      const auto found = this->prolonged(exec, *transfer, y, std::vector<double>(expected.size(), 7.0));
      const auto rounded = this->prolonged(exec, *transfer, std::vector<float>(y.begin(), y.end()),
                                           std::vector<float>(expected.size(), 7.0f));
      for (std::size_t i = 0; i < expected.size(); ++i) {
        ASSERT_NEAR(found[i], expected[i], 1e-12 * expected[i]);
        ASSERT_NEAR(rounded[i], expected[i], 1e-5 * expected[i]);
      }
    }
}

TYPED_TEST(OrderTransfers, RestrictByTheTransposeOfWhatTheyProlong) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec = testing::with_threads<TypeParam>(2);
  for (const auto& [shape, cells, low, high] :
       {std::tuple{Shape::interval, 4, 4, 8}, std::tuple{Shape::triangle, 2, 1, 3}, std::tuple{Shape::quad, 2, 2, 5},
        std::tuple{Shape::tet, 1, 2, 4}, std::tuple{Shape::hex, 1, 4, 8}, std::tuple{Shape::hex, 2, 2, 4},
        std::tuple{Shape::prism, 1, 2, 4}}) {
    mesh::Mesh mesh = test_meshes::box(shape, cells);
    test_meshes::turn_cells(mesh, 3);
    const DofMap higher = assembly::make_dof_map(mesh, high), lower = assembly::make_dof_map(mesh, low);
    const std::vector<Index> fixed_low{0, lower.dofs - 1}, fixed_high{1, 4, higher.dofs - 1};
    const auto transfer = assembly::make_order_transfer(exec, lower, higher, 1, fixed_low, fixed_high);
    const Dense<TypeParam, double> of_double(exec, *transfer, higher.dofs, lower.dofs);
    const Dense<TypeParam, float> of_float(exec, *transfer, higher.dofs, lower.dofs);
    for (Index i = 0; i < higher.dofs; ++i)
      for (Index j = 0; j < lower.dofs; ++j) {
        ASSERT_NEAR(of_double.p(i, j), of_double.r(j, i), 1e-15) << mesh::name(shape) << i << ' ' << j;
        ASSERT_NEAR(of_float.p(i, j), of_double.r(j, i), 1e-6) << mesh::name(shape) << i << ' ' << j;
        ASSERT_NEAR(of_float.r(j, i), of_double.r(j, i), 1e-6) << mesh::name(shape) << i << ' ' << j;
      }
    for (const Index i : fixed_high)
      for (Index j = 0; j < lower.dofs; ++j) ASSERT_EQ(of_double.p(i, j), 0);
    for (const Index j : fixed_low)
      for (Index i = 0; i < higher.dofs; ++i) ASSERT_EQ(of_double.p(i, j), 0);
  }
}

/// Rows 1, 1 + step, ... of `rows` rows.
std::vector<Index> every(Index step, Index rows) {
  std::vector<Index> result;
  for (Index row = 1; row < rows; row += step) result.push_back(row);
  return result;
}

/// Of random fields: P y is y at the nodes of every cell but in fixed rows, and r . P y is P^T r . y.
template <class Exec>
void expect_interpolation(Exec& exec, const DofMap& lower, const DofMap& higher, int components) {
  using Space = typename Exec::Space;
  const Index low = lower.dofs * components, high = higher.dofs * components;
  const std::vector<Index> fixed_low = every(7, low), fixed_high = every(9, high);
  const auto transfer = assembly::make_order_transfer(exec, lower, higher, components, fixed_low, fixed_high);
  auto y = testing::random_vector(low, 1);
  const auto r = testing::random_vector(high, 2);
  Array<double, Space> x(high), values(transfer->values()), z(low);
  x.set_zero();
  transfer->prolong(exec, to_space<Space>(y).view(), x.view());
  transfer->restrict_to(exec, to_space<Space>(r).view(), values.view(), z.view());
  const auto up = to_vector(x), down = to_vector(z);
  double of_up = 0, of_down = 0;
  for (Index i = 0; i < high; ++i) of_up += r[i] * up[i];
  for (Index j = 0; j < low; ++j) of_down += down[j] * y[j];
  EXPECT_NEAR(of_up, of_down, 1e-12 * high);
  for (const Index row : fixed_low) {
    EXPECT_EQ(down[row], 0);
    y[row] = 0;
  }
  for (std::size_t b = 0; b < higher.blocks.size(); ++b) {
    const assembly::DofBlock &of_high = higher.blocks[b], &of_low = lower.blocks[b];
    std::vector<double> phi, gradients;
    tabulate(lower.element(of_high.shape), higher.element(of_high.shape).node_points, phi, gradients);
    for (Index cell = 0; cell < of_high.cells(); ++cell)
      for (int i = 0; i < of_high.nodes; ++i)
        for (int c = 0; c < components; ++c) {
          const Index row = of_high.cell(cell)[i] * components + c;
          double expected = 0;
          for (int j = 0; j < of_low.nodes; ++j)
            expected += phi[std::size_t(i) * of_low.nodes + j] * y[of_low.cell(cell)[j] * components + c];
          if (std::binary_search(fixed_high.begin(), fixed_high.end(), row)) expected = 0;
          ASSERT_NEAR(up[row], expected, 1e-12) << mesh::name(of_high.shape) << cell << ' ' << i;
        }
  }
}

TYPED_TEST(OrderTransfers, LeaveOutFixedRowsOfAnyComponentOnEveryMeshAndWhereItIsPeriodic) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec = testing::with_threads<TypeParam>(2);
  for (const int components : {1, 2, 3}) {
    for (const mesh::Mesh& mesh : meshes()) {
      const DofMap higher = assembly::make_dof_map(mesh, std::min(4, largest_order(mesh)));
      expect_interpolation(exec, assembly::lower_dof_map(higher, higher.order / 2), higher, components);
    }
    for (const int cells : {1, 3}) {
      const mesh::Mesh mesh = test_meshes::box(Shape::hex, cells);
      const DofMap higher = assembly::make_periodic_dof_map(mesh, 4, folded_nodes(mesh));
      expect_interpolation(exec, assembly::lower_dof_map(higher, 2), higher, components);
    }
  }
}

TYPED_TEST(OrderTransfers, KeepComponentsApart) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec = testing::with_threads<TypeParam>(2);
  const mesh::Mesh mesh = test_meshes::box(Shape::hex, 1);
  const DofMap higher = assembly::make_dof_map(mesh, 3), lower = assembly::make_dof_map(mesh, 1);
  const auto one = assembly::make_order_transfer(exec, lower, higher, 1, {}, {}),
             three = assembly::make_order_transfer(exec, lower, higher, 3, {}, {});
  const Dense<TypeParam, double> of_one(exec, *one, higher.dofs, lower.dofs),
      of_three(exec, *three, 3 * higher.dofs, 3 * lower.dofs);
  for (Index i = 0; i < 3 * higher.dofs; ++i)
    for (Index j = 0; j < 3 * lower.dofs; ++j) {
      ASSERT_EQ(of_three.p(i, j), i % 3 == j % 3 ? of_one.p(i / 3, j / 3) : 0);
      ASSERT_EQ(of_three.r(j, i), i % 3 == j % 3 ? of_one.r(j / 3, i / 3) : 0);
    }
}

TYPED_TEST(OrderTransfers, RepeatBitForBitOnAnyNumberOfThreads) {
  TESSERA_REQUIRE(TypeParam);
  using Space = typename TypeParam::Space;
  mesh::Mesh mesh = test_meshes::box(Shape::hex, 5);
  test_meshes::turn_cells(mesh, 1);
  const DofMap higher = assembly::make_dof_map(mesh, 4), lower = assembly::make_dof_map(mesh, 2);
  const auto y = testing::random_vector(lower.dofs, 1), r = testing::random_vector(higher.dofs, 2);
  std::vector<double> up, down;
  for (const int threads : {1, 2, 3}) {
    TypeParam exec = testing::with_threads<TypeParam>(threads);
    const auto transfer = assembly::make_order_transfer(exec, lower, higher, 1, {}, {});
    Array<double, Space> x(higher.dofs), values(transfer->values()), to(lower.dofs);
    x.set_zero();
    transfer->prolong(exec, to_space<Space>(y).view(), x.view());
    transfer->restrict_to(exec, to_space<Space>(r).view(), values.view(), to.view());
    const auto x_found = to_vector(x), y_found = to_vector(to);
    if (threads == 1) up = x_found, down = y_found;
    EXPECT_EQ(x_found, up);
    EXPECT_EQ(y_found, down);
  }
}

TEST(OrderTransfer, RefusesMapsOfDifferentMeshes) {
  Threads exec(1);
  const mesh::Mesh one = test_meshes::box(Shape::quad, 2), other = test_meshes::box(Shape::quad, 3);
  EXPECT_THROW(
      assembly::make_order_transfer(exec, assembly::make_dof_map(one, 1), assembly::make_dof_map(other, 2), 1, {}, {}),
      Error);
}

}  // namespace
}  // namespace tessera
