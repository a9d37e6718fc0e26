#pragma once
#include <cstdint>

#include "base/types.hpp"

namespace tessera::assembly {

/// The simplices around a vertex as a strip. Each has `dim` other vertices, numbered by their column in the row of the
/// vertex. `dim` vertices are held, oldest first; a step pushes a vertex and drops an older one, and then the held ones
/// and the vertex of the row are a cell. So neighbouring cells share all but one vertex, and what was computed of it.
/// Where the strip cannot go on to a cell that is left, vertices are pushed without a cell. What a step drops: in 3-D
/// the first or the second held vertex, as its bit says; in 2-D and 1-D the first.
///
/// A step in 16 bits: column, then the bits below.
constexpr int strip_column_bits = 10;
constexpr std::uint16_t strip_column = (1 << strip_column_bits) - 1;  ///< no column has this number
constexpr std::uint16_t strip_drops_second = 1 << strip_column_bits;
constexpr std::uint16_t strip_no_cell = 2 << strip_column_bits;
/// Most cells around a vertex that a strip takes.
constexpr int most_strip_cells = 128;

/// The other vertices of a cell, by column.
template <int dim>
struct StripCell {
  std::uint32_t columns = 0;

  TESSERA_HD int vertex(int a) const { return static_cast<int>(columns >> (strip_column_bits * a)) & strip_column; }
  TESSERA_HD void set(int a, int column) { columns |= static_cast<std::uint32_t>(column) << (strip_column_bits * a); }
  TESSERA_HD bool has(int column) const {
    for (int a = 0; a < dim; ++a)
      if (vertex(a) == column) return true;
    return false;
  }
  TESSERA_HD int shared_with(const StripCell& other) const {
    int shared = 0;
    for (int a = 0; a < dim; ++a) shared += other.has(vertex(a));
    return shared;
  }
};

/// Walks the cells around a vertex. Greedy: the next cell is one that takes the fewest pushes, and among those the one
/// with the fewest neighbours left, for it may soon have none.
template <int dim>
struct StripWalk {
  StripCell<dim> cells[most_strip_cells];
  std::uint8_t left[most_strip_cells];  ///< neighbours not walked yet; `walked` where the cell is
  int count = 0;
  int held[dim];
  static constexpr std::uint8_t walked = 255;

  TESSERA_HD void add(const StripCell<dim>& cell) { cells[count++] = cell; }

  /// Calls push(cell, word) for every step, the first dim - 1 of them without a cell; cell: number in the order of add,
  /// or -1. Returns the number of steps. O(count^2).
  template <class Push>
  TESSERA_HD int walk(Push push) {
    for (int a = 0; a < dim; ++a) held[a] = strip_column;
    for (int i = 0; i < count; ++i) {
      left[i] = 0;
      for (int j = 0; j < count; ++j) left[i] += j != i && neighbours(i, j);
    }
    int steps = 0;
    for (int done = 0; done < count; ++done) {
      const int next = best_next();
      steps += go_to(next, push);
      left[next] = walked;
      for (int j = 0; j < count; ++j)
        if (left[j] != walked && neighbours(next, j)) --left[j];
    }
    return steps;
  }

 private:
  static constexpr int second = dim > 1 ? dim - 2 : 0;

  TESSERA_HD bool neighbours(int i, int j) const { return cells[i].shared_with(cells[j]) == dim - 1; }

  /// Pushes without a cell before the one that makes this cell.
  TESSERA_HD int extra_pushes(const StripCell<dim>& cell) const {
    if (dim == 1) return 0;
    const bool newest = cell.has(held[dim - 1]);
    if (dim == 2) return newest ? 0 : 1;
    const bool older = cell.has(held[0]) || cell.has(held[second]);
    return newest && older ? 0 : (newest || older ? 1 : 2);
  }

  TESSERA_HD int best_next() const {
    int best = -1, best_cost = 0;
    for (int i = 0; i < count; ++i) {
      if (left[i] == walked) continue;
      const int cost = 256 * extra_pushes(cells[i]) + left[i];
      if (best < 0 || cost < best_cost) best = i, best_cost = cost;
    }
    return best;
  }

  /// A vertex of the cell that is better not its newest, for the strip leaves through a side with the newest: the one
  /// opposite to the neighbour to go to. -1: any may be.
  TESSERA_HD int not_newest(int cell) const {
    int best = -1;
    for (int j = 0; j < count; ++j)
      if (j != cell && left[j] != walked && neighbours(cell, j) && (best < 0 || left[j] < left[best])) best = j;
    if (best < 0) return -1;
    for (int a = 0; a < dim; ++a)
      if (!cells[best].has(cells[cell].vertex(a))) return cells[cell].vertex(a);
    return -1;
  }

  template <class Push>
  TESSERA_HD void push_vertex(int cell, int column, bool drops_second, Push& push) {
    push(cell,
         static_cast<std::uint16_t>(column | (drops_second ? strip_drops_second : 0) | (cell < 0 ? strip_no_cell : 0)));
    if (dim == 3 && !drops_second) held[0] = held[second];
    if (dim > 1) held[second] = held[dim - 1];
    held[dim - 1] = column;
  }

  /// Pushes what is missing of a cell.
  template <class Push>
  TESSERA_HD int go_to(int next, Push& push) {
    const StripCell<dim>& cell = cells[next];
    const int extra = extra_pushes(cell);
    if (dim == 1 || extra == 0) {
      int missing = cell.vertex(0);
      const bool keeps_first = dim == 3 && cell.has(held[0]);
      for (int a = 1; a < dim; ++a) {
        const int v = cell.vertex(a);
        if (v != held[dim - 1] && (dim < 3 || v != held[keeps_first ? 0 : second])) missing = v;
      }
      push_vertex(next, missing, keeps_first, push);
      return 1;
    }
    const int oldest = not_newest(next);
    if (extra == dim - 1) {  // no vertex is held already
      int order[dim], n = 0;
      for (int a = 0; a < dim; ++a)
        if (cell.vertex(a) == oldest) order[n++] = oldest;
      for (int a = 0; a < dim; ++a)
        if (cell.vertex(a) != oldest) order[n++] = cell.vertex(a);
      for (int a = 0; a < dim; ++a) push_vertex(a + 1 < dim ? -1 : next, order[a], false, push);
      return dim;
    }
    // 3-D, one or two of its vertices are held, but not as a cell needs them: one is kept.
    int newest = -1, kept = -1, between = -1;
    for (int a = 0; a < dim; ++a) {
      const int v = cell.vertex(a);
      bool other_held = false;
      for (int e = 0; e < dim; ++e) other_held = other_held || (e != a && is_held(cell.vertex(e)));
      if (v != oldest && other_held && newest < 0) newest = v;
    }
    for (int a = 0; a < dim; ++a)
      if (cell.vertex(a) != newest && is_held(cell.vertex(a)) && kept < 0) kept = cell.vertex(a);
    for (int a = 0; a < dim; ++a)
      if (cell.vertex(a) != newest && cell.vertex(a) != kept) between = cell.vertex(a);
    push_vertex(-1, between, held[0] == kept, push);
    push_vertex(next, newest, held[0] == kept, push);
    return 2;
  }

  TESSERA_HD bool is_held(int column) const {
    for (int a = 0; a < dim; ++a)
      if (held[a] == column) return true;
    return false;
  }
};

}  // namespace tessera::assembly
