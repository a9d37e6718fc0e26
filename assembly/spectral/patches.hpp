#pragma once
// Patches of cells that a block of threads, or one of the host, takes together: nodes leave it with their sums.
#include <algorithm>
#include <ranges>
#include <span>
#include <type_traits>
#include <vector>

#include "assembly/spectral/cells.hpp"
#include "base/array.hpp"
#include "base/team.hpp"

namespace tessera::assembly::spectral {

/// A patch. Its first nodes are its own, which no other cell has; the sums of those behind them go to the element
/// vector.
struct Patch {
  Index nodes = 0, own = 0;
  Index outer = 0;   ///< nodes of the patches before that are not their own
  Offset words = 0;  ///< where its lists begin
};

/// How a block of threads has the places of the cells of a patch in its memory.
struct PatchLayout {
  int cells = 0;                 ///< of a patch; 0: there are no patches
  int n = 0, row = 0, cell = 0;  ///< between rows along x, and between cells
  int lanes = 1;                 ///< cells whose material and geometry lie beside each other

  /// Of place q of cell c.
  int address(int c, int q) const { return c * cell + q / n * row + q % n; }
  PatchLayout without_patches() const { return {.lanes = lanes}; }
};

/// On CUDA, with so many bytes a number.
PatchLayout patch_layout(int dim, int n, int components, std::size_t number);

/// On threads: cells that share the vector registers, one a lane, with so many bytes a number.
constexpr int cell_lanes(std::size_t number) { return static_cast<int>(64 / number); }
/// Cells of which the forces, `entry` numbers a place, take a third of the cache of a core, at most eight along an
/// axis: a power of two, so that patches of a regular mesh are bricks. Long rows of nodes fill the lines of the cache
/// that they touch, and few nodes are of several patches. Addresses of places have 16 bits.
constexpr int cells_of_patch(int dim, int places, int entry, std::size_t number) {
  int cells = dim == 2 ? 64 : 512;
  while (cells > 16 &&
         (static_cast<std::size_t>(cells * places * entry) * number > 300000 || cells * places >= 1 << 16))
    cells /= 2;
  return cells;
}
PatchLayout patch_layout_of_threads(int dim, int n, int components, std::size_t number);

/// The lists of a patch, one behind the other, so that a block of threads can bring them to its memory: addresses of
/// the places of each node in turn, the first one of each node and how many there are, two numbers a word; then the
/// dofs of its own nodes.
template <class Word>
struct PatchLists {
  using Half = std::conditional_t<std::is_const_v<Word>, const unsigned short, unsigned short>;
  Half* addresses;
  Half* first;  ///< [nodes + 1]
  Word* rows;   ///< [own]

  /// `places`: of a whole patch.
  TESSERA_HD_INLINE PatchLists(Word* words, int places, int nodes)
      : addresses(reinterpret_cast<Half*>(words)),
        first(reinterpret_cast<Half*>(words + words_of_places(places))),
        rows(words + words_before_rows(places, nodes)) {}

  TESSERA_HD_INLINE static int words_of_places(int places) { return (places + 1) / 2; }
  TESSERA_HD_INLINE static int words_before_rows(int places, int nodes) {
    return words_of_places(places) + (nodes + 2) / 2;
  }
};
/// Of the lists of a patch, so that those of the next one begin at 16 bytes.
TESSERA_HD_INLINE constexpr int words_of_patch(int places, int nodes, int own) {
  return ((places + 1) / 2 + (nodes + 2) / 2 + own + 3) / 4 * 4;
}

/// Patch p has the cells [p, p + 1) * cells of its block.
struct PatchView {
  const Patch* patches = nullptr;  ///< null: cells go by themselves
  const Index* words = nullptr;
  int most_words = 0;  ///< of a patch
};

template <class Space>
struct Patches {
  Array<Patch, Space> patches;
  Array<Index, Space> words;
  int most_words = 0;

  PatchView view() const { return {patches.data(), words.data(), most_words}; }
  double bytes() const { return static_cast<double>(patches.bytes() + words.bytes()); }
};

struct HostPatches {
  std::vector<Patch> patches;
  std::vector<Index> words;
  std::vector<Index> outer;  ///< dofs of the nodes that go to the element vector
  int most_words = 0;        ///< of a patch
};

/// The cells of a block in an order in which `each` that follow each other lie together: from the first one that is
/// left on, the cell that shares most nodes with those of its patch, counted with each of them, and of several the
/// first. Where none touches them, a patch goes on with the first one that is left. `each` 0: their own order. Cells of
/// which `last` [cells] is not 0 come behind all others; empty: there are none.
std::vector<Index> order_in_patches(const mesh::CellBlock& block, int n, int each, std::span<const char> last = {});

/// [cells of the block] whether more than half of the dofs are not below `owned`. Patches of such cells alone leave
/// those of the others as they would be without them: bricks, on a regular mesh.
std::vector<char> cells_of_others(const Cells& cells, const mesh::CellBlock& block, Index owned);

/// The patches of `each` cells of an order: those of which all dofs are below `owned`, and those that wait for others.
struct SplitOrder {
  std::vector<Index> free, waiting;
};
SplitOrder split_order(const Cells& cells, const mesh::CellBlock& block, std::span<const Index> order, int each,
                       Index owned);

/// Of values [cells, each] those of the cells of an order, as [cells of it / lanes, each, lanes]; lanes behind the last
/// cell repeat it.
template <class Numbers>
auto in_order(const Numbers& values, Index cells, std::span<const Index> order, int lanes = 1) {
  const std::size_t each = values.size() / std::max<std::size_t>(static_cast<std::size_t>(cells), 1);
  const auto width = static_cast<std::size_t>(lanes);
  const std::size_t padded = (order.size() + width - 1) / width * width;
  std::vector<std::ranges::range_value_t<Numbers>> result(padded * each);
  parallel_for(default_threads(), static_cast<Offset>(padded), [&](Offset i) {
    const auto number = static_cast<std::size_t>(i);
    const auto from = static_cast<std::size_t>(order[std::min(number, order.size() - 1)]) * each;
    const std::size_t to = number / width * each * width + number % width;
    for (std::size_t k = 0; k < each; ++k) result[to + k * width] = values[from + k];
  });
  return result;
}

/// How many cells have a node, and whether its sum goes to the element vector in any case. [dofs]
struct PatchNodes {
  std::vector<int> cells;
  std::vector<char> apart;
};
PatchNodes patch_nodes(const Cells& cells, Index dofs, std::span<const Index> apart);

/// Of cells [cells, places] in the order of their patches. Nodes from `owned` on are in none.
HostPatches make_patches(std::span<const Index> dofs, int places, const PatchLayout& layout, Index owned,
                         const PatchNodes& of_dofs);

}  // namespace tessera::assembly::spectral
