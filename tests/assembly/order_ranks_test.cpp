// Spaces of lower orders and what takes fields between them, where ranks share the mesh.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <mutex>

#include "assembly/matrix_free/order_transfer.hpp"
#include "assembly/meshes.hpp"
#include "assembly/space/lower_dof_map.hpp"
#include "assembly/space/lower_rank_space.hpp"
#include "assembly/space/rank_space.hpp"
#include "support/backends.hpp"
#include "support/thread_ranks.hpp"

namespace tessera {
namespace {

using assembly::DofMap;
using mesh::Shape;

/// A smooth function that is no polynomial, of place and component.
double smooth(const double* x, int component) {
  return std::sin(3 * x[0] + 2 * x[1] - x[2] + component) + 0.3 * x[0] * x[1];
}
double polynomial(const double* x, int component, int order) {
  return std::pow(1 + x[0] - 0.5 * x[1] + 0.25 * x[2], order) + component;
}

/// What stands at each place of a vector, to compare those of different numberings.
using AtPlaces = std::map<std::array<long, 4>, double>;
std::array<long, 4> place(const double* x, int component) {
  constexpr double grid = 1e7;
  return {std::lround(grid * x[0]), std::lround(grid * x[1]), std::lround(grid * x[2]), component};
}

/// Both orders on the part of a rank, or on the whole mesh.
struct Spaces {
  assembly::Space higher, lower;
  std::vector<double> high_points, low_points;
  std::vector<Index> fixed_high, fixed_low;  ///< what lies at x = 0

  static std::vector<Index> at_the_left(const DofMap& map, const std::vector<double>& points, int components) {
    std::vector<Index> rows;
    for (Index dof = 0; dof < map.dofs; ++dof)
      for (int c = 0; points[3 * static_cast<std::size_t>(dof)] == 0 && c < components; ++c)
        rows.push_back(dof * components + c);
    return rows;
  }
  void find_points(const mesh::Mesh& mesh) {
    high_points = assembly::dof_points(mesh, higher.dofs);
    low_points = assembly::dof_points(mesh, lower.dofs);
  }
  Spaces(const mesh::Mesh& mesh, int high, int low, int components)
      : higher(assembly::make_dof_map(mesh, high), components),
        lower(assembly::lower_dof_map(higher.dofs, low), components) {
    find_points(mesh);
    fixed_high = at_the_left(higher.dofs, high_points, components);
    fixed_low = at_the_left(lower.dofs, low_points, components);
  }
  Spaces(Communicator& ranks, const mesh::RankMesh& part, int high, int low, int components)
      : higher(assembly::make_rank_space(ranks, part, assembly::make_dof_map(part.mesh, high), components).space) {
    high_points = assembly::dof_points(part.mesh, higher.dofs);
    fixed_low = fixed_high = at_the_left(higher.dofs, high_points, components);
    lower = assembly::lower_rank_space(ranks, part.cell_numbers, higher, low, 1, fixed_low);
    find_points(part.mesh);
  }
};

template <class Exec>
struct Transferred {
  AtPlaces up, down;  ///< P y and P^T r of the rows of all ranks
  double of_up = 0, of_down = 0;

  /// y and r are smooth functions.
  void add(Exec& exec, const linalg::OrderTransfer<Exec>& transfer, const Spaces& spaces) {
    using Space = typename Exec::Space;
    const int components = spaces.higher.components;
    const auto values = [&](const assembly::Space& space, const std::vector<double>& points, int shift) {
      std::vector<double> result;
      for (Index row = 0; row < space.index_map.owned() * components; ++row)
        result.push_back(smooth(&points[3 * static_cast<std::size_t>(row / components)], row % components + shift));
      return result;
    };
    const auto y = values(spaces.lower, spaces.low_points, 0), r = values(spaces.higher, spaces.high_points, 5);
    Array<double, Space> x(static_cast<Offset>(r.size())), scratch(transfer.values()), z(static_cast<Offset>(y.size()));
    x.set_zero();
    transfer.prolong(exec, to_space<Space>(y).view(), x.view());
    transfer.restrict_to(exec, to_space<Space>(r).view(), scratch.view(), z.view());
    const auto found_up = to_vector(x), found_down = to_vector(z);
    const auto put = [&](const std::vector<double>& found, const std::vector<double>& points, AtPlaces& to) {
      for (std::size_t row = 0; row < found.size(); ++row) {
        const auto c = static_cast<std::size_t>(components);
        const auto [at, is_new] = to.emplace(place(&points[3 * (row / c)], static_cast<int>(row % c)), found[row]);
        EXPECT_TRUE(is_new);  // each row is one rank's own
      }
    };
    put(found_up, spaces.high_points, up);
    put(found_down, spaces.low_points, down);
    for (std::size_t i = 0; i < r.size(); ++i) of_up += r[i] * found_up[i];
    for (std::size_t j = 0; j < y.size(); ++j) of_down += y[j] * found_down[j];
  }
};

void expect_same(const AtPlaces& found, const AtPlaces& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (const auto& [at, value] : expected) {
    const auto here = found.find(at);
    ASSERT_TRUE(here != found.end());
    ASSERT_NEAR(here->second, value, 1e-13);
  }
}

/// Where vertices lie, not how they are numbered, so that parts have many sides.
std::vector<int> owners_of(const mesh::Mesh& mesh, int ranks) {
  std::vector<int> owners;
  for (Index node = 0; node < mesh.nodes(); ++node) {
    const double* const x = mesh.point(node);
    const double along = mesh.dim == 1 ? x[0] : 0.6 * x[0] + 0.4 * x[1];
    owners.push_back(std::min(ranks - 1, static_cast<int>(along * ranks)));
  }
  return owners;
}

struct Case {
  Shape shape;
  int cells, high, low;
};
const Case cases[] = {{Shape::interval, 9, 8, 4}, {Shape::triangle, 4, 4, 2}, {Shape::quad, 4, 8, 4},
                      {Shape::quad, 4, 2, 1},     {Shape::tet, 3, 4, 2},      {Shape::hex, 3, 4, 2},
                      {Shape::hex, 2, 8, 4},      {Shape::prism, 3, 4, 2},    {Shape::prism, 3, 2, 1}};

mesh::Mesh mesh_of(const Case& c) {
  mesh::Mesh mesh = test_meshes::box(c.shape, c.cells);
  test_meshes::shuffle_nodes(mesh, 5);
  test_meshes::turn_cells(mesh, 7);
  return mesh;
}

TEST(LowerSpacesOfRanks, HaveTheDofsThatTheWholeHasAndTheSameOnesFixed) {
  for (const Case& c : cases)
    for (const int ranks : {2, 3}) {
      SCOPED_TRACE(fmt::format("{} {} to {} on {}", mesh::name(c.shape), c.high, c.low, ranks));
      const mesh::Mesh whole = mesh_of(c);
      const std::vector<int> owners = owners_of(whole, ranks);
      const Spaces expected(whole, c.high, c.low, 2);
      std::mutex one;
      AtPlaces numbers;  // global numbers by place
      std::size_t fixed = 0;
      Offset global = 0;
      testing::on_thread_ranks(ranks, [&](Communicator& mine) {
        const mesh::RankMesh part = mesh::part_of_rank(whole, owners, mine.rank());
        const Spaces spaces(mine, part, c.high, c.low, 2);
        const IndexMap& map = spaces.lower.index_map;
        const std::lock_guard lock(one);
        global = map.global_size();
        // Owner and neighbours know a dof at a place by one number.
        for (Index dof = 0; dof < map.size(); ++dof) {
          const auto number = static_cast<double>(map.global_of(dof));
          const auto [at, is_new] =
              numbers.emplace(place(&spaces.low_points[3 * static_cast<std::size_t>(dof)], 0), number);
          EXPECT_EQ(at->second, number);
        }
        EXPECT_EQ(spaces.fixed_low, Spaces::at_the_left(spaces.lower.dofs, spaces.low_points, 2));
        for (const Index row : spaces.fixed_low) fixed += row < map.owned() * 2;
      });
      EXPECT_EQ(global, expected.lower.dofs.dofs);
      EXPECT_EQ(numbers.size(), static_cast<std::size_t>(expected.lower.dofs.dofs));
      EXPECT_EQ(fixed, expected.fixed_low.size());
    }
}

template <class Exec>
struct OrderTransfersOfRanks : ::testing::Test {
  using Space = typename Exec::Space;

  /// work(exec, transfer, spaces) on each rank.
  template <class Work>
  static void on_ranks(const Case& c, int ranks, int components, bool fixes, Work work) {
    const mesh::Mesh whole = mesh_of(c);
    const std::vector<int> owners = owners_of(whole, ranks);
    testing::on_thread_ranks(ranks, [&](Communicator& mine) {
      Exec exec = testing::with_threads<Exec>(1);
      const auto link = make_link(exec, mine);
      const Linked linked(exec, link.get());
      const mesh::RankMesh part = mesh::part_of_rank(whole, owners, mine.rank());
      const Spaces spaces(mine, part, c.high, c.low, components);
      const auto halo = [&](const assembly::Space& of) {
        return std::make_shared<linalg::Halo<Exec>>(*link, of.index_map, components);
      };
      const auto lower_halo = halo(spaces.lower), higher_halo = halo(spaces.higher);
      const std::span<const Index> none;
      const auto transfer = assembly::make_order_transfer<Exec>(
          exec, spaces.lower.dofs, spaces.higher.dofs, components, fixes ? spaces.fixed_low : none,
          fixes ? spaces.fixed_high : none, {lower_halo, higher_halo});
      work(exec, *transfer, spaces);
    });
  }
};
TYPED_TEST_SUITE(OrderTransfersOfRanks, testing::Backends);

TYPED_TEST(OrderTransfersOfRanks, AreThoseOfOneRank) {
  TESSERA_REQUIRE(TypeParam);
  for (const Case& c : cases)
    for (const int ranks : {2, 4})
      for (const int components : {1, 3}) {
        SCOPED_TRACE(fmt::format("{} {} to {} on {}", mesh::name(c.shape), c.high, c.low, ranks));
        const Spaces whole(mesh_of(c), c.high, c.low, components);
        TypeParam exec = testing::with_threads<TypeParam>(1);
        Transferred<TypeParam> one, many;
        one.add(exec,
                *assembly::make_order_transfer(exec, whole.lower.dofs, whole.higher.dofs, components, whole.fixed_low,
                                               whole.fixed_high),
                whole);
        // Exchanges are collective: each rank has a place of its own.
        std::vector<Transferred<TypeParam>> of_ranks(static_cast<std::size_t>(ranks));
        std::mutex first;
        std::size_t next = 0;
        this->on_ranks(c, ranks, components, true, [&](TypeParam& mine, const auto& transfer, const Spaces& spaces) {
          std::size_t here = 0;
          {
            const std::lock_guard lock(first);
            here = next++;
          }
          of_ranks[here].add(mine, transfer, spaces);
        });
        for (Transferred<TypeParam>& of_rank : of_ranks) {
          const std::size_t ups = many.up.size() + of_rank.up.size(), downs = many.down.size() + of_rank.down.size();
          many.up.merge(of_rank.up);
          many.down.merge(of_rank.down);
          EXPECT_EQ(many.up.size(), ups);
          EXPECT_EQ(many.down.size(), downs);
          many.of_up += of_rank.of_up;
          many.of_down += of_rank.of_down;
        }
        expect_same(many.up, one.up);
        expect_same(many.down, one.down);
        EXPECT_NEAR(many.of_up, many.of_down, 1e-12 * static_cast<double>(many.up.size()));
        EXPECT_NEAR(many.of_up, one.of_up, 1e-12 * static_cast<double>(many.up.size()));
      }
}

TYPED_TEST(OrderTransfersOfRanks, TakePolynomialsToThemselvesInSinglePrecision) {
  TESSERA_REQUIRE(TypeParam);
  using Space = typename TypeParam::Space;
  for (const Case& c : cases) {
    SCOPED_TRACE(fmt::format("{} {} to {}", mesh::name(c.shape), c.high, c.low));
    this->on_ranks(c, 3, 1, false, [&](TypeParam& exec, const auto& transfer, const Spaces& spaces) {
      std::vector<float> y, expected;
      for (Index i = 0; i < spaces.lower.index_map.owned(); ++i)
        y.push_back(static_cast<float>(polynomial(&spaces.low_points[3 * static_cast<std::size_t>(i)], 0, c.low)));
      for (Index i = 0; i < spaces.higher.index_map.owned(); ++i)
        expected.push_back(
            static_cast<float>(1 + polynomial(&spaces.high_points[3 * static_cast<std::size_t>(i)], 0, c.low)));
      auto x = to_space<Space>(std::vector<float>(expected.size(), 1.0f));
      transfer.prolong(exec, to_space<Space>(y).view(), x.view());
      const auto found = to_vector(x);
      for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-5 * expected[i]);
    });
  }
}

}  // namespace
}  // namespace tessera
