#pragma once
// What transfers between orders are made of; each backend applies it in its own way.
#include "base/array.hpp"
#include "base/backend.hpp"

namespace tessera::assembly::orders {

/// The entries of a vector of all rows that a rank sees: those of its own, and behind them the ghosts.
template <class T>
struct SeenVector {
  const T* own = nullptr;
  const T* ghosts = nullptr;
  Index owned = 0;
  TESSERA_HD T operator[](Index row) const { return row < owned ? own[row] : ghosts[row - owned]; }
};

/// Cells of a block as a kernel sees them, each component of a cell as an item of its own. Nodes of an item lie on a
/// lattice of `axes` axes, the first one fastest: that of quads and hexes, or all of them on one axis.
struct ItemsView {
  Offset items = 0;
  int axes = 1;
  int high = 0, low = 0;              ///< nodes along an axis
  int high_nodes = 0, low_nodes = 0;  ///< of an item
  const double* axis = nullptr;       ///< M, see below, on the host
  const Index* owned = nullptr;       ///< [items, high_nodes] rows that take their values from the item, else -1
  Index written = 0;                  ///< rows of the higher order that this rank owns, the first ones
  const Index* rows = nullptr;        ///< [items, low_nodes] rows of the lower order, -1 where they are fixed
  Offset first = 0;                   ///< entry of the item vector where [items, low_nodes] of this block begin
};

// M of one axis, [high, low]: the lower basis functions at the nodes of the higher ones. Both functions exist for
// Threads and Cuda, in double and float.

/// x at the rows that an item and this rank own += its interpolation of y.
template <class Exec, class T>
void prolong(Exec& exec, const ItemsView& block, const T* M, SeenVector<T> y, T* x);
/// values [entries of the item vector] = what each item makes of r at the rows that it owns: the transpose.
template <class Exec, class T>
void gather(Exec& exec, const ItemsView& block, const T* M, SeenVector<T> r, T* values);

}  // namespace tessera::assembly::orders
