#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "assembly/space/sparsity.hpp"
#include "base/error.hpp"
#include "base/team.hpp"

namespace tessera::assembly {
namespace {

/// Rows whose columns one task collects.
constexpr Index rows_per_chunk = 8192;
/// Parts of the cells that count on their own: each costs 4 B a dof.
constexpr int most_parts = 8;
/// Rows up to this length are ordered by counting the smaller columns, which fills vectors; longer ones are sorted.
constexpr Index most_counted = 64;

/// A cell's dofs and its place in its block, found through the number of the cell over all blocks.
struct CellDofs {
  const DofMap& map;
  std::size_t block_of(Index cell) const {
    std::size_t block = 0;
    while (block + 1 < map.blocks.size() && cell >= map.blocks[block + 1].first_cell) ++block;
    return block;
  }
  std::span<const Index> operator()(Index cell) const {
    const DofBlock& b = map.blocks[block_of(cell)];
    return {b.cell(cell - b.first_cell), static_cast<std::size_t>(b.nodes)};
  }
};

/// Cells around each dof, by counting sort: cells[ptr[dof] .. ptr[dof+1]), ascending.
struct DofCells {
  std::vector<Offset> ptr;
  Array<Index> cells;
};

/// visit(part, dof, cell) for every pair; each part takes consecutive cells of each block, one thread a part.
template <class Visit>
void for_each_pair(const DofMap& map, const DofBlock& block, int parts, Visit visit) {
  parallel(parts, [&](int part) {
    const Offset first = Offset{part} * block.cells() / parts, last = Offset{part + 1} * block.cells() / parts;
    const Index* dof = block.dofs.data() + first * block.nodes;
    for (Offset cell = first; cell < last; ++cell)
      for (int i = 0; i < block.nodes; ++i, ++dof) {
        if (static_cast<std::uint32_t>(*dof) >= static_cast<std::uint32_t>(map.dofs))
          continue;  // found by the sum of the counts
        visit(part, *dof, block.first_cell + static_cast<Index>(cell));
      }
  });
}

/// Every part counts its own cells and then writes behind those of the parts before it, so the order is that of the
/// cells.
DofCells dof_cells(const DofMap& map, int threads) {
  const int parts = std::clamp(threads, 1, most_parts);
  const std::size_t dofs = static_cast<std::size_t>(map.dofs);
  const std::size_t lists = map.blocks.size() * parts;
  std::vector<std::vector<Index>> next(lists);  // counts of each block's parts, then offsets into the list of the dof
  Offset entries = 0;
  for (std::size_t b = 0; b < map.blocks.size(); ++b) {
    entries += static_cast<Offset>(map.blocks[b].dofs.size());
    for (int part = 0; part < parts; ++part) next[b * parts + part].assign(dofs, 0);
    for_each_pair(map, map.blocks[b], parts, [&](int part, Index dof, Index) { ++next[b * parts + part][dof]; });
  }
  DofCells result;
  result.ptr.resize(dofs + 1);
  result.ptr[0] = 0;
  for (std::size_t dof = 0; dof < dofs; ++dof) {
    Index count = 0;
    for (std::vector<Index>& list : next) {
      const Index own = list[dof];
      list[dof] = count;
      count += own;
    }
    result.ptr[dof + 1] = result.ptr[dof] + count;
  }
  if (result.ptr.back() != entries)
    throw Error(ExitCode::internal, fmt::format("the dof map names dofs outside of its {}", map.dofs),
                "the dof map is damaged; please report this");
  result.cells = Array<Index>(entries);
  for (std::size_t b = 0; b < map.blocks.size(); ++b)
    for_each_pair(map, map.blocks[b], parts, [&](int part, Index dof, Index cell) {
      result.cells[result.ptr[dof] + next[b * parts + part][dof]++] = cell;
    });
  return result;
}

/// Collects the columns of one row after the other; one a thread.
class RowCollector {
 public:
  explicit RowCollector(const DofMap& map) : dofs_of_{map}, seen_(static_cast<std::size_t>(map.dofs), Mark{-1, 0}) {}

  /// The ascending columns of `row`, which the cells `around` it have, to `out`; returns how many. Fills their slots
  /// where wanted.
  Index collect(Index row, std::span<const Index> around, const SlotArrays& slots, std::vector<Index>& out) {
    columns_.clear();
    places_.clear();
    for (const Index cell : around)
      for (const Index dof : dofs_of_(cell)) {
        Mark& mark = seen_[dof];
        if (mark.row != row) {
          mark = {row, static_cast<Index>(columns_.size())};
          columns_.push_back(dof);
        }
        places_.push_back(mark.place);
      }
    const auto count = static_cast<Index>(columns_.size());
    const std::size_t first = out.size();
    out.resize(first + count);
    order_columns(count);
    for (Index k = 0; k < count; ++k) out[first + rank_[k]] = columns_[k];
    if (!slots.empty()) write_slots(row, around, slots);
    return count;
  }

 private:
  /// The last row that took a dof, and the dof's place among that row's columns as they came.
  struct Mark {
    Index row, place;
  };

  /// rank_[k]: place of columns_[k] among the ascending columns.
  void order_columns(Index count) {
    rank_.resize(count);
    if (count <= most_counted) {
      constexpr Index step = 16;
      columns_.resize((count + step - 1) / step * step, std::numeric_limits<Index>::max());
      const auto padded = static_cast<Index>(columns_.size());
      for (Index k = 0; k < count; ++k) {
        Index below = 0;
        for (Index m = 0; m < padded; ++m) below += columns_[m] < columns_[k];
        rank_[k] = below;
      }
      return;
    }
    order_.resize(count);
    for (Index k = 0; k < count; ++k) order_[k] = {columns_[k], k};
    std::sort(order_.begin(), order_.end());
    for (Index k = 0; k < count; ++k) rank_[order_[k].second] = k;
  }

  void write_slots(Index row, std::span<const Index> around, const SlotArrays& slots) {
    const Index* place = places_.data();
    for (const Index cell : around) {
      const std::size_t b = dofs_of_.block_of(cell);
      const DofBlock& block = dofs_of_.map.blocks[b];
      const int n = block.nodes;
      if (slots[b]) {
        const Index local = cell - block.first_cell;
        const Index* dofs = block.cell(local);
        const Offset i = std::find(dofs, dofs + n, row) - dofs;
        std::uint16_t* slot = slots[b] + (Offset{local} * n + i) * n;
        for (int j = 0; j < n; ++j) slot[j] = static_cast<std::uint16_t>(rank_[place[j]]);
      }
      place += n;
    }
  }

  CellDofs dofs_of_;
  std::vector<Mark> seen_;
  std::vector<Index> columns_;  ///< as they came; padded while they are ordered
  std::vector<Index> places_;   ///< [cells around the row, nodes], in columns_
  std::vector<Index> rank_;
  std::vector<std::pair<Index, Index>> order_;
};

/// What a thread needs to collect the rows of chunks, and the longest of them.
struct ChunkCollector {
  explicit ChunkCollector(const DofMap& map) : collector(map) {}
  RowCollector collector;
  std::vector<Index> out;
  Index longest = 0;
};

}  // namespace

linalg::Crs<Host> make_sparsity(Threads& exec, const DofMap& map, const SlotArrays& slots) {
  const DofCells around = dof_cells(map, exec.count());
  const Index chunks = (map.dofs + rows_per_chunk - 1) / rows_per_chunk;
  std::vector<std::vector<Index>> columns(chunks);

  linalg::Crs<Host> A;
  A.rows = A.cols = map.dofs;
  A.row_ptr = Array<Offset>(Offset{map.dofs} + 1);
  A.row_ptr[0] = 0;
  Scratch<ChunkCollector> scratch(exec.count());
  parallel_chunks(exec.count(), chunks, 1, [&](Offset at, Offset, int part) {
    const auto chunk = static_cast<Index>(at);
    ChunkCollector& mine = scratch.of(part, map);
    std::vector<Index>& out = mine.out;
    out.clear();
    const Index last = std::min(map.dofs, (chunk + 1) * rows_per_chunk);
    for (Index row = chunk * rows_per_chunk; row < last; ++row) {
      const std::span<const Index> cells(around.cells.data() + around.ptr[row],
                                         static_cast<std::size_t>(around.ptr[row + 1] - around.ptr[row]));
      const Index length = mine.collector.collect(row, cells, slots, out);
      A.row_ptr[row + 1] = length;
      mine.longest = std::max(mine.longest, length);
    }
    columns[chunk] = out;
  });
  Index longest = 0;
  scratch.each([&](const ChunkCollector& of_part) { longest = std::max(longest, of_part.longest); });
  if (!slots.empty() && longest > longest_row) throw_long_row(longest_row);
  for (Index row = 0; row < map.dofs; ++row) A.row_ptr[row + 1] += A.row_ptr[row];
  A.col_ind = Array<Index>(A.row_ptr[map.dofs]);
  A.values = Array<double>(A.row_ptr[map.dofs]);
  parallel_for(exec.count(), chunks, [&](Index chunk) {
    std::copy(columns[chunk].begin(), columns[chunk].end(), A.col_ind.data() + A.row_ptr[chunk * rows_per_chunk]);
    std::vector<Index>().swap(columns[chunk]);
  });
  return A;
}

template <>
linalg::Crs<Host> make_sparsity<Threads>(Threads& exec, const DofMap& map) {
  return make_sparsity(exec, map, SlotArrays{});
}

void throw_long_row(Offset longest) {
  throw Error(ExitCode::mesh, fmt::format("a dof has more than {} neighbours", longest),
              "the mesh has a vertex with thousands of cells: remesh it");
}

}  // namespace tessera::assembly
