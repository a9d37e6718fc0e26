#pragma once
// Which rows a block of a GPU works at: slices of nodes that are neighbours, not those that follow each other, so that
// what several of them look at is read once.
#include <vector>

#include "physics/conservation/graph.hpp"

namespace tessera::physics::conservation {

/// Slices of the nodes' lists in an order in which each `tile` of them have many neighbours in common: beside a slice
/// come those that have the most links to it and to one another. around [slices, width]: slices that a slice has links
/// to; -1: none.
std::vector<Index> in_tiles(const std::vector<Index>& around, Index width, int tile);

/// The slices around the node in the middle of each, up to `width` of them.
struct AroundPass {
  GraphView graph;
  Offset owned;
  Index slice, width;
  Index* around;

  TESSERA_HD void operator()(Offset s) const {
    const Offset first = s * slice, last = first + slice < owned ? first + slice : owned;
    const RowEntries edges = graph.at(static_cast<Index>(first + (last - first) / 2));
    for (Index k = 0; k < width; ++k) {
      const Index j = k < edges.count ? graph.neighbour[edges.first + k * edges.step] : -1;
      around[s * width + k] = j >= 0 && j < owned ? j / slice : -1;
    }
  }
};

/// A pass over rows, slice by slice in an order.
template <class Pass, Index slice>
struct InTiles {
  Pass pass;
  const Index* slices;
  Offset owned;

  TESSERA_HD void operator()(Offset k) const {
    const Offset node = Offset{slice} * slices[k / slice] + k % slice;
    if (node < owned) pass(node);
  }
};

}  // namespace tessera::physics::conservation
