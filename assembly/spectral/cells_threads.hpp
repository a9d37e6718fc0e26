#pragma once
// The cells of a block on the host, batch by batch. Sources that include it are compiled with -Wno-psabi, as
// lanes_threads.hpp says.
#include <memory>

#include "assembly/spectral/batch_threads.hpp"
#include "assembly/spectral/gather_impl.hpp"
#include "base/parallel.hpp"

namespace tessera::assembly::spectral {
namespace host {

/// The numbers of a node in the element vector.
template <int C, class T>
struct Entry {
  using V [[gnu::vector_size(entry_size(C) * sizeof(T))]] = T;
  V of;

  explicit Entry(const T* from) { std::memcpy(&of, from, sizeof(of)); }
  void add(const T* from) { of += Entry(from).of; }
  void give(T* to) const { std::memcpy(to, &of, sizeof(of)); }
  T operator[](int c) const { return of[c]; }
};
/// One number is no vector: compilers pass a vector of one through memory, twice a sum.
template <class T>
struct Entry<1, T> {
  T of;

  explicit Entry(const T* from) : of(*from) {}
  void add(const T* from) { of += *from; }
  void give(T* to) const { *to = of; }
  T operator[](int) const { return of; }
};

/// What loops over nodes bring near before its turn: the numbers of the node so many places on.
inline constexpr int nodes_ahead = 16;

/// The force of a node goes where it belongs; `leaps`: to v and u.
template <int C, bool leaps, class T>
inline void move_node(const Target<T>& target, Index dof, const Entry<C, T>& force) {
  const Offset row = Offset{dof} * C;
  const T scale = target.scale[dof];
  for (int c = 0; c < C; ++c) {
    if constexpr (leaps) {
      const T moved = target.v[row + c] + target.kick * (scale * force[c]);
      target.v[row + c] = moved;
      target.u[row + c] += target.drift * moved;
    } else {
      target.to[row + c] = scale * force[c];
    }
  }
}
template <int C, bool leaps, class T>
inline void bring_node(const Target<T>& target, Index dof) {
  const Offset row = Offset{dof} * C;
  __builtin_prefetch(target.scale + dof);
  __builtin_prefetch((leaps ? target.u : target.to) + row, 1);
  if constexpr (leaps) __builtin_prefetch(target.v + row, 1);
}

/// The sum of the forces of the cells of a patch at a node, in the order of its places.
template <int C, class T, class Lists>
inline Entry<C, T> sum_of_places(const Lists& lists, int node, const T* forces) {
  int k = lists.first[node];
  const int last = lists.first[node + 1];
  Entry<C, T> sum(forces + lists.addresses[k] * entry_size(C));
  while (++k < last) sum.add(forces + lists.addresses[k] * entry_size(C));
  return sum;
}

/// Moves the nodes that no other patch has, and gives the sums of the others to the element vector.
template <int C, bool leaps, class T>
void add_up_patch(const Patch patch, const Index* words, int places, const T* forces, T* elements,
                  const Target<T> target) {
  const PatchLists<const Index> lists(words + patch.words, places, patch.nodes);
  for (int node = 0; node < patch.own; ++node) {
    bring_node<C, leaps>(target, lists.rows[std::min(node + nodes_ahead, patch.own - 1)]);
    move_node<C, leaps>(target, lists.rows[node], sum_of_places<C>(lists, node, forces));
  }
  T* const behind = elements + Offset{patch.outer - patch.own} * entry_size(C);
  for (int node = patch.own; node < patch.nodes; ++node)
    sum_of_places<C>(lists, node, forces).give(behind + Offset{node} * entry_size(C));
}

/// The sums of the entries of nodes that have `each`, 0: as many as the list has, to where forces go.
template <int C, int each, bool leaps, class T>
void gather_nodes(Threads& exec, const GatherView& list, const T* elements, const Target<T>& target) {
  parallel_ranges(exec.count(), list.nodes, [&](Offset first, Offset last, int) {
    const Target<T> to = target;
    const int entries = each > 0 ? each : list.each;
    const auto entry = [&](Offset node, int k) {
      return elements + Offset{list.entries[k * Offset{list.nodes} + node]} * entry_size(C);
    };
    for (Offset node = first; node < last; ++node) {
      const Offset later = std::min(node + nodes_ahead, last - 1);
      bring_node<C, leaps>(to, list.rows[later]);
      for (int k = 0; k < entries; ++k) __builtin_prefetch(entry(later, k));
      Entry<C, T> sum(entry(node, 0));
      for (int k = 1; k < entries; ++k) sum.add(entry(node, k));
      move_node<C, leaps>(to, list.rows[node], sum);
    }
  });
}

/// The forces of all cells of a block; make_batch() gives a thread its batch (Batch).
template <class Cells, class T, class MakeBatch>
void apply_batches(Threads& exec, const BlockView<T>& block, const T* u, T* elements, const Target<T>& target,
                   MakeBatch make_batch) {
  constexpr int W = Cells::W, N = Cells::N, C = Cells::C, size = entry_size(C);
  constexpr int together = cells_of_patch(Cells::dimensions, N, entry_size(C), sizeof(T));
  struct Forces {
    alignas(64) T of[together * N * size];
  };
  T* const out = elements + block.first * size;
  const auto force = [&](Cells& batch, Offset number, T* to, bool all_lanes) {
    batch.begin(number);
    batch.take_values(u);
    batch.apply();
    batch.give_forces(to, all_lanes);
  };
  if (!block.patches.patches) {
    parallel_ranges(exec.count(), (block.cells + W - 1) / W, [&](Offset first, Offset last, int) {
      const auto batch = make_batch();
      for (Offset b = first; b < last; ++b) force(*batch, b, out + b * W * N * size, false);
    });
    return;
  }
  parallel_ranges(exec.count(), (block.cells + together - 1) / together, [&](Offset first, Offset last, int) {
    const auto batch = make_batch();
    const auto forces = std::make_unique_for_overwrite<Forces>();
    for (Offset p = first; p < last; ++p) {
      const Offset batches = (std::min<Offset>(together, block.cells - p * together) + W - 1) / W;
      for (Offset b = 0; b < batches; ++b) force(*batch, p * (together / W) + b, forces->of + b * W * N * size, true);
      const auto add_up = target.v ? add_up_patch<C, true, T> : add_up_patch<C, false, T>;
      add_up(block.patches.patches[p], block.patches.words, together * N, forces->of, out, target);
    }
  });
}

template <int n, int dim, class Law, class T>
void apply_block(Threads& exec, const Rule& rule, const BlockView<T>& block, const T* u, T* elements,
                 const Target<T>& target) {
  using Cells = Batch<n, dim, Law, T>;
  const FoldedLine<n, T> line(rule);
  apply_batches<Cells>(exec, block, u, elements, target, [&] { return std::make_unique<Cells>(block, line); });
}

}  // namespace host

/// The element vector has the forces -K u of the nodes of cells. Of patches it has their sums at nodes that others
/// have, too, and the target those of all others.
template <class Law, class T>
void apply_cells(Threads& exec, const Rule& rule, const BlockView<T>& block, const T* u, T* elements,
                 const Target<T>& target) {
  on_lattice(block.dim, block.n,
             [&](auto dim, auto n) { host::apply_block<n(), dim(), Law>(exec, rule, block, u, elements, target); });
}
/// The sums of the nodes of some lists: of those that have entries and are not held node by node.
template <int C, class T>
void add_up_lists(Threads& exec, std::span<const GatherView> lists, const SumOfNode<C, T>& add_up) {
  for (const GatherView& list : lists) {
    if (list.each == 0 || add_up.holds(list)) {
      for_each(exec, Offset{list.nodes} * C,
               [&](Offset i) { add_up(list, static_cast<Index>(i / C), static_cast<int>(i % C)); });
      continue;
    }
    const auto gather = [&](auto each) {
      const auto run =
          add_up.target.v ? host::gather_nodes<C, each(), true, T> : host::gather_nodes<C, each(), false, T>;
      run(exec, list, add_up.elements, add_up.target);
    };
    if (list.each == 2)
      gather(std::integral_constant<int, 2>());
    else if (list.each == 4)
      gather(std::integral_constant<int, 4>());
    else
      gather(std::integral_constant<int, 0>());
  }
}
template <class Law, class T>
PatchLayout patch_layout(Threads&, int dim, int n) {
  return patch_layout_of_threads(dim, n, Law::components(dim), sizeof(T));
}

}  // namespace tessera::assembly::spectral
