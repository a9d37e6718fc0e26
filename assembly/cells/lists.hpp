#pragma once
// Cells around rows, and sums of values of a buffer in a fixed order.
#include <vector>

#include "assembly/cells/view.hpp"
#include "base/array.hpp"
#include "base/backend.hpp"

namespace tessera::assembly {

/// A list of lists: those of row i are items[ptr[i] .. ptr[i+1]).
template <class Space>
struct Lists {
  Array<Offset, Space> ptr;
  Array<Index, Space> items;
  std::size_t bytes() const { return ptr.bytes() + items.bytes(); }
};

/// Sums of values of a buffer in a fixed order: target t of a class sums the class's `width` sources
/// sources[first_source + (t / 32 * width + k) * 32 + t % 32], k < width; -1 is padding. So lists are read coalesced,
/// and padded to the width of their class only. A target is a position in CRS, or nnz + row for an entry of the vector.
/// Source: Markall et al. 2013; Goeddeke et al., section 9.4.1 ("reduction lists").
template <class Space>
struct Reduction {
  struct Class {
    int width;
    Offset first_target, count, first_source;
  };
  std::vector<Class> classes;
  Array<Index, Space> targets;
  Array<Index, Space> sources;
  std::size_t bytes() const { return targets.bytes() + sources.bytes(); }
};

/// How values of several unknowns a node stand in a buffer. Element p of `sources` entries has its blocks [components,
/// components], then its loads [components]; entry e of it is the source 2 (p sources + e), and 1 more where the block
/// is to be transposed.
struct BlockValues {
  int components = 1;
  int sources = 0;    ///< entries of an element; 0: the buffer has sums of blocks, and source k is the k-th
  int blocks = 0;     ///< those of its matrix
  Offset values = 0;  ///< numbers of an element

  TESSERA_HD double block(const double* buffer, Index source, int c, int d) const {
    if (sources == 0) return buffer[Offset{source} * components * components + c * components + d];
    const Index entry = source / 2;
    const double* of = buffer + entry / sources * values + Offset{entry % sources} * components * components;
    return source % 2 ? of[d * components + c] : of[c * components + d];
  }
  TESSERA_HD double load(const double* buffer, Index source, int c) const {
    if (sources == 0) return buffer[Offset{source} * components * components + c];
    const Index entry = source / 2;
    return buffer[entry / sources * values + Offset{blocks} * components * components +
                  (entry % sources - blocks) * components + c];
  }
};
inline BlockValues block_values_of(const BlockView& view) {
  return {view.components, view.entries(), entry_count(view.symmetric, view.nodes), view.values()};
}
/// The source that stands for an entry among the values of elements, in numbers where there is one unknown a node.
TESSERA_HD inline Offset source_of(const BlockView& view, Offset entry, bool transposed) {
  return view.components == 1 ? entry : 2 * entry + (transposed ? 1 : 0);
}

template <class Space>
struct BlockData;

/// The cells around each row: place * nodes + local number, ascending.
Lists<Host> cells_around(Threads& exec, const BlockData<Host>& block, Index rows);
Lists<Device> cells_around(Cuda& exec, const BlockData<Device>& block, Index rows);

/// two_pass and shared, second pass: the sums of a reduction; `add`: to what is there. `row_of` serves layouts other
/// than CRS.
void reduce_values(Threads& exec, const Reduction<Host>& reduction, const double* buffer, const Target& target,
                   const Index* row_of, bool add);
void reduce_values(Cuda& exec, const Reduction<Device>& reduction, const double* buffer, const Target& target,
                   const Index* row_of, bool add);
/// The same of several unknowns a node, into block rows.
void reduce_blocks(Threads& exec, const Reduction<Host>& reduction, const double* buffer, const BlockValues& values,
                   const Target& target, bool add);
void reduce_blocks(Cuda& exec, const Reduction<Device>& reduction, const double* buffer, const BlockValues& values,
                   const Target& target, bool add);
/// Reduction of the values of places first .. first + count, in the order of the places.
Reduction<Host> make_reduction(Threads& exec, const BlockData<Host>& block,
                               const linalg::CrsView<const double>& pattern, Index first, Index count);
Reduction<Device> make_reduction(Cuda& exec, const BlockData<Device>& block,
                                 const linalg::CrsView<const double>& pattern, Index first, Index count);
/// Reduction of partial sums k = 0, 1, ... that belong to the targets given; other targets are left alone.
Reduction<Host> make_partial_reduction(Threads& exec, const std::vector<Index>& target_of_partial, Offset targets);
Reduction<Device> make_partial_reduction(Cuda& exec, const std::vector<Index>& target_of_partial, Offset targets);

/// Throws Error(memory) where the targets or sources of a reduction exceed 32-bit numbers.
void check_reduction(Offset targets, Offset sources);

}  // namespace tessera::assembly
