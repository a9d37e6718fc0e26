// What ranks would have of a box, from few cells of it.
#include "physics/run/box_sizes.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "assembly/space/dof_map.hpp"
#include "assembly/space/rank_space.hpp"
#include "mesh/box.hpp"
#include "mesh/rank_mesh.hpp"

namespace tessera::physics {
namespace {

std::vector<double> numbers(const std::vector<Index>& of) { return {of.begin(), of.end()}; }

/// Of the whole mesh and of parts of it, for bricks of different lengths and boxes that are thin somewhere.
TEST(BoxSizes, AreThoseOfTheWholeMesh) {
  struct Case {
    const char* shape;
    std::vector<int> cells;
    int geometric, order, ranks;
  };
  const Case cases[] = {{"interval", {41}, 1, 3, 3},    {"triangle", {23, 14}, 1, 2, 6}, {"quad", {19, 3}, 2, 4, 4},
                        {"tet", {13, 17, 11}, 1, 1, 8}, {"tet", {9, 14, 10}, 1, 3, 4},   {"hex", {11, 12, 15}, 1, 2, 8},
                        {"hex", {21, 2, 9}, 2, 1, 6},   {"prism", {10, 11, 9}, 1, 2, 5}, {"hex", {8, 9, 30}, 1, 1, 12}};
  for (const Case& one : cases) {
    const int dim = static_cast<int>(one.cells.size());
    mesh::BoxParams box;
    box.shape = one.shape;
    box.cells = one.cells;
    box.min.assign(static_cast<std::size_t>(dim), 0);
    box.max.assign(static_cast<std::size_t>(dim), 1);
    const std::string where = fmt::format("{} {}, {} ranks", one.shape, one.order, one.ranks);
    const BoxSizes sizes = sizes_of_box(box, one.geometric, one.order, one.ranks, 1);
    const mesh::Mesh whole = mesh::make_box(box, one.geometric);
    const assembly::DofMap dofs = assembly::make_dof_map(whole, one.order, 1);
    const assembly::RankSizes expected =
        assembly::rank_sizes(whole, dofs, mesh::vertex_owners(whole, one.ranks), one.ranks);
    EXPECT_EQ(sizes.nodes, whole.nodes()) << where;
    EXPECT_EQ(sizes.cells, whole.cells()) << where;
    EXPECT_EQ(sizes.facets, whole.facets.size()) << where;
    EXPECT_EQ(sizes.dofs, dofs.dofs) << where;
    ASSERT_EQ(sizes.names.size(), whole.groups.size()) << where;
    for (std::size_t g = 0; g < whole.groups.size(); ++g) {
      EXPECT_EQ(sizes.names[g], whole.groups[g].name) << where;
      EXPECT_EQ(sizes.entities[g], whole.groups[g].entities.size()) << where << " " << whole.groups[g].name;
    }
    EXPECT_EQ(sizes.rank_dofs, numbers(expected.dofs)) << where;
    EXPECT_EQ(sizes.rank_cells, numbers(expected.cells)) << where;
    EXPECT_EQ(sizes.rank_ghosts, numbers(expected.ghosts)) << where;
  }
}

/// A thousand million unknowns, more than one host has memory for, exactly.
TEST(BoxSizes, OfAThousandMillionUnknownsAreCounted) {
  mesh::BoxParams box;
  box.shape = "hex";
  box.cells = {250, 250, 250};
  box.min.assign(3, 0);
  box.max.assign(3, 1);
  const BoxSizes sizes = sizes_of_box(box, 1, 4, 2, 1);
  EXPECT_EQ(sizes.dofs, 1001.0 * 1001 * 1001);
  EXPECT_EQ(sizes.cells, 250.0 * 250 * 250);
  EXPECT_EQ(sizes.rank_dofs[0] + sizes.rank_dofs[1], sizes.dofs);
  EXPECT_EQ(sizes.rank_cells[0] + sizes.rank_cells[1], sizes.cells + 250.0 * 250);
}

}  // namespace
}  // namespace tessera::physics
