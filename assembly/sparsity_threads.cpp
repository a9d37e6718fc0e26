#include <omp.h>

#include <algorithm>
#include <fmt/format.h>

#include "assembly/sparsity.hpp"
#include "base/error.hpp"

namespace tessera::assembly {
namespace {

/// Rows whose columns one task collects.
constexpr Index rows_per_chunk = 8192;

/// A cell's dofs: block and place in it, found through the number of the cell over all blocks.
struct CellDofs {
  const DofMap& map;
  std::span<const Index> operator()(Index cell) const {
    std::size_t block = 0;
    while (block + 1 < map.blocks.size() && cell >= map.blocks[block + 1].first_cell) ++block;
    const DofBlock& b = map.blocks[block];
    return {b.dofs.data() + static_cast<std::size_t>(cell - b.first_cell) * b.nodes, static_cast<std::size_t>(b.nodes)};
  }
};

/// Cells around each dof, by counting sort: cells[ptr[dof] .. ptr[dof+1]), ascending.
struct DofCells {
  std::vector<Offset> ptr;
  std::vector<Index> cells;
};

/// visit(dof, cell) for every pair; thread t visits the dofs of the t-th part of their range, cells ascending.
template <class Visit>
void for_each_own_dof(const DofMap& map, int threads, Visit visit) {
#pragma omp parallel num_threads(threads)
  {
    const Offset part = omp_get_thread_num(), parts = omp_get_num_threads();
    const Index first = static_cast<Index>(part * map.dofs / parts), last = static_cast<Index>((part + 1) * map.dofs / parts);
    for (const DofBlock& block : map.blocks) {
      Index cell = block.first_cell;
      for (std::size_t begin = 0; begin < block.dofs.size(); begin += block.nodes, ++cell)
        for (int i = 0; i < block.nodes; ++i) {
          const Index dof = block.dofs[begin + i];
          if (dof >= first && dof < last) visit(dof, cell);
        }
    }
  }
}

/// Each thread scans all cells and takes the dofs of its own range, so that no two write to one place and the order is that of the cells.
DofCells dof_cells(const DofMap& map, int threads) {
  DofCells result;
  result.ptr.assign(static_cast<std::size_t>(map.dofs) + 2, 0);
  for_each_own_dof(map, threads, [&](Index dof, Index) { ++result.ptr[dof + 2]; });
  for (std::size_t i = 2; i < result.ptr.size(); ++i) result.ptr[i] += result.ptr[i - 1];
  Offset entries = 0;
  for (const DofBlock& block : map.blocks) entries += static_cast<Offset>(block.dofs.size());
  if (result.ptr.back() != entries)
    throw Error(ExitCode::internal, fmt::format("the dof map names dofs outside of its {}", map.dofs),
                "the dof map is damaged; please report this");
  result.cells.resize(static_cast<std::size_t>(entries));
  for_each_own_dof(map, threads, [&](Index dof, Index cell) { result.cells[result.ptr[dof + 1]++] = cell; });
  result.ptr.pop_back();
  return result;
}

}  // namespace

template <class Exec>
linalg::Crs<typename Exec::Space> make_sparsity(Exec& exec, const DofMap& map) {
  const DofCells around = dof_cells(map, exec.count());
  const CellDofs dofs_of{map};
  const Index chunks = (map.dofs + rows_per_chunk - 1) / rows_per_chunk;
  std::vector<std::vector<Index>> columns(chunks);

  linalg::Crs<Host> A;
  A.rows = A.cols = map.dofs;
  A.row_ptr = Array<Offset>(Offset{map.dofs} + 1);
  A.row_ptr[0] = 0;
#pragma omp parallel num_threads(exec.count())
  {
    std::vector<Index> seen(map.dofs, -1);  // the last row that took this dof
#pragma omp for schedule(dynamic)
    for (Index chunk = 0; chunk < chunks; ++chunk) {
      std::vector<Index>& out = columns[chunk];
      const Index last = std::min(map.dofs, (chunk + 1) * rows_per_chunk);
      for (Index row = chunk * rows_per_chunk; row < last; ++row) {
        const std::size_t first = out.size();
        for (Offset k = around.ptr[row]; k < around.ptr[row + 1]; ++k)
          for (const Index dof : dofs_of(around.cells[k])) {
            if (seen[dof] == row) continue;
            seen[dof] = row;
            out.push_back(dof);
          }
        std::sort(out.begin() + first, out.end());
        A.row_ptr[row + 1] = static_cast<Offset>(out.size() - first);
      }
    }
  }
  for (Index row = 0; row < map.dofs; ++row) A.row_ptr[row + 1] += A.row_ptr[row];
  A.col_ind = Array<Index>(A.row_ptr[map.dofs]);
  A.values = Array<double>(A.row_ptr[map.dofs]);
#pragma omp parallel for schedule(static) num_threads(exec.count())
  for (Index chunk = 0; chunk < chunks; ++chunk) {
    std::copy(columns[chunk].begin(), columns[chunk].end(), A.col_ind.data() + A.row_ptr[chunk * rows_per_chunk]);
    std::vector<Index>().swap(columns[chunk]);
  }
  return A;
}

template linalg::Crs<Host> make_sparsity<Threads>(Threads&, const DofMap&);

}  // namespace tessera::assembly
