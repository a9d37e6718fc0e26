#include <algorithm>
#include <atomic>

#include "assembly/cells/assembler_impl.hpp"
#include "assembly/cells/elements_threads.hpp"
#include "assembly/cells/form.hpp"
#include "assembly/space/dirichlet_impl.hpp"
#include "base/team.hpp"
#include "mesh/colouring.hpp"

namespace tessera::assembly {
namespace {

/// Consecutive cells that one thread assembles in a row. Cells are sorted for locality, so their values stay in the cache;
/// fewer on small meshes so that there are chunks to share. Independent of the number of threads: results do not change with it.
constexpr Index most_cells_per_chunk = 512;
constexpr Index least_cells_per_chunk = 8;
constexpr Index chunks_wanted = 256;

using Lanes = double __attribute__((vector_size(lanes * sizeof(double))));

/// Element matrices of up to `lanes` linear simplices at a time, then their entries one by one in the order of the cells.
template <int dim, class Layout>
void simplex_chunk(const BlockView& block, const Target& target, Layout layout, Offset first, Offset last) {
  constexpr int n = dim + 1;
  constexpr int entries = n * (n + 1) / 2;
  alignas(64) double x[n][dim][lanes];
  alignas(64) double coefficient[symmetric<dim> + 2][lanes] = {};
  alignas(64) double matrix[entries][lanes];
  alignas(64) double load[n][lanes];
  const int components = block.k.components;
  const auto step = layout.step();
  double* b = target.b;
  for (Offset batch = first; batch < last; batch += lanes) {
    const int count = static_cast<int>(std::min<Offset>(lanes, last - batch));
    for (int lane = 0; lane < lanes; ++lane) {
      const Offset cell = batch + std::min(lane, count - 1);
      for (int i = 0; i < n; ++i) {
        const double* point = block.coordinates + Offset{3} * block.geometry[cell * n + i];
        for (int d = 0; d < dim; ++d) x[i][d][lane] = point[d];
      }
      const Index region = block.region_of(cell);
      if (!block.k.empty())
        for (int m = 0; m < components; ++m) coefficient[m][lane] = block.k.values[region * components + m];
      if (!block.c.empty()) coefficient[symmetric<dim>][lane] = block.c.values[region];
      if (!block.f.empty() && !block.f.per_point) coefficient[symmetric<dim> + 1][lane] = block.f.values[region];
    }
    Lanes vx[n][dim], grad[n][dim], k[symmetric<dim>], c, packed_matrix[entries];
    for (int i = 0; i < n; ++i)
      for (int d = 0; d < dim; ++d) vx[i][d] = *reinterpret_cast<const Lanes*>(x[i][d]);
    for (int m = 0; m < symmetric<dim>; ++m) k[m] = *reinterpret_cast<const Lanes*>(coefficient[m]);
    c = *reinterpret_cast<const Lanes*>(coefficient[symmetric<dim>]);
    const Lanes jacobian = simplex_gradients<dim, Lanes>(vx, grad);
    simplex_matrix<dim, Lanes>(grad, jacobian, k, components, block.c.empty() ? nullptr : &c, packed_matrix);
    for (int e = 0; e < entries; ++e) *reinterpret_cast<Lanes*>(matrix[e]) = packed_matrix[e];
    for (int i = 0; i < n; ++i) *reinterpret_cast<Lanes*>(load[i]) = jacobian * (reference_factor<dim> * block.load[i]);
    for (int lane = 0; lane < count; ++lane) {
      const Offset cell = batch + lane;
      const Index* dofs = block.dofs + cell * n;
      const std::uint16_t* slots = block.slots + cell * n * n;
      for (int i = 0; i < n; ++i) {
        double* row = target.values + layout.first(dofs[i]);
        for (int j = 0; j < n; ++j)
          row[slots[i * n + j] * step] += matrix[i <= j ? packed(i, j, n) : packed(j, i, n)][lane];
      }
      if (block.f.empty()) continue;
      if (!block.f.per_point) {
        for (int i = 0; i < n; ++i) b[dofs[i]] += coefficient[symmetric<dim> + 1][lane] * load[i][lane];
        continue;
      }
      const double scale = load[0][lane] / block.load[0];  // |det J| of the reference cell
      for (int i = 0; i < n; ++i) {
        double sum = 0;
        for (int q = 0; q < block.points; ++q)
          sum += block.weights[q] * block.f.values[block.cell_of(cell) * block.points + q] *
                 block.basis[(q * (dim + 1) + dim) * n + i];
        b[dofs[i]] += scale * sum;
      }
    }
  }
}

/// The layout of CRS as constants: no division, and a step that folds away.
struct CompactRows {
  const Offset* starts;
  Offset first(Index row) const { return starts[row]; }
  static constexpr Offset step() { return 1; }
};

template <int dim>
void simplex_chunk(const BlockView& block, const Target& target, Offset first, Offset last) {
  if (target.layout.slice == 1)
    simplex_chunk<dim>(block, target, CompactRows{target.layout.starts}, first, last);
  else
    simplex_chunk<dim>(block, target, target.layout, first, last);
}

/// Adds an element's matrix, and its load into b. `Add` adds a number to a place.
template <class Add>
void scatter(const BlockView& block, const Target& target, Offset place, const Workspace& work, Add add) {
  const int n = block.nodes;
  const Offset step = target.layout.step();
  for (int i = 0; i < n; ++i) {
    const Index dof = block.dof(place, i);
    double* row = target.values + target.layout.first(dof);
    for (int j = 0; j < n; ++j)
      add(row[entry_slot(block, target.pattern, place, i, j) * step], work.entry(block, i, j));
    if (!block.f.empty()) add(target.b[dof], work.load[i]);
  }
}

void add_plainly(double& to, double value) { to += value; }
void add_atomically(double& to, double value) { std::atomic_ref(to).fetch_add(value, std::memory_order_relaxed); }

/// Adds places first .. last, which no other thread's cells touch.
void add_places(const BlockData<Host>& block, const Target& target, Offset first, Offset last, Workspace& work) {
  if (block.kernel == Kernel::linear_simplex) {
    if (block.dim == 1) return simplex_chunk<1>(block.view, target, first, last);
    if (block.dim == 2) return simplex_chunk<2>(block.view, target, first, last);
    return simplex_chunk<3>(block.view, target, first, last);
  }
  for (Offset place = first; place < last; ++place) {
    element_values(block, place, work);
    scatter(block.view, target, place, work, add_plainly);
  }
}

}  // namespace

void add_cells(Threads& exec, Strategy strategy, const BlockData<Host>& block, const Target& target) {
  Scratch<Workspace> scratch(exec.count());
  const auto work = [&](int part) -> Workspace& { return scratch.of(part, block.view, block.dim); };
  if (strategy == Strategy::atomic) {
    parallel_chunks(exec.count(), block.cells, 64, [&](Offset first, Offset last, int part) {
      Workspace& mine = work(part);
      for (Offset place = first; place < last; ++place) {
        element_values(block, place, mine);
        scatter(block.view, target, place, mine, add_atomically);
      }
    });
    return;
  }
  const auto each_colour = [&](const auto& ptr, auto add) {
    for (std::size_t colour = 0; colour + 1 < ptr.size(); ++colour)
      parallel_chunks(exec.count(), ptr[colour + 1] - ptr[colour], 1,
                      [&](Offset k, Offset, int part) { add(ptr[colour] + k, work(part)); });
  };
  if (strategy == Strategy::colour_blocks) {
    const Partitions<Host>& p = block.partitions;
    each_colour(p.colour_ptr, [&](Offset k, Workspace& of_part) {
      add_places(block, target, p.first[p.by_colour[k]], p.first[p.by_colour[k] + 1], of_part);
    });
  } else {
    each_colour(block.colour_ptr, [&](Offset k, Workspace& of_part) {
      const Offset first = Offset{block.chunks[k]} * block.chunk_cells;
      add_places(block, target, first, std::min<Offset>(block.cells, first + block.chunk_cells), of_part);
    });
  }
}

void order_cells(Threads& exec, const mesh::CellBlock& cells, const DofBlock& dofs, Index all_dofs,
                 BlockData<Host>& block) {
  const Index count = block.cells;
  BlockView& view = block.view;
  view.dofs = dofs.dofs.data();  // mesh and map outlive the assembler, so neither is copied
  view.geometry = block.geometry_is_dofs ? view.dofs : cells.nodes.data();
  view.cell_stride = dofs.nodes, view.node_stride = 1;
  view.geometry_stride = cells.nodes_per_cell, view.geometry_step = 1;
  view.slot_stride = Offset{dofs.nodes} * dofs.nodes, view.slot_step = 1;
  block.chunk_cells = std::clamp(count / chunks_wanted, least_cells_per_chunk, most_cells_per_chunk);
  const Index chunks = (count + block.chunk_cells - 1) / block.chunk_cells;

  // Two chunks that share a dof get different colours. Each thread lists the dofs of its own range of chunks, each dof once a chunk.
  std::vector<Offset> ptr(static_cast<std::size_t>(chunks) + 1, 0);
  std::vector<std::vector<Index>> keys_of(static_cast<std::size_t>(exec.count()));
  parallel_ranges(exec.count(), chunks, [&](Offset first_chunk, Offset last_chunk, int part) {
    std::vector<Index> seen(all_dofs, -1);
    std::vector<Index>& mine = keys_of[static_cast<std::size_t>(part)];
    for (auto chunk = static_cast<Index>(first_chunk); chunk < last_chunk; ++chunk) {
      const std::size_t before = mine.size();
      const std::size_t first = static_cast<std::size_t>(chunk) * block.chunk_cells * dofs.nodes;
      const std::size_t last =
          std::min(dofs.dofs.size(), first + static_cast<std::size_t>(block.chunk_cells) * dofs.nodes);
      for (std::size_t k = first; k < last; ++k) {
        if (seen[dofs.dofs[k]] == chunk) continue;
        seen[dofs.dofs[k]] = chunk;
        mine.push_back(dofs.dofs[k]);
      }
      ptr[chunk + 1] = static_cast<Offset>(mine.size() - before);
    }
  });
  for (Index chunk = 0; chunk < chunks; ++chunk) ptr[chunk + 1] += ptr[chunk];
  std::vector<Index> keys;
  keys.reserve(static_cast<std::size_t>(ptr.back()));
  for (const std::vector<Index>& part : keys_of) keys.insert(keys.end(), part.begin(), part.end());
  mesh::Colouring colouring = mesh::colour_cells(chunks, all_dofs, ptr.data(), keys.data());
  block.colour_ptr = std::move(colouring.ptr);
  block.chunks = std::move(colouring.cells);
}

void fill_slots(Threads& exec, const BlockData<Host>& block, const linalg::CrsView<double>& A, std::uint16_t* slots,
                int* long_row) {
  const int n = block.view.nodes;
  const Index* dofs = block.view.dofs;
  parallel_for(exec.count(), block.cells, [&](Index cell) {
    const Index* mine = dofs + static_cast<Offset>(cell) * n;
    std::uint16_t* slot = slots + static_cast<Offset>(cell) * n * n;
    for (int i = 0; i < n; ++i) {
      const Index* cols = A.col_ind.data() + A.row_ptr[mine[i]];
      const Offset length = A.row_ptr[mine[i] + 1] - A.row_ptr[mine[i]];
      if (length > longest_row) *long_row = 1;  // every writer writes the same
      for (int j = 0; j < n; ++j, ++slot) {
        if (length > 64) {
          *slot = static_cast<std::uint16_t>(find_in_row(cols, static_cast<Index>(length), mine[j]));
          continue;
        }
        int below = 0;  // a short row: counting the smaller columns has no branches and fills vectors
        for (int k = 0; k < static_cast<int>(length); ++k) below += cols[k] < mine[j];
        *slot = static_cast<std::uint16_t>(below);
      }
    }
  });
}

void decide_columns(Threads&, BlockData<Host>&) {}

double default_buffer_bytes(Threads&) {
  return std::min(1.0 * (1 << 30), 0.25 * static_cast<double>(host_bytes_available()));
}

void place_cells(Threads&, const mesh::CellBlock& cells, const DofBlock& dofs, std::vector<Index> order,
                 BlockData<Host>& block) {
  BlockView& view = block.view;
  view.dofs = dofs.dofs.data();  // mesh and map outlive the assembler, so neither is copied in the natural order
  view.geometry = block.geometry_is_dofs ? view.dofs : cells.nodes.data();
  view.cell_stride = dofs.nodes, view.node_stride = 1;
  view.geometry_stride = cells.nodes_per_cell, view.geometry_step = 1;
  view.slot_stride = Offset{dofs.nodes} * dofs.nodes, view.slot_step = 1;
  if (order.empty()) return;
  block.order = std::move(order);
  block.cell = to_space<Host>(block.order);
  const auto in_order = [&](const std::vector<Index>& nodes, int per_cell) {
    Array<Index> placed(static_cast<Offset>(nodes.size()));
    for (std::size_t place = 0; place < block.order.size(); ++place)
      std::copy_n(&nodes[static_cast<std::size_t>(block.order[place]) * per_cell], per_cell,
                  &placed[static_cast<Offset>(place) * per_cell]);
    return placed;
  };
  block.dofs = in_order(dofs.dofs, dofs.nodes);
  view.dofs = view.geometry = block.dofs.data();
  if (block.geometry_is_dofs) return;
  block.geometry = in_order(cells.nodes, cells.nodes_per_cell);
  view.geometry = block.geometry.data();
}

template class CellAssembler<Threads>;
template class Assembler<Threads>;
template void eliminate_dirichlet<Threads>(Threads&, linalg::Crs<Host>&, View<double>, const std::vector<Index>&,
                                           const std::vector<double>&);

}  // namespace tessera::assembly
