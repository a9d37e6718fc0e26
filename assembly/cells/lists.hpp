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
/// sources[first_source + (t / 32 * width + k) * 32 + t % 32], k < width; -1 is padding. So lists are read coalesced, and padded to
/// the width of their class only. A target is a position in CRS, or nnz + row for an entry of the vector.
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

template <class Space>
struct BlockData;

/// The cells around each row: place * nodes + local number, ascending.
Lists<Host> cells_around(Threads& exec, const BlockData<Host>& block, Index rows);
Lists<Device> cells_around(Cuda& exec, const BlockData<Device>& block, Index rows);

/// two_pass and shared, second pass: the sums of a reduction; `add`: to what is there. `row_of` serves layouts other than CRS.
void reduce_values(Threads& exec, const Reduction<Host>& reduction, const double* buffer, const Target& target,
                   const Index* row_of, bool add);
void reduce_values(Cuda& exec, const Reduction<Device>& reduction, const double* buffer, const Target& target,
                   const Index* row_of, bool add);
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
