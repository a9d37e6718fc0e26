#pragma once
// Every strategy of assembly, a struct each:
//   entry                                      what users read of it
//   adds                                       whether it adds to values zeroed before; else it overwrites all of them
//   sums_lists                                 whether it needs the row of every non-zero where the layout is another
//                                              than that of the pattern
//   order(exec, state, b, ...)                 the order of processing of a block, before there is a pattern
//   wants_slots(block)                         whether it looks up where entries go by slots
//   prepare(exec, state, b, pattern, threads)  its lists among those of BlockData, once there is one
//   refill(exec, state, block, form, target, row_of, add)
// A new one is a struct, a line in `Strategies`, and what its numeric steps are on each backend:
// strategies_threads.hpp, and the kernels that instantiate_cuda.cuh includes.
#include <tuple>

#include "assembly/cells/partition_setup.hpp"

namespace tessera::assembly {

/// Second pass of two_pass and shared.
template <class Exec>
void finish_values(Exec& exec, const Reduction<typename Exec::Space>& reduction, const double* buffer,
                   const BlockValues& values, const Target& target, const Index* row_of, bool add) {
  if (values.components > 1)
    reduce_blocks(exec, reduction, buffer, values, target, add);
  else
    reduce_values(exec, reduction, buffer, target, row_of, add);
}

/// Cells in their natural order, slots where rows are not too long, no lists: what a strategy does that says nothing
/// else.
struct PlainStrategy {
  static constexpr bool adds = false, sums_lists = false;

  template <class Exec, class PartitionBytes>
  static void order(Exec& exec, AssemblerState<typename Exec::Space>& state, std::size_t b, PartitionBytes, int) {
    place_cells(exec, state.mesh->blocks[b], state.map->blocks[b], {}, state.blocks[b]);
  }
  template <class Space>
  static bool wants_slots(const BlockData<Space>&) {
    return true;
  }
  template <class Exec>
  static void prepare(Exec&, AssemblerState<typename Exec::Space>&, std::size_t, const linalg::CrsView<const double>&,
                      int) {}
};

struct Nonzeros : PlainStrategy {
  static constexpr StrategyEntry entry{
      Strategy::nonzeros, "nonzeros",
      "every row gathers the contributions of its cells, computed again for each row; no synchronisation", true};

  /// Simplices that a lane a row gathers have slots in their own lists.
  template <class Space>
  static bool wants_slots(const BlockData<Space>& block) {
    return !std::is_same_v<Space, Device> || !block.is_linear_simplex() || block.block_rows;
  }
  template <class Exec>
  static void prepare(Exec& exec, AssemblerState<typename Exec::Space>& state, std::size_t b,
                      const linalg::CrsView<const double>& pattern, int) {
    make_row_lists(exec, state.blocks[b], pattern);
  }
  template <class Exec, class Form>
  static void refill(Exec& exec, AssemblerState<typename Exec::Space>&, const BlockData<typename Exec::Space>& block,
                     const Form& form, const Target& target, const Index*, bool add) {
    gather_rows(exec, block, form, target, add);
  }
};

struct Colour : PlainStrategy {
  static constexpr bool adds = true;
  static constexpr StrategyEntry entry{
      Strategy::colour, "colour", "cells of one colour share no dof and are added in parallel, colour after colour",
      true};

  template <class Exec, class PartitionBytes>
  static void order(Exec& exec, AssemblerState<typename Exec::Space>& state, std::size_t b, PartitionBytes, int) {
    order_cells(exec, state.mesh->blocks[b], state.map->blocks[b], state.map->dofs, state.blocks[b]);
    state.report.colours += static_cast<int>(state.blocks[b].colour_ptr.size()) - 1;
  }
  template <class Exec, class Form>
  static void refill(Exec& exec, AssemblerState<typename Exec::Space>&, const BlockData<typename Exec::Space>& block,
                     const Form& form, const Target& target, const Index*, bool) {
    add_colours(exec, block, form, target);
  }
};

struct ColourBlocks : PlainStrategy {
  static constexpr bool adds = true;
  static constexpr StrategyEntry entry{Strategy::colour_blocks, "colour_blocks",
                                       "blocks of neighbouring cells are coloured instead of cells, for locality", true,
                                       true};

  template <class Exec, class PartitionBytes>
  static void order(Exec& exec, AssemblerState<typename Exec::Space>& state, std::size_t b, PartitionBytes,
                    int threads) {
    // On a GPU a block of threads takes a partition's colours one by one: large elements fill it with few cells.
    const bool on_gpu = std::is_same_v<typename Exec::Space, Device>;
    const Index tuned = !on_gpu ? 512 : state.blocks[b].view.values() <= 20 ? 1024 : 64;
    partition_block(exec, state, b, state.options.partition_size > 0 ? state.options.partition_size : tuned, true,
                    threads);
  }
  template <class Exec, class Form>
  static void refill(Exec& exec, AssemblerState<typename Exec::Space>&, const BlockData<typename Exec::Space>& block,
                     const Form& form, const Target& target, const Index*, bool) {
    add_partitions(exec, block, form, target);
  }
};

struct Atomic : PlainStrategy {
  static constexpr bool adds = true;
  static constexpr StrategyEntry entry{
      Strategy::atomic, "atomic",
      "all cells at once with atomic additions; sums differ in the last bits from run to run", false};

  template <class Exec, class Form>
  static void refill(Exec& exec, AssemblerState<typename Exec::Space>&, const BlockData<typename Exec::Space>& block,
                     const Form& form, const Target& target, const Index*, bool) {
    add_atomically(exec, block, form, target);
  }
};

struct TwoPass : PlainStrategy {
  static constexpr bool sums_lists = true;
  static constexpr StrategyEntry entry{Strategy::two_pass, "two_pass",
                                       "element matrices are written, then each non-zero sums its own in a fixed order",
                                       true};

  template <class Exec>
  static void prepare(Exec& exec, AssemblerState<typename Exec::Space>& state, std::size_t b,
                      const linalg::CrsView<const double>& pattern, int) {
    make_reductions(exec, state, state.blocks[b], pattern);
    state.blocks[b].slots = {}, state.blocks[b].view.slots = nullptr;  // reductions name positions
  }
  template <class Exec, class Form>
  static void refill(Exec& exec, AssemblerState<typename Exec::Space>& state,
                     const BlockData<typename Exec::Space>& block, const Form& form, const Target& target,
                     const Index* row_of, bool add) {
    double* const buffer = state.buffer.data();
    for (std::size_t range = 0; range < block.reductions.size(); ++range) {
      const Index first = block.range_first[range];
      store_cells(exec, block, form, first, block.range_first[range + 1] - first, buffer);
      finish_values(exec, block.reductions[range], buffer, block_values_of(block.view), target, row_of,
                    add || range > 0);
    }
  }
};

struct Shared : PlainStrategy {
  static constexpr bool sums_lists = true;
  static constexpr StrategyEntry entry{
      Strategy::shared, "shared",
      "partitions are summed in fast memory; what partitions share is summed in a second pass", true, true};

  template <class Exec, class PartitionBytes>
  static void order(Exec& exec, AssemblerState<typename Exec::Space>& state, std::size_t b,
                    PartitionBytes partition_bytes, int threads) {
    decide_columns(exec, state.blocks[b]);
    const Index size = shared_partition_size<Exec>(state, state.blocks[b], partition_bytes(exec, state.blocks[b]));
    partition_block(exec, state, b, size, false, threads);
  }
  template <class Space>
  static bool wants_slots(const BlockData<Space>&) {
    return false;  // its lists name positions
  }
  template <class Exec>
  static void prepare(Exec& exec, AssemblerState<typename Exec::Space>& state, std::size_t b,
                      const linalg::CrsView<const double>& pattern, int threads) {
    make_shared_lists(exec, state, b, pattern, threads);
  }
  template <class Exec, class Form>
  static void refill(Exec& exec, AssemblerState<typename Exec::Space>& state,
                     const BlockData<typename Exec::Space>& block, const Form& form, const Target& target,
                     const Index* row_of, bool add) {
    double* const partials = state.buffer.data();
    sum_partitions(exec, block, form, target, row_of, partials, add);
    finish_values(exec, block.partitions.finish, partials, {.components = block.view.components}, target, row_of, add);
  }
};

using Strategies = std::tuple<Nonzeros, Colour, ColourBlocks, Atomic, TwoPass, Shared>;

/// Calls f(strategy) with the struct that an enumerator stands for.
template <class F>
void with_strategy(Strategy strategy, F f) {
  std::apply([&](auto... each) { ((each.entry.strategy == strategy ? f(each) : void()), ...); }, Strategies{});
}

}  // namespace tessera::assembly
