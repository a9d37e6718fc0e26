#pragma once
// The numeric steps of every strategy on threads: elements to sinks. Whatever adds does so to values that were zeroed
// before.
#include "assembly/cells/component_elements_threads.hpp"
#include "assembly/cells/simplex_batch_threads.hpp"
#include "assembly/cells/sinks_threads.hpp"
#include "base/team.hpp"

namespace tessera::assembly {

/// Rows, or cells, that a thread takes in a row.
inline constexpr int cells_at_a_time = 64;

template <class Form, class Add>
using AddSinkOf = std::conditional_t<forms::has_components<Form>, AddBlocks<Add>, AddSink<Add>>;
template <class Form>
using StoreSinkOf = std::conditional_t<forms::has_components<Form>, StoreBlocks, StoreSink>;

/// Places first .. last of a block to a sink.
template <class Element, class Sink>
void each_place(const Element& element, const Sink& sink, Offset first, Offset last, Workspace& work) {
  for (Offset place = first; place < last; ++place) {
    element.values(place, work);
    sink.take(place, work);
  }
}

/// Calls part_of(k, part) for the parts of a colour on all threads, colour after colour.
template <class Ptr, class PartOf>
void each_colour(Threads& exec, const Ptr& colour_ptr, PartOf part_of) {
  for (std::size_t colour = 0; colour + 1 < colour_ptr.size(); ++colour)
    parallel_chunks(exec.count(), colour_ptr[colour + 1] - colour_ptr[colour], 1,
                    [&](Offset k, Offset, int part) { part_of(colour_ptr[colour] + k, part); });
}

/// Calls visit(add), where add(first, last, work) adds places that no other thread's cells touch.
template <class Form, class Visit>
void with_addition(const BlockData<Host>& block, const Form& form, const Target& target, Visit visit) {
  if constexpr (Form::symmetric && !forms::has_components<Form>) {
    if (block.is_linear_simplex()) {
      const auto add = block.dim == 1   ? add_simplices<1, Form>
                       : block.dim == 2 ? add_simplices<2, Form>
                                        : add_simplices<3, Form>;
      return visit([&](Offset first, Offset last, Workspace&) { add(block.view, form, target, first, last); });
    }
  }
  const bool has_load = forms::has(form, load_value);
  with_element(block, form, [&](const auto& element) {
    visit([&](Offset first, Offset last, Workspace& work) {
      each_place(element, AddSinkOf<Form, Plainly>{block.view, target, has_load}, first, last, work);
    });
  });
}

/// colour: chunks of cells.
template <class Form>
void add_colours(Threads& exec, const BlockData<Host>& block, const Form& form, const Target& target) {
  Scratch<Workspace> scratch(exec.count());
  with_addition(block, form, target, [&](auto add) {
    each_colour(exec, block.colour_ptr, [&](Offset k, int part) {
      const Offset first = Offset{block.chunks[k]} * block.chunk_cells;
      add(first, std::min<Offset>(block.cells, first + block.chunk_cells), scratch.of(part, block.view, block.dim));
    });
  });
}

/// colour_blocks: partitions.
template <class Form>
void add_partitions(Threads& exec, const BlockData<Host>& block, const Form& form, const Target& target) {
  Scratch<Workspace> scratch(exec.count());
  const Partitions<Host>& p = block.partitions;
  with_addition(block, form, target, [&](auto add) {
    each_colour(exec, p.colour_ptr, [&](Offset k, int part) {
      add(p.first[p.by_colour[k]], p.first[p.by_colour[k] + 1], scratch.of(part, block.view, block.dim));
    });
  });
}

/// atomic: all cells at once.
template <class Form>
void add_atomically(Threads& exec, const BlockData<Host>& block, const Form& form, const Target& target) {
  Scratch<Workspace> scratch(exec.count());
  const bool has_load = forms::has(form, load_value);
  with_element(block, form, [&](const auto& element) {
    parallel_chunks(exec.count(), block.cells, cells_at_a_time, [&](Offset first, Offset last, int part) {
      each_place(element, AddSinkOf<Form, Atomically>{block.view, target, has_load}, first, last,
                 scratch.of(part, block.view, block.dim));
    });
  });
}

/// nonzeros, several unknowns a node: every block row gathers.
template <class Form>
void gather_block_rows(Threads& exec, const BlockData<Host>& block, const Form& form, const Target& target, bool add) {
  const BlockView& view = block.view;
  const int n = view.nodes, m = view.components;
  Scratch<Workspace> workspaces(exec.count());
  Scratch<std::vector<double>> rows(exec.count());
  with_element(block, form, [&](const auto& element) {
    parallel_chunks(exec.count(), target.pattern.rows, cells_at_a_time, [&](Offset first, Offset last, int part) {
      Workspace& work = workspaces.of(part, view, block.dim);
      double* const entries = rows.of(part, m * m * n + m).data();
      double* const loads = entries + m * m * n;
      for (Offset row = first; row < last; ++row) {
        double* const b = target.b + row * m;
        if (!add) {
          std::fill(target.values + target.pattern.row_ptr[row] * m * m,
                    target.values + target.pattern.row_ptr[row + 1] * m * m, 0.0);
          std::fill_n(b, m, 0.0);
        }
        for (Offset at = block.around.ptr[row]; at < block.around.ptr[row + 1]; ++at) {
          const Index place = block.around.items[at] / n;
          const int i = block.around.items[at] % n;
          element.row(place, i, work, entries, loads);
          for (int j = 0; j < n; ++j) {
            double* const to = target.values + target_position(view, target, place, i, j) * m * m;
            for (int pair = 0; pair < m * m; ++pair) to[pair] += entries[pair * n + j];
          }
          for (int c = 0; c < m; ++c) b[c] += loads[c];
        }
      }
    });
  });
}

/// nonzeros, one unknown a node.
template <class Form>
void gather_single_rows(Threads& exec, const BlockData<Host>& block, const Form& form, const Target& target, bool add) {
  const BlockView& view = block.view;
  const int n = view.nodes;
  const Offset step = target.layout.step();
  Scratch<Workspace> workspaces(exec.count());
  Scratch<std::vector<double>> rows(exec.count());
  with_element(block, form, [&](const auto& element) {
    parallel_chunks(exec.count(), target.pattern.rows, cells_at_a_time, [&](Offset first, Offset last, int part) {
      Workspace& work = workspaces.of(part, view, block.dim);
      double* const entries = rows.of(part, n).data();
      for (auto row = static_cast<Index>(first); row < last; ++row) {
        double* values = target.values + target.layout.first(row);
        if (!add)
          for (Offset k = 0; k < target.pattern.row_ptr[row + 1] - target.pattern.row_ptr[row]; ++k)
            values[k * step] = 0;
        double load = 0;
        for (Offset at = block.around.ptr[row]; at < block.around.ptr[row + 1]; ++at) {
          const Index place = block.around.items[at] / n;
          const int i = block.around.items[at] % n;
          load += element.row(place, i, work, entries);
          for (int j = 0; j < n; ++j) values[entry_slot(view, target.pattern, place, i, j) * step] += entries[j];
        }
        target.b[row] = add ? target.b[row] + load : load;
      }
    });
  });
}

/// nonzeros: every row gathers; `add`: to what is there, else it overwrites.
template <class Form>
void gather_rows(Threads& exec, const BlockData<Host>& block, const Form& form, const Target& target, bool add) {
  if constexpr (forms::has_components<Form>)
    gather_block_rows(exec, block, form, target, add);
  else
    gather_single_rows(exec, block, form, target, add);
}

/// two_pass, first pass: values of places first .. first + count to the buffer, see value_steps().
template <class Form>
void store_cells(Threads& exec, const BlockData<Host>& block, const Form& form, Index first, Index count,
                 double* buffer) {
  Scratch<Workspace> workspaces(exec.count());
  const StoreSinkOf<Form> sink{block.view, buffer, first, forms::has(form, load_value)};
  with_element(block, form, [&](const auto& element) {
    parallel_chunks(exec.count(), count, cells_at_a_time, [&](Offset from, Offset to, int part) {
      each_place(element, sink, first + from, first + to, workspaces.of(part, block.view, block.dim));
    });
  });
}

/// Bytes of fast memory that the values of a partition may take.
template <class Form>
std::size_t partition_bytes(Threads&, const BlockData<Host>&) {
  return 512 * 1024;  // half of a usual second-level cache
}

/// The sum of the values in a list of 16-bit sources to a target of several unknowns a node, see Partitions::targets.
inline void sum_blocks(const BlockValues& values, const std::uint16_t* list, int width, const double* buffer,
                       const Target& target, Index to, double* partials, bool add) {
  const int m = values.components;
  const Offset nnz = target.pattern.col_ind.size();
  // A partial sum of a load cannot be told by its number: its sources can.
  const bool is_load = to < 0 ? list[0] / 2 % values.sources >= values.blocks : to >= nnz;
  double* const out = to < 0    ? partials + Offset{-1 - to} * m * m
                      : is_load ? target.b + (to - nnz) * m
                                : target.values + Offset{to} * m * m;
  for (int c = 0; c < m; ++c)
    for (int d = 0; d < (is_load ? 1 : m); ++d) {
      double sum = 0;
      for (int k = 0; k < width; ++k)
        if (const Index at = list[k * 32]; at != 65535)
          sum += is_load ? values.load(buffer, at, c) : values.block(buffer, at, c, d);
      double& value = out[is_load ? c : c * m + d];
      value = add && to >= 0 ? value + sum : sum;
    }
}

/// shared, first pass: sums within partitions; what partitions share goes to `partials`.
template <class Form>
void sum_partitions(Threads& exec, const BlockData<Host>& block, const Form& form, const Target& target,
                    const Index* row_of, double* partials, bool add) {
  const Partitions<Host>& p = block.partitions;
  const Offset nnz = target.pattern.col_ind.size();
  const bool has_load = forms::has(form, load_value);
  const std::size_t largest = static_cast<std::size_t>(p.largest) * block.view.values();
  Scratch<Workspace> workspaces(exec.count());
  Scratch<std::vector<double>> values_of(exec.count());
  with_element(block, form, [&](const auto& element) {
    parallel_chunks(exec.count(), p.first.size() - 1, 1, [&](Offset part, Offset, int thread) {
      std::vector<double>& values = values_of.of(thread, largest);
      each_place(element, StoreSinkOf<Form>{block.view, values.data(), p.first[part], has_load}, p.first[part],
                 p.first[part + 1], workspaces.of(thread, block.view, block.dim));
      for (Offset t = p.first_target[part]; t < p.first_target[part + 1]; ++t) {
        const Offset local = t - p.first_target[part], slice = p.first_slice[part] + local / 32;
        const std::uint16_t* list = p.lists.data() + p.list_first[slice] + local % 32;
        if (forms::has_components<Form> && block.view.components > 1) {
          sum_blocks(block_values_of(block.view), list, p.widths[slice], values.data(), target, p.targets[t], partials,
                     add);
          continue;
        }
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
  });
}

}  // namespace tessera::assembly
