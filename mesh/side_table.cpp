#include "mesh/side_table.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/team.hpp"

namespace tessera::mesh {

FacetVertices sorted_key(FacetVertices v) {
  int n = 0;
  while (n < 4 && v[n] >= 0) ++n;
  // Networks for at most four: std::sort would cost more than the rest of the pass.
  auto order = [&](int a, int b) {
    if (v[b] < v[a]) std::swap(v[a], v[b]);
  };
  if (n == 2) order(0, 1);
  if (n == 3) order(0, 1), order(1, 2), order(0, 1);
  if (n == 4) order(0, 1), order(2, 3), order(0, 2), order(1, 3), order(1, 2);
  return v;
}

SideTable::SideTable(const Mesh& mesh) : mesh_(mesh), ptr_(static_cast<std::size_t>(mesh.nodes()) + 1) {
  auto for_each_side = [&](auto visit) {
    for (const CellBlock& block : mesh.blocks) {
      const auto& facets = topology(block.shape).facets;
      const Index cells = block.cells();
      const int sides = static_cast<int>(facets.size());
      parallel_for(default_threads(), cells, [&](Index c) {
        const Index* nodes = block.cell(c);
        for (int s = 0; s < sides; ++s) {
          Index least = nodes[facets[s].vertices[0]];
          for (int v = 1; v < 4 && facets[s].vertices[v] >= 0; ++v)
            least = std::min(least, nodes[facets[s].vertices[v]]);
          visit(least, code(block.first_cell + c, s));
        }
      });
    }
  };
  for_each_side([&](Index least, Offset) { std::atomic_ref(ptr_[least]).fetch_add(1, std::memory_order_relaxed); });
  codes_.resize(static_cast<std::size_t>(counts_to_starts(ptr_)));
  std::vector<Offset> next(ptr_.begin(), ptr_.end());
  // The order within a bucket depends on the threads; bucket() sorts it away.
  for_each_side([&](Index least, Offset code) {
    const Offset slot = std::atomic_ref(next[least]).fetch_add(1, std::memory_order_relaxed);
    codes_[slot] = code;
  });
}

void SideTable::bucket(Index vertex, std::vector<Record>& records) const {
  records.clear();
  for (Offset i = ptr_[vertex]; i < ptr_[vertex + 1]; ++i) {
    const Offset code = codes_[i];
    records.push_back({sorted_key(side_vertices(mesh_, cell(code), side(code))), code});
  }
  std::sort(records.begin(), records.end());
}

bool SideTable::opposite(const Record& a, const Record& b) const {
  const FacetVertices x = side_vertices(mesh_, cell(a.code), side(a.code));
  const FacetVertices y = side_vertices(mesh_, cell(b.code), side(b.code));
  int n = 0;
  while (n < 4 && x[n] >= 0) ++n;
  if (n == 1) return side(a.code) != side(b.code);  // the ends of intervals along one line
  if (n == 2) return x[0] == y[1];
  const int start = static_cast<int>(std::find(y.begin(), y.begin() + n, x[0]) - y.begin());
  for (int v = 1; v < n; ++v)
    if (x[v] != y[(start + n - v) % n]) return false;
  return true;
}

void SideTable::check_run(const std::vector<Record>& records, std::size_t first, std::size_t last) const {
  if (last - first < 2 || (last - first == 2 && opposite(records[first], records[first + 1]))) return;
  const double* x = mesh_.point(records[first].key[0]);
  if (last - first == 2)
    throw Error(
        ExitCode::mesh,
        fmt::format("cells {} and {} lie on the same side of the facet that they share near ({:g}, {:g}, {:g}): "
                    "they overlap",
                    cell(records[first].code), cell(records[first + 1].code), x[0], x[1], x[2]),
        "look for cells that stand twice in the file, and for folded or inverted ones");
  throw Error(
      ExitCode::mesh,
      fmt::format("{} cells (among them {}, {} and {}) share one facet near ({:g}, {:g}, {:g}): the mesh is not "
                  "conforming",
                  last - first, cell(records[first].code), cell(records[first + 1].code), cell(records[first + 2].code),
                  x[0], x[1], x[2]),
      "look for duplicated or overlapping cells; in Gmsh, Coherence or BooleanFragments joins volumes before meshing");
}

}  // namespace tessera::mesh
