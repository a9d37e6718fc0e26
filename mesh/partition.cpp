#include "mesh/partition.hpp"

#include <fmt/format.h>
#include <metis.h>

#include <algorithm>
#include <array>
#include <limits>

#include "base/error.hpp"
#include "mesh/side_table.hpp"

namespace tessera::mesh {
namespace {

/// Renumbers parts 0.. in the order of their first member: METIS may leave parts empty.
void close_gaps(std::vector<Index>& part, Index parts) {
  std::vector<Index> number(static_cast<std::size_t>(parts), -1);
  Index next = 0;
  for (Index& p : part) {
    if (number[p] < 0) number[p] = next++;
    p = number[p];
  }
}

}  // namespace

std::vector<Index> partition_graph(const Adjacency& graph, Index parts) {
  if (parts < 1)
    throw Error(ExitCode::mesh, fmt::format("cannot cut a graph into {} parts", parts), "ask for at least one part");
  idx_t n = graph.size();
  std::vector<Index> part(static_cast<std::size_t>(n), 0);
  if (parts == 1 || n == 0) return part;
  if (sizeof(idx_t) == 4 && graph.ptr.back() > std::numeric_limits<idx_t>::max())
    throw Error(ExitCode::mesh,
                fmt::format("the graph to partition has {} entries; this METIS counts with 32 bits", graph.ptr.back()),
                "use a smaller mesh, or an assembly strategy that needs no partition");
  idx_t n_parts = std::min<idx_t>(parts, n), constraints = 1, cut = 0;
  std::vector<idx_t> ptr(graph.ptr.begin(), graph.ptr.end()), items(graph.items.begin(), graph.items.end()), found(n);
  std::array<idx_t, METIS_NOPTIONS> options;
  METIS_SetDefaultOptions(options.data());
  options[METIS_OPTION_SEED] = 1;
  const int status = METIS_PartGraphKway(&n, &constraints, ptr.data(), items.data(), nullptr, nullptr, nullptr,
                                         &n_parts, nullptr, nullptr, options.data(), &cut, found.data());
  if (status != METIS_OK)
    throw Error(ExitCode::mesh,
                fmt::format("METIS_PartGraphKway failed with status {} ({} cells, {} parts)", status, n, n_parts),
                status == METIS_ERROR_MEMORY ? "METIS ran out of memory: use larger blocks" : "");
  std::copy(found.begin(), found.end(), part.begin());
  close_gaps(part, n_parts);
  return part;
}

std::vector<Index> partition_cells(const Mesh& mesh, Index cells_per_block) {
  if (cells_per_block < 1)
    throw Error(ExitCode::mesh, fmt::format("a block of {} cells", cells_per_block),
                "ask for at least one cell a block");
  const Offset cells = mesh.cells();
  const auto parts = static_cast<Index>((cells + cells_per_block - 1) / cells_per_block);
  return partition_graph(cell_cells(mesh), std::max<Index>(1, parts));
}

Adjacency parts_to_cells(const std::vector<Index>& part) {
  Adjacency result;
  const Index parts = part.empty() ? 0 : *std::max_element(part.begin(), part.end()) + 1;
  result.ptr.assign(static_cast<std::size_t>(parts) + 1, 0);
  for (Index p : part) ++result.ptr[p];
  result.items.resize(static_cast<std::size_t>(counts_to_starts(result.ptr)));
  std::vector<Offset> next = result.ptr;
  for (std::size_t cell = 0; cell < part.size(); ++cell) result.items[next[part[cell]]++] = static_cast<Index>(cell);
  return result;
}

}  // namespace tessera::mesh
