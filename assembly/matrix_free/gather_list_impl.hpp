#pragma once
// The list by places of rows, for a backend with many threads; those of a host go through the cells instead.
#include <utility>

#include "assembly/matrix_free/gather_list.hpp"
#include "assembly/space/places.hpp"
#include "base/parallel.hpp"

namespace tessera::assembly::matrix_free {

/// The dofs of a block, cell by cell: -1 of those inside a cell, which are marked, and of those that have no row.
struct ListDofs {
  Contributions block;
  Index rows;
  Index* list;
  unsigned char* inside;
  TESSERA_HD void operator()(Offset k) const {
    const Offset cell = k / block.nodes;
    const int node = static_cast<int>(k - cell * block.nodes);
    const Index dof = block.dofs[cell * block.cell_stride + node * block.node_stride];
    const bool is_row = dof >= 0 && dof < rows;
    const bool is_inside = is_row && block.n > 0 && is_interior(node, block.n, block.dim);
    if (is_inside) inside[dof] = 1;
    list[k] = is_row && !is_inside ? dof : -1;
  }
};

/// Places of a block's dofs, which begin at `before` among those of all blocks, become entries of the element vector.
struct PlacesToEntries {
  Contributions block;
  Offset before;
  const Index* places;
  Index* entries;
  TESSERA_HD void operator()(Offset k) const {
    const Offset place = places[k] - before, cell = place / block.nodes;
    if (place < 0 || cell >= block.cells) return;
    const Offset node = place - cell * block.nodes;
    entries[k] = static_cast<Index>(block.first + cell * block.cell_stride + node * block.node_stride);
  }
};

template <class Exec>
GatherList<typename Exec::Space> gather_list_by_places(Exec& exec, const std::vector<Contributions>& blocks, Index dofs,
                                                       bool only_touched) {
  using Space = typename Exec::Space;
  check_entries(element_entries(blocks));
  Array<Index, Space> list(element_entries(blocks));
  Array<unsigned char, Space> inside(dofs);
  inside.set_zero();
  Offset before = 0;
  for (const Contributions& block : blocks) {
    for_each(exec, Offset{block.cells} * block.nodes, ListDofs{block, dofs, list.data() + before, inside.data()});
    before += Offset{block.cells} * block.nodes;
  }
  const Places<Space> of = places_of_rows(exec, std::as_const(list).view(), dofs);
  // Where the row of a dof stands among the rows, and their number.
  Array<Index, Space> at(Offset{dofs} + 1);
  const Index* from = of.ptr.data();
  const unsigned char* marks = inside.data();
  Index* to = at.data();
  for_each(exec, at.size(), [=] TESSERA_HD(Offset dof) {
    to[dof] = dof < dofs && (from[dof + 1] > from[dof] || (!only_touched && !marks[dof])) ? 1 : 0;
  });
  sum_before(exec, at.view());
  Index rows = 0, entries = 0;
  copy_bytes(Space{}, to + dofs, Host{}, &rows, sizeof(Index));
  copy_bytes(Space{}, from + dofs, Host{}, &entries, sizeof(Index));
  GatherList<Space> result{Array<Index, Space>(rows), Array<Index, Space>(Offset{rows} + 1),
                           Array<Index, Space>(entries)};
  Index *row = result.rows.data(), *ptr = result.ptr.data();
  for_each(exec, at.size(), [=] TESSERA_HD(Offset dof) {
    if (dof == dofs)
      ptr[to[dof]] = from[dof];
    else if (to[dof + 1] > to[dof])
      row[to[dof]] = static_cast<Index>(dof), ptr[to[dof]] = from[dof];
  });
  before = 0;
  for (const Contributions& block : blocks) {
    for_each(exec, Offset{entries}, PlacesToEntries{block, before, of.places.data(), result.entries.data()});
    before += Offset{block.cells} * block.nodes;
  }
  exec.synchronize();
  return result;
}

}  // namespace tessera::assembly::matrix_free
