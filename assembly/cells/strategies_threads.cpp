// nonzeros, two_pass and shared on threads.
#include "assembly/cells/elements_threads.hpp"
#include "base/team.hpp"

namespace tessera::assembly {
namespace {

/// Rows that a thread gathers in a row.
constexpr int rows_at_a_time = 64;

template <int dim>
void gather_rows_of(Threads& exec, const BlockData<Host>& block, const Target& target, bool add) {
  const BlockView& view = block.view;
  const int n = view.nodes;
  const Offset step = target.layout.step();
  Scratch<Workspace> workspaces(exec.count());
  Scratch<std::vector<double>> rows(exec.count());
  parallel_chunks(exec.count(), target.pattern.rows, rows_at_a_time, [&](Offset first, Offset last, int part) {
    Workspace& work = workspaces.of(part, view, dim);
    double* const entries = rows.of(part, n).data();
    for (auto row = static_cast<Index>(first); row < last; ++row) {
      double* values = target.values + target.layout.first(row);
      if (!add)
        for (Offset k = 0; k < target.pattern.row_ptr[row + 1] - target.pattern.row_ptr[row]; ++k) values[k * step] = 0;
      double load = 0;
      for (Offset at = block.around.ptr[row]; at < block.around.ptr[row + 1]; ++at) {
        const Index place = block.around.items[at] / n;
        const int i = block.around.items[at] % n;
        load += element_row<dim>(block, place, i, work, entries);
        for (int j = 0; j < n; ++j) values[entry_slot(view, target.pattern, place, i, j) * step] += entries[j];
      }
      target.b[row] = add ? target.b[row] + load : load;
    }
  });
}

/// The values of an element in the order of BlockView::entry().
void write_values(const BlockData<Host>& block, Offset place, Workspace& work, double* out) {
  const int n = block.view.nodes;
  element_values(block, place, work);
  for (int i = 0; i < n; ++i) {
    const int first = block.view.symmetric ? i : 0;
    out = std::copy_n(&work.matrix[i * n + first], n - first, out);
  }
  if (block.view.f.empty())
    std::fill_n(out, n, 0.0);
  else
    std::copy_n(work.load.data(), n, out);
}

}  // namespace

void make_row_lists(Threads& exec, BlockData<Host>& block, const linalg::CrsView<const double>& pattern) {
  block.around = cells_around(exec, block, pattern.rows);
}

void gather_rows(Threads& exec, const BlockData<Host>& block, const Target& target, bool add) {
  if (block.dim == 1) gather_rows_of<1>(exec, block, target, add);
  if (block.dim == 2) gather_rows_of<2>(exec, block, target, add);
  if (block.dim == 3) gather_rows_of<3>(exec, block, target, add);
}

void store_cells(Threads& exec, const BlockData<Host>& block, Index first, Index count, double* buffer) {
  const int entries = block.view.entries();
  Scratch<Workspace> workspaces(exec.count());
  parallel_chunks(exec.count(), count, rows_at_a_time, [&](Offset from, Offset to, int part) {
    Workspace& work = workspaces.of(part, block.view, block.dim);
    for (Offset k = from; k < to; ++k) write_values(block, first + k, work, buffer + k * entries);
  });
}

std::size_t partition_bytes(Threads&, const BlockData<Host>&) {
  return 512 * 1024;  // half of a usual second-level cache
}

void sum_partitions(Threads& exec, const BlockData<Host>& block, const Target& target, const Index* row_of,
                    double* partials, bool add) {
  const Partitions<Host>& p = block.partitions;
  const Offset nnz = target.pattern.col_ind.size();
  const int entries = block.view.entries();
  Scratch<Workspace> workspaces(exec.count());
  Scratch<std::vector<double>> values_of(exec.count());
  parallel_chunks(exec.count(), p.first.size() - 1, 1, [&](Offset part, Offset, int thread) {
    Workspace& work = workspaces.of(thread, block.view, block.dim);
    std::vector<double>& values = values_of.of(thread, static_cast<std::size_t>(p.largest) * entries);
    for (Index place = p.first[part]; place < p.first[part + 1]; ++place)
      write_values(block, place, work, values.data() + Offset{place - p.first[part]} * entries);
    for (Offset t = p.first_target[part]; t < p.first_target[part + 1]; ++t) {
      const Offset local = t - p.first_target[part], slice = p.first_slice[part] + local / 32;
      const std::uint16_t* list = p.lists.data() + p.list_first[slice] + local % 32;
      double sum = 0;
      for (int k = 0; k < p.widths[slice]; ++k)
        if (list[k * 32] != 65535) sum += values[list[k * 32]];
      const Index to = p.targets[t];
      if (to < 0) {
        partials[-1 - to] = sum;
      } else {
        double* value = target_of(target, row_of, nnz, to);
        *value = add ? *value + sum : sum;
      }
    }
  });
}

}  // namespace tessera::assembly
