#pragma once
#include <algorithm>
#include <utility>
#include <vector>

#include "mesh/facets.hpp"

namespace tessera::mesh {

/// All sides of all cells, sorted into buckets by their least vertex: 8 bytes a side and 8 a node. Sides that are one
/// facet fall into one bucket, so everything about facets is a short sort within buckets, in parallel.
class SideTable {
 public:
  /// A side: its vertices ascending (padded with -1) and its code.
  struct Record {
    FacetVertices key;
    Offset code;
    bool operator<(const Record& other) const { return key != other.key ? key < other.key : code < other.code; }
  };

  /// A code orders sides by cell, then local side.
  static Offset code(Index cell, int side) { return Offset{8} * cell + side; }
  static Index cell(Offset code) { return static_cast<Index>(code / 8); }
  static std::int8_t side(Offset code) { return static_cast<std::int8_t>(code % 8); }

  explicit SideTable(const Mesh& mesh);

  Index buckets() const { return static_cast<Index>(ptr_.size()) - 1; }
  /// The records of one bucket, sorted, in `records`.
  void bucket(Index vertex, std::vector<Record>& records) const;
  /// Whether two records of one facet see it from its two sides, as neighbours do.
  bool opposite(const Record& a, const Record& b) const;
  /// Throws Error(mesh) where records [first, last) of a bucket, one facet, belong to more than two cells, or to two on
  /// the same side of it.
  void check_run(const std::vector<Record>& records, std::size_t first, std::size_t last) const;

 private:
  const Mesh& mesh_;
  std::vector<Offset> ptr_;
  std::vector<Offset> codes_;
};

/// Vertices ascending, the padding -1 last.
FacetVertices sorted_key(FacetVertices vertices);

/// ptr[i] = number of items of i (its last entry unused) becomes the start of i's items; returns their total.
inline Offset counts_to_starts(std::vector<Offset>& ptr) {
  Offset sum = 0;
  for (Offset& p : ptr) sum += std::exchange(p, sum);
  return sum;
}

}  // namespace tessera::mesh
