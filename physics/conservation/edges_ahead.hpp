#pragma once
// The edges at a node one after the other, in passes that read much of each.
#include "base/read_ahead.hpp"
#include "physics/conservation/graph.hpp"

namespace tessera::physics::conservation {

/// An edge of a row: the neighbour, and where the edge stands.
struct RowEdge {
  Index neighbour = 0;
  Offset entry = 0;
};

/// while (edges.next()) ...: with `ahead` what `Source` says is read an edge ahead, and the neighbour's number two,
/// else the number alone one ahead. Borrows all.
template <class Source, bool ahead>
class EdgesAhead {
 public:
  using Real = typename Source::Real;

  TESSERA_HD_INLINE EdgesAhead(const GraphViewOf<Real>& graph, const RowEntries& edges, const Source& source)
      : graph_(graph), edges_(edges), read_(source), after_{graph.ahead(edges, 0, edges.first), edges.first} {
    if constexpr (ahead) later_ = graph.ahead(edges, 1, edges.first + edges.step);
    read_.fetch(after_, edges.count > 0);
  }
  TESSERA_HD_INLINE bool next() {
    if (++number_ >= edges_.count) return false;
    here_ = after_;
    const Offset entry = here_.entry + edges_.step;
    if constexpr (ahead) {
      after_ = {later_, entry};
      later_ = graph_.ahead(edges_, number_ + 2, entry + edges_.step);
    } else {
      after_ = {graph_.ahead(edges_, number_ + 1, entry), entry};
    }
    read_.fetch(after_, number_ + 1 < edges_.count);
    read_.take(here_);
    return true;
  }
  TESSERA_HD_INLINE int number() const { return number_; }
  TESSERA_HD_INLINE const RowEdge& here() const { return here_; }
  TESSERA_HD_INLINE Real operator[](int k) const { return read_[k]; }

 private:
  const GraphViewOf<Real>& graph_;
  const RowEntries& edges_;
  ReadAhead<Source, RowEdge, ahead> read_;
  RowEdge here_, after_;
  Index later_ = 0;
  int number_ = -1;
};

}  // namespace tessera::physics::conservation
