// Meshes cut for ranks, without any: what each would have.
#include "mesh/rank_mesh.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "base/error.hpp"
#include "mesh/box.hpp"

namespace tessera::mesh {
namespace {

Mesh box(const std::string& shape, std::vector<int> cells, int order = 1) {
  BoxParams params;
  params.shape = shape;
  params.cells = std::move(cells);
  return make_box(params, order);
}

/// Owners of the vertices of a cell.
std::set<int> owners_at(const Mesh& mesh, const std::vector<int>& owners, Index cell) {
  const CellBlock& block = mesh.block_of(cell);
  const Index* const nodes = block.cell(cell - block.first_cell);
  std::set<int> result;
  for (int v = 0; v < vertex_count(block.shape); ++v) result.insert(owners[nodes[v]]);
  return result;
}

class RankMeshes : public ::testing::TestWithParam<const char*> {};

TEST_P(RankMeshes, HoldTheCellsAtTheirVertices) {
  for (const int order : {1, 2})
    for (const char* shape : {"triangle", "quad", "tet", "hex", "prism"}) {
      const bool plane = std::string(shape) == "triangle" || std::string(shape) == "quad";
      const Mesh whole = plane ? box(shape, {7, 5}, order) : box(shape, {5, 4, 3}, order);
      for (const int ranks : {2, 3, 5}) {
        const std::vector<int> owners = vertex_owners(whole, ranks, GetParam());
        std::vector<int> seen(static_cast<std::size_t>(whole.cells()), 0);
        for (int rank = 0; rank < ranks; ++rank) {
          const RankMesh part = part_of_rank(whole, owners, rank);
          EXPECT_GT(std::count(part.owners.begin(), part.owners.end(), rank), 0) << shape << " rank " << rank;
          EXPECT_TRUE(std::is_sorted(part.cell_numbers.begin(), part.cell_numbers.end()));
          ASSERT_EQ(part.mesh.cells(), static_cast<Index>(part.cell_numbers.size()));
          for (Index c = 0; c < part.mesh.cells(); ++c) {
            const auto old = static_cast<Index>(part.cell_numbers[c]);
            EXPECT_TRUE(owners_at(whole, owners, old).contains(rank));
            ++seen[old];
            // The same cell: its nodes lie where they lay.
            const Index* const here = part.mesh.blocks.front().cell(c);
            const Index* const there = whole.blocks.front().cell(old);
            for (int n = 0; n < whole.blocks.front().nodes_per_cell; ++n) {
              EXPECT_TRUE(std::equal(part.mesh.point(here[n]), part.mesh.point(here[n]) + 3, whole.point(there[n])));
              EXPECT_EQ(part.owners[here[n]], owners[there[n]]);
            }
          }
          ASSERT_EQ(part.mesh.groups.size(), whole.groups.size());
          for (std::size_t g = 0; g < whole.groups.size(); ++g)
            EXPECT_EQ(part.mesh.groups[g].name, whole.groups[g].name);
        }
        for (Index cell = 0; cell < whole.cells(); ++cell)
          EXPECT_EQ(seen[cell], static_cast<int>(owners_at(whole, owners, cell).size()));
      }
    }
}

/// Cells that are far from each other, of which one rank owns a vertex of one.
TEST(RankMesh, HasBothOfCoupledCells) {
  const Mesh whole = box("quad", {8, 3});
  const std::vector<int> owners = vertex_owners(whole, 4);
  const CoupledCells coupled{{0, 23}, {7, 16}, {3, 4}};
  for (int rank = 0; rank < 4; ++rank) {
    const RankMesh plain = part_of_rank(whole, owners, rank), part = part_of_rank(whole, owners, rank, {}, coupled);
    const auto has = [](const RankMesh& of, Index cell) {
      return std::binary_search(of.cell_numbers.begin(), of.cell_numbers.end(), Offset{cell});
    };
    for (Index cell = 0; cell < whole.cells(); ++cell) {
      bool expected = has(plain, cell);
      for (const auto& [a, b] : coupled) {
        expected = expected || (cell == b && has(plain, a)) || (cell == a && has(plain, b));
      }
      EXPECT_EQ(has(part, cell), expected) << "rank " << rank << " cell " << cell;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, RankMeshes, ::testing::Values("auto", "metis", "curve"),
                         [](const auto& info) { return std::string(info.param); });

TEST(RankMesh, OfABoxNeedsNoWhole) {
  for (const int order : {1, 2})
    for (const char* shape : {"interval", "triangle", "quad", "tet", "hex", "prism"}) {
      BoxParams params;
      params.shape = shape;
      params.cells = {9, 5, 4};
      params.cells.resize(static_cast<std::size_t>(dimension(shape_from_name(shape))));
      params.min = {-1, 0.5, 2};
      params.max = {1.3, 4, 2.7};
      params.min.resize(params.cells.size());
      params.max.resize(params.cells.size());
      const Mesh whole = make_box(params, order);
      for (const int ranks : {1, 2, 3, 4, 6}) {
        const std::vector<int> owners = vertex_owners(whole, ranks);
        for (int rank = 0; rank < ranks; ++rank) {
          const RankMesh cut = part_of_rank(whole, owners, rank), made = part_of_box(params, order, ranks, rank);
          const std::string where = fmt::format("{} of order {}, rank {} of {}", shape, order, rank, ranks);
          EXPECT_EQ(made.cell_numbers, cut.cell_numbers) << where;
          EXPECT_EQ(made.owners, cut.owners) << where;
          EXPECT_EQ(made.mesh.points, cut.mesh.points) << where;
          EXPECT_EQ(made.mesh.blocks.front().nodes, cut.mesh.blocks.front().nodes) << where;
          EXPECT_EQ(made.mesh.facets.cell, cut.mesh.facets.cell) << where;
          EXPECT_EQ(made.mesh.facets.side, cut.mesh.facets.side) << where;
          EXPECT_EQ(made.mesh.facets.exterior, cut.mesh.facets.exterior) << where;
          ASSERT_EQ(made.mesh.groups.size(), cut.mesh.groups.size()) << where;
          for (std::size_t g = 0; g < cut.mesh.groups.size(); ++g) {
            EXPECT_EQ(made.mesh.groups[g].name, cut.mesh.groups[g].name) << where;
            EXPECT_EQ(made.mesh.groups[g].entities, cut.mesh.groups[g].entities) << where;
          }
        }
      }
    }
}

TEST(RankMesh, KeepsFacetsOfGroupsAtTheirCells) {
  const Mesh whole = box("tet", {4, 4, 4});
  const std::vector<int> owners = vertex_owners(whole, 4);
  for (const Group& group : whole.groups) {
    if (group.dim != 2) continue;
    std::set<std::pair<Offset, int>> expected, found;
    for (const Index f : group.entities) expected.emplace(whole.facets.cell[f], whole.facets.side[f]);
    for (int rank = 0; rank < 4; ++rank) {
      const RankMesh part = part_of_rank(whole, owners, rank);
      for (const Index f : part.mesh.group(group.name, 2)->entities) {
        EXPECT_EQ(part.mesh.facets.exterior[f], 1);
        found.emplace(part.cell_numbers[part.mesh.facets.cell[f]], part.mesh.facets.side[f]);
      }
    }
    EXPECT_EQ(found, expected) << group.name;
  }
}

TEST(RankMesh, JoinedVerticesHaveOneOwnerAndStandTogether) {
  const Mesh whole = box("quad", {6, 6});
  std::vector<Index> joined(static_cast<std::size_t>(whole.nodes()));
  std::iota(joined.begin(), joined.end(), 0);
  for (Index row = 0; row < 7; ++row) joined[row * 7 + 6] = row * 7;  // right is left
  const std::vector<int> owners = vertex_owners(whole, 3, "auto", joined);
  for (Index row = 0; row < 7; ++row) EXPECT_EQ(owners[row * 7 + 6], owners[row * 7]);
  for (int rank = 0; rank < 3; ++rank) {
    const RankMesh part = part_of_rank(whole, owners, rank, joined);
    for (Index node = 0; node < part.mesh.nodes(); ++node) {
      const double* const x = part.mesh.point(node);
      if (part.joined[node] == node) continue;
      EXPECT_EQ(x[0], 1);
      EXPECT_EQ(part.joined[node], node - 1);
      EXPECT_EQ(part.mesh.point(node - 1)[0], 0);
      EXPECT_EQ(part.mesh.point(node - 1)[1], x[1]);
    }
  }
}

TEST(RankMesh, RefusesMoreRanksThanVertices) {
  const Mesh one = box("quad", {1, 1});
  for (const char* method : {"auto", "metis", "curve"}) EXPECT_THROW(vertex_owners(one, 5, method), Error) << method;
  EXPECT_EQ(vertex_owners(one, 4, "curve").size(), 4u);
}

}  // namespace
}  // namespace tessera::mesh
