// Cells around rows and reduction lists on threads.
#include "assembly/cells/lists_impl.hpp"

namespace tessera::assembly {

Lists<Host> cells_around(Threads&, const BlockData<Host>& block, Index rows) {
  const Offset entries = Offset{block.cells} * block.view.nodes;
  check_reduction(0, entries);
  Lists<Host> result{Array<Offset>(Offset{rows} + 1), Array<Index>(entries)};
  result.ptr.set_zero();
  const int n = block.view.nodes;
  for (Offset k = 0; k < entries; ++k) ++result.ptr[block.view.dof(k / n, static_cast<int>(k % n)) + 1];
  for (Index row = 0; row < rows; ++row) result.ptr[row + 1] += result.ptr[row];
  std::vector<Offset> next(result.ptr.begin(), result.ptr.end());
  for (Offset k = 0; k < entries; ++k)
    result.items[next[block.view.dof(k / n, static_cast<int>(k % n))]++] = static_cast<Index>(k);
  return result;
}

Array<Index, Host> sort_by_class(Threads&, const Array<unsigned char, Host>& keys, std::vector<Offset>& counts) {
  counts.assign(class_count, 0);
  for (const unsigned char key : keys) ++counts[key];
  std::vector<Offset> next(class_count, 0);
  for (int c = 1; c < class_count; ++c) next[c] = next[c - 1] + counts[c - 1];
  Array<Index, Host> targets(keys.size());
  for (Offset t = 0; t < keys.size(); ++t) targets[next[keys[t]]++] = static_cast<Index>(t);
  return targets;
}

Reduction<Host> make_reduction(Threads& exec, const BlockData<Host>& block,
                               const linalg::CrsView<const double>& pattern, Index first, Index count) {
  return make_reduction_of(exec, block, pattern, first, count);
}

Reduction<Host> make_partial_reduction(Threads& exec, const std::vector<Index>& target_of_partial, Offset targets) {
  return make_partial_reduction_of(exec, target_of_partial, targets);
}

void reduce_values(Threads& exec, const Reduction<Host>& reduction, const double* buffer, const Target& target,
                   const Index* row_of, bool add) {
  reduce_values_of(exec, reduction, buffer, target, row_of, add);
}

void reduce_blocks(Threads& exec, const Reduction<Host>& reduction, const double* buffer, const BlockValues& values,
                   const Target& target, bool add) {
  reduce_blocks_of(exec, reduction, buffer, values, target, add);
}

}  // namespace tessera::assembly
