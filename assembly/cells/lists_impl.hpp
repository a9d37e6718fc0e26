#pragma once
#include <algorithm>
#include <vector>

#include "assembly/cells/block.hpp"
#include "assembly/cells/checks.hpp"
#include "base/parallel.hpp"

namespace tessera::assembly {

/// Classes of reduction lists by width: a target is in the first class that holds its sources, so padding stays small.
inline constexpr int class_count = 32;
inline constexpr int list_slice = 32;

TESSERA_HD inline int width_of_class(int number) {
  if (number <= 8) return number;
  if (number <= 12) return 8 + 2 * (number - 8);
  if (number <= 16) return 16 + 4 * (number - 12);
  if (number <= 20) return 32 + 8 * (number - 16);
  int width = 64;
  for (; number > 20; --number) width *= 2;
  return width;
}

TESSERA_HD inline unsigned char class_of(int sources) {
  int number = 0;
  while (width_of_class(number) < sources) ++number;
  return static_cast<unsigned char>(number);
}

/// Stable sort of all targets 0 .. keys.size() by class; returns the targets in order and the number of each class.
Array<Index, Host> sort_by_class(Threads& exec, const Array<unsigned char, Host>& keys, std::vector<Offset>& counts);
Array<Index, Device> sort_by_class(Cuda& exec, const Array<unsigned char, Device>& keys, std::vector<Offset>& counts);

/// Visits the sources of every target of a row in the order of the places: visit(target, source).
template <class Visit>
TESSERA_HD inline void visit_row(const BlockView& view, const linalg::CrsView<const double>& pattern,
                                 const Offset* around_ptr, const Index* around, Offset row, Index first, Index count,
                                 const ValueSteps& steps, Visit visit) {
  const int n = view.nodes;
  const Offset nnz = pattern.col_ind.size();
  for (Offset k = around_ptr[row]; k < around_ptr[row + 1]; ++k) {
    const Index place = around[k] / n;
    const int i = around[k] % n;
    if (place < first || place >= first + count) continue;
    const Offset base = (place - first) * steps.place;
    for (int j = 0; j < n; ++j) {
      const Offset entry = base + view.entry(i, j) * steps.entry;
      visit(pattern.row_ptr[row] + entry_slot(view, pattern, place, i, j),
            source_of(view, entry, view.symmetric && i > j));
    }
    visit(nnz + row, source_of(view, base + view.load_entry(i) * steps.entry, false));
  }
}

template <class Exec>
void count_sources(Exec& exec, const BlockData<typename Exec::Space>& block,
                   const linalg::CrsView<const double>& pattern, Index first, Index count, View<Index> counts) {
  const BlockView view = block.view;
  const Offset* around_ptr = block.around.ptr.data();
  const Index* around = block.around.items.data();
  const ValueSteps steps = value_steps(block, count);
  for_each(exec, pattern.rows, [=] TESSERA_HD(Offset row) {
    visit_row(view, pattern, around_ptr, around, row, first, count, steps,
              [&](Offset target, Offset) { ++counts[target]; });
  });
}

/// Where the sources of each target begin, and their step is list_slice.
template <class Exec>
void fill_sources(Exec& exec, const BlockData<typename Exec::Space>& block,
                  const linalg::CrsView<const double>& pattern, Index first, Index count, View<const Offset> begin,
                  View<Index> cursor, View<Index> sources) {
  const BlockView view = block.view;
  const Offset* around_ptr = block.around.ptr.data();
  const Index* around = block.around.items.data();
  const ValueSteps steps = value_steps(block, count);
  for_each(exec, pattern.rows, [=] TESSERA_HD(Offset row) {
    visit_row(view, pattern, around_ptr, around, row, first, count, steps, [&](Offset target, Offset source) {
      sources[begin[target] + Offset{cursor[target]++} * list_slice] = static_cast<Index>(source);
    });
  });
}

/// The reduction whose target t has counts[t] sources: classes, targets in their order, and begin[t]. Sources are all
/// -1.
template <class Exec>
Reduction<typename Exec::Space> lay_out_reduction(Exec& exec, const Array<Index, typename Exec::Space>& counts,
                                                  Array<Offset, typename Exec::Space>& begin) {
  using Space = typename Exec::Space;
  const View<const Index> count = counts.view();
  Array<unsigned char, Space> keys(counts.size());
  const View<unsigned char> key = keys.view();
  for_each(exec, counts.size(), [=] TESSERA_HD(Offset t) { key[t] = class_of(count[t]); });
  Reduction<Space> result;
  std::vector<Offset> sizes;
  result.targets = sort_by_class(exec, keys, sizes);
  Offset first_target = 0, first_source = 0;
  begin = Array<Offset, Space>(counts.size());
  const View<Offset> start = begin.view();
  const View<const Index> targets = result.targets.view();
  for (int c = 0; c < class_count; ++c) {
    if (sizes[c] == 0) continue;
    const int width = width_of_class(c);
    result.classes.push_back({width, first_target, sizes[c], first_source});
    const Offset of_class = first_target, of_sources = first_source;
    for_each(exec, sizes[c], [=] TESSERA_HD(Offset t) {
      start[targets[of_class + t]] = of_sources + t / list_slice * list_slice * width + t % list_slice;
    });
    first_target += sizes[c];
    first_source += (sizes[c] + list_slice - 1) / list_slice * list_slice * width;
  }
  result.sources = Array<Index, Space>(first_source);
  const View<Index> sources = result.sources.view();
  for_each(exec, first_source, [=] TESSERA_HD(Offset k) { sources[k] = -1; });
  exec.synchronize();
  return result;
}

template <class Exec>
Reduction<typename Exec::Space> make_reduction_of(Exec& exec, const BlockData<typename Exec::Space>& block,
                                                  const linalg::CrsView<const double>& pattern, Index first,
                                                  Index count) {
  using Space = typename Exec::Space;
  const Offset targets = pattern.col_ind.size() + pattern.rows;
  check_reduction(targets, source_of(block.view, Offset{count} * block.view.entries(), false));
  Array<Index, Space> counts(targets);
  counts.set_zero();
  count_sources(exec, block, pattern, first, count, counts.view());
  Array<Offset, Space> begin;
  Reduction<Space> result = lay_out_reduction(exec, counts, begin);
  counts.set_zero();
  fill_sources(exec, block, pattern, first, count, begin.view(), counts.view(), result.sources.view());
  exec.synchronize();
  return result;
}

/// Reduction of partial sums k = 0, 1, ... that belong to the targets given; other targets are left alone.
template <class Exec>
Reduction<typename Exec::Space> make_partial_reduction_of(Exec& exec, const std::vector<Index>& target_of_partial,
                                                          Offset targets) {
  using Space = typename Exec::Space;
  check_reduction(targets, static_cast<Offset>(target_of_partial.size()));
  std::vector<Index> counts(static_cast<std::size_t>(targets), 0);
  for (const Index target : target_of_partial) ++counts[target];
  Array<Offset, Space> begin;
  Reduction<Space> result = lay_out_reduction(exec, to_space<Space>(counts), begin);
  std::erase_if(result.classes, [](const auto& part) { return part.width == 0; });
  const std::vector<Offset> first = to_vector(begin);
  std::vector<Index> sources(static_cast<std::size_t>(result.sources.size()), -1);
  std::fill(counts.begin(), counts.end(), 0);
  for (std::size_t k = 0; k < target_of_partial.size(); ++k) {
    const Index target = target_of_partial[k];
    sources[first[target] + Offset{counts[target]++} * list_slice] = static_cast<Index>(k);
  }
  result.sources = to_space<Space>(sources);
  return result;
}

template <class Exec>
void reduce_values_of(Exec& exec, const Reduction<typename Exec::Space>& reduction, const double* buffer,
                      const Target& target, const Index* row_of, bool add) {
  const Offset nnz = target.pattern.col_ind.size();
  const Index* targets = reduction.targets.data();
  const Index* sources = reduction.sources.data();
  for (const auto& part : reduction.classes) {
    if (add && part.width == 0) continue;
    const int width = part.width;
    const Offset first_target = part.first_target, first_source = part.first_source;
    for_each(exec, part.count, [=] TESSERA_HD(Offset t) {
      const Index* source = sources + first_source + t / list_slice * list_slice * width + t % list_slice;
      double sum = 0;
      for (int k = 0; k < width; ++k) {
        const Index at = source[k * list_slice];
        if (at >= 0) sum += buffer[at];
      }
      double* to = target_of(target, row_of, nnz, targets[first_target + t]);
      *to = add ? *to + sum : sum;
    });
  }
}

template <class Exec>
void reduce_blocks_of(Exec& exec, const Reduction<typename Exec::Space>& reduction, const double* buffer,
                      const BlockValues& values, const Target& target, bool add) {
  const Offset nnz = target.pattern.col_ind.size();
  const Index* targets = reduction.targets.data();
  const Index* sources = reduction.sources.data();
  const int m = values.components, size = m * m;
  double* const to_values = target.values;
  double* const to_b = target.b;
  for (const auto& part : reduction.classes) {
    if (add && part.width == 0) continue;
    const int width = part.width;
    const Offset first_target = part.first_target, first_source = part.first_source;
    for_each(exec, part.count * size, [=] TESSERA_HD(Offset item) {
      const Offset t = item / size;
      const int c = static_cast<int>(item % size) / m, d = static_cast<int>(item % size) % m;
      const Index* source = sources + first_source + t / list_slice * list_slice * width + t % list_slice;
      const Index of = targets[first_target + t];
      if (of >= nnz && d > 0) return;
      double sum = 0;
      for (int k = 0; k < width; ++k)
        if (const Index at = source[k * list_slice]; at >= 0)
          sum += of < nnz ? values.block(buffer, at, c, d) : values.load(buffer, at, c);
      double* to = of < nnz ? to_values + Offset{of} * size + c * m + d : to_b + (of - nnz) * m + c;
      *to = add ? *to + sum : sum;
    });
  }
}

}  // namespace tessera::assembly
