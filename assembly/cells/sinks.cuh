#pragma once
// Where the values of an element go on CUDA. An element type computes the values of one cell with `lanes` threads and
// hands them to a sink: entry(place, i, j, value), with i <= j where its matrices are symmetric, and load(place, i,
// value).
#include "assembly/cells/block.hpp"
#include "assembly/cells/shared_memory.hpp"

namespace tessera::assembly::kernels {

/// Coordinates of a partition in shared memory, [its nodes, 3]; a cell's nodes by local number.
struct LocalGeometry {
  const double* coordinates;
  const std::uint16_t* local;
  Offset step;  ///< between the nodes of a cell
  __device__ const double* point(Offset place, int g) const { return coordinates + 3 * local[place + g * step]; }
};

/// Adds to a number that others may be adding to at the same time, or plainly.
__device__ inline void add_value(double* to, double value, bool atomic) {
  if (atomic)
    atomicAdd(to, value);
  else
    *to += value;
}

/// Adds into the matrix: plainly, where cells at work at the same time share no dof, or with atomics, in no fixed
/// order.
template <bool symmetric>
struct AddSink {
  static constexpr bool wants_every_value = false;
  BlockView block;
  Target target;
  bool atomic;

  __device__ void add(double* to, double value) const { add_value(to, value, atomic); }
  __device__ void entry(Offset place, int i, int j, double value) const {
    add(target.values + target_position(block, target, place, i, j), value);
    if (symmetric && i != j) add(target.values + target_position(block, target, place, j, i), value);
  }
  __device__ void load(Offset place, int i, double value) const { add(target.b + block.dof(place, i), value); }
};

/// Writes the values in the order of BlockView::entry(), in global or shared memory.
template <bool symmetric>
struct StoreSink {
  static constexpr bool wants_every_value = true;
  double* buffer;
  Offset place_step, entry_step;
  Offset first;  ///< place at the beginning of the buffer
  int nodes;

  __device__ void entry(Offset place, int i, int j, double value) const {
    buffer[(place - first) * place_step + entry_number(symmetric, i, j, nodes) * entry_step] = value;
  }
  __device__ void load(Offset place, int i, double value) const {
    buffer[(place - first) * place_step + (entry_count(symmetric, nodes) + i) * entry_step] = value;
  }
};

/// A whole element of n dofs to a sink.
template <int n, bool symmetric, class Sink>
__device__ void hand_over(const Sink& sink, Offset place, const double (&matrix)[entry_count(symmetric, n)],
                          const double (&loads)[n], bool has_load) {
#pragma unroll
  for (int i = 0; i < n; ++i)
#pragma unroll
    for (int j = symmetric ? i : 0; j < n; ++j) sink.entry(place, i, j, matrix[entry_number(symmetric, i, j, n)]);
  if (has_load || Sink::wants_every_value)
    for (int i = 0; i < n; ++i) sink.load(place, i, loads[i]);
}
/// Plain additions: all reads before all writes, for the entries are distinct, and so the loads overlap.
template <int n, bool symmetric>
__device__ void hand_over(const AddSink<symmetric>& sink, Offset place,
                          const double (&matrix)[entry_count(symmetric, n)], const double (&loads)[n], bool has_load) {
  double* at[n * n];
  double sum[n * n];
  for (int i = 0; i < n; ++i) {
    double* row = sink.target.values + sink.target.layout.first(sink.block.dof(place, i));
    for (int j = 0; j < n; ++j)
      at[i * n + j] = row + sink.block.slots[place * sink.block.slot_stride + (i * n + j) * sink.block.slot_step] *
                                sink.target.layout.step();
  }
  if (sink.atomic) {
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) atomicAdd(at[i * n + j], matrix[entry_number(symmetric, i, j, n)]);
  } else {
    for (int e = 0; e < n * n; ++e) sum[e] = *at[e];
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) sum[i * n + j] += matrix[entry_number(symmetric, i, j, n)];
    for (int e = 0; e < n * n; ++e) *at[e] = sum[e];
  }
  if (has_load)
    for (int i = 0; i < n; ++i) sink.load(place, i, loads[i]);
}

}  // namespace tessera::assembly::kernels
