// Patches of spectral elements: what they are to have, whatever the mesh.
#include "assembly/spectral/patches.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "assembly/spectral/patch_memory.hpp"
#include "base/error.hpp"
#include "mesh/box.hpp"

namespace {

using namespace tessera;
using namespace tessera::assembly::spectral;

struct Meshed {
  mesh::Mesh mesh;
  assembly::DofMap dofs;
  Cells cells;
};
Meshed box(const std::string& shape, const std::array<int, 3>& cells, int degree) {
  mesh::BoxParams params;
  params.shape = shape;
  const std::size_t dim = shape == "quad" ? 2 : 3;
  params.cells.assign(cells.begin(), cells.begin() + dim);
  params.min.assign(dim, 0.0);
  params.max.assign(dim, 1.0);
  Meshed result{mesh::make_box(params, 1), {}, {}};
  result.dofs = assembly::make_dof_map(result.mesh, degree, 0, assembly::LineNodes::lobatto);
  result.cells = make_cells(result.mesh, result.dofs);
  return result;
}

/// Dofs in the order of the patches.
std::vector<Index> in_order(const Cells& cells, const std::vector<Index>& order) {
  std::vector<Index> result;
  for (const Index cell : order) result.insert(result.end(), cells.cell(cell), cells.cell(cell) + cells.places);
  return result;
}

TEST(SpectralPatches, OfABoxAreCubes) {
  const Meshed of = box("hex", {4, 6, 2}, 4);
  const std::vector<Index> order = order_in_patches(of.mesh.blocks[0], of.cells.n, 8);
  const std::vector<Index> dofs = in_order(of.cells, order);
  for (std::size_t patch = 0; patch < dofs.size() / 1000; ++patch)
    EXPECT_EQ(std::set<Index>(&dofs[patch * 1000], &dofs[patch * 1000] + 1000).size(), 9U * 9 * 9) << patch;
}

TEST(SpectralPatches, TakeEveryCellOnce) {
  for (const auto& [shape, cells, each] : {std::tuple{"hex", std::array{3, 5, 3}, 8},
                                           {"quad", {7, 5, 1}, 12},
                                           {"quad", {2, 1, 1}, 40},
                                           {"hex", {3, 1, 1}, 1},
                                           {"hex", {2, 2, 3}, 0}}) {
    const Meshed of = box(shape, cells, 2);
    std::vector<Index> order = order_in_patches(of.mesh.blocks[0], of.cells.n, each);
    std::sort(order.begin(), order.end());
    ASSERT_EQ(static_cast<Index>(order.size()), of.mesh.cells()) << shape << each;
    for (Index c = 0; c < of.mesh.cells(); ++c) EXPECT_EQ(order[static_cast<std::size_t>(c)], c);
  }
}

/// Of a part that a rank sees, 5 x 4 x 4 hexes of which the last layer is others': those before it are patches as they
/// would be without it, and only patches with a node of others wait.
TEST(SpectralPatches, WaitWhereTheyHaveDofsOfOthers) {
  Meshed of = box("hex", {5, 4, 4}, 2);
  const std::vector<double> points = assembly::dof_points(of.mesh, of.dofs);
  // Dofs of the rank first: those of the planes up to the last but one.
  std::vector<Index> number(static_cast<std::size_t>(of.dofs.dofs));
  Index owned = 0, others = of.dofs.dofs;
  for (std::size_t dof = 0; dof < number.size(); ++dof) number[dof] = points[3 * dof] < 0.81 ? owned++ : --others;
  ASSERT_EQ(owned, 9 * 9 * 9);
  for (Index& dof : of.cells.dofs) dof = number[static_cast<std::size_t>(dof)];
  const mesh::CellBlock& block = of.mesh.blocks[0];
  const std::vector<char> last = cells_of_others(of.cells, block, owned);
  EXPECT_EQ(std::count(last.begin(), last.end(), 1), 16);
  const std::vector<Index> order = order_in_patches(block, of.cells.n, 8, last);
  const std::vector<Index> dofs = in_order(of.cells, order);
  for (std::size_t patch = 0; patch < 8; ++patch)
    EXPECT_EQ(std::set<Index>(&dofs[patch * 216], &dofs[patch * 216] + 216).size(), 5U * 5 * 5) << patch;
  for (std::size_t i = 0; i < order.size(); ++i) EXPECT_EQ(last[static_cast<std::size_t>(order[i])] != 0, i >= 64) << i;
  const SplitOrder split = split_order(of.cells, block, order, 8, owned);
  EXPECT_EQ(split.free, std::vector<Index>(order.begin(), order.begin() + 64));
  EXPECT_EQ(split.waiting, std::vector<Index>(order.begin() + 64, order.end()));
  // The other rank: its own cells all, of which the bricks at the border wait.
  for (Index& dof : of.cells.dofs) dof = of.dofs.dofs - 1 - dof;
  const Index of_other = of.dofs.dofs - owned;
  EXPECT_EQ(split_order(of.cells, block, order, 8, of_other).free.size(), 0U);
}

/// Nodes that only one patch has and that may be moved are its own, and each place of a cell is added up once, but for
/// those of other ranks.
TEST(SpectralPatches, AddUpEveryPlaceOnceWhereItsNodeIs) {
  for (const auto& [shape, sides, each] :
       {std::tuple{"hex", std::array{3, 5, 3}, 8}, {"quad", {7, 5, 1}, 12}, {"hex", {2, 2, 2}, 3}}) {
    const Meshed of = box(shape, sides, 3);
    const std::vector<Index> held{1, 5, of.dofs.dofs / 2};
    const Index owned = of.dofs.dofs - 7;
    const int N = of.cells.places;
    const PatchNodes nodes = patch_nodes(of.cells, of.dofs.dofs, held);
    const std::vector<Index> dofs = in_order(of.cells, order_in_patches(of.mesh.blocks[0], of.cells.n, each));
    const HostPatches patches = make_patches(dofs, N, {each, of.cells.n, of.cells.n, N}, owned, nodes);
    std::map<Index, std::set<Index>> patches_of;
    for (std::size_t i = 0; i < dofs.size(); ++i) patches_of[dofs[i]].insert(static_cast<Index>(i) / (each * N));
    std::vector<int> met(dofs.size(), 0);
    std::size_t own = 0;
    for (std::size_t p = 0; p < patches.patches.size(); ++p) {
      const Patch& patch = patches.patches[p];
      const PatchLists lists(&patches.words[static_cast<std::size_t>(patch.words)], each * N, patch.nodes);
      own += static_cast<std::size_t>(patch.own);
      for (int node = 0; node < patch.nodes; ++node) {
        const bool is_own = node < patch.own;
        const Index dof =
            is_own ? lists.rows[node] : patches.outer[static_cast<std::size_t>(patch.outer + node - patch.own)];
        EXPECT_LT(dof, owned);
        EXPECT_EQ(is_own, patches_of[dof].size() == 1 && !std::binary_search(held.begin(), held.end(), dof)) << dof;
        ASSERT_LT(lists.first[node], lists.first[node + 1]);
        for (int k = lists.first[node]; k < lists.first[node + 1]; ++k) {
          const std::size_t place = p * static_cast<std::size_t>(each * N) + lists.addresses[k];
          EXPECT_EQ(dofs[place], dof);
          ++met[place];
        }
      }
    }
    EXPECT_GT(own, 0U);
    for (std::size_t i = 0; i < dofs.size(); ++i) EXPECT_EQ(met[i], dofs[i] < owned ? 1 : 0) << i;
  }
}

/// Whichever GPU is there.
TEST(SpectralPatches, AreRefusedWhereABlockOfThreadsHasLessMemory) {
  constexpr std::size_t KiB = 1024;
  const auto refusal = [](int order, std::size_t number, std::size_t most) -> std::string {
    try {
      check_patch_memory(3, order + 1, 3, number, most);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::memory);
      return error.what() + (" | " + error.help());
    }
    return "";
  };
  std::size_t largest = 0;
  for (int dim = 2; dim <= 3; ++dim)
    for (int n = 3; n <= 9; ++n)
      for (const int components : {1, dim})
        for (const std::size_t number : {sizeof(float), sizeof(double)})
          largest = std::max(largest, patch_memory(dim, n, components, number));
  EXPECT_GT(largest, 64 * KiB);   // a Turing GPU has them not
  EXPECT_LE(largest, 100 * KiB);  // every one from Ampere on has
  EXPECT_EQ(refusal(8, sizeof(double), 99 * KiB), "");
  EXPECT_NE(refusal(8, sizeof(double), 64 * KiB).find("hexes of order 8 in double precision take"), std::string::npos);
  EXPECT_NE(refusal(8, sizeof(double), 64 * KiB).find("the GPU has 64 KiB | choose a lower order, run.precision = "),
            std::string::npos);
  EXPECT_EQ(refusal(8, sizeof(float), 16 * KiB).find("run.precision"), std::string::npos);
}

}  // namespace
