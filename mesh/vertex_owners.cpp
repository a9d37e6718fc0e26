#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "base/counted.hpp"
#include "base/error.hpp"
#include "base/team.hpp"
#include "mesh/adjacency.hpp"
#include "mesh/bricks.hpp"
#include "mesh/partition.hpp"
#include "mesh/rank_mesh.hpp"

namespace tessera::mesh {
namespace {

/// METIS takes about a second for a million nodes, and the ranks wait.
constexpr Index most_for_metis = 4'000'000;

std::vector<char> vertices(const Mesh& mesh) {
  std::vector<char> result(static_cast<std::size_t>(mesh.nodes()), 0);
  for (const CellBlock& block : mesh.blocks)
    for (Index c = 0; c < block.cells(); ++c)
      for (int v = 0; v < vertex_count(block.shape); ++v) result[block.cell(c)[v]] = 1;
  return result;
}

/// Empty where the box has too few cells.
std::vector<int> of_box(const Mesh& mesh, int ranks) {
  const Bricks bricks(mesh.box_cells, mesh.dim, mesh.order, ranks);
  if (!bricks.exist()) return {};
  return owners_of(bricks, mesh);
}

/// Equal pieces of Morton's curve through the nodes.
std::vector<int> along_curve(const Mesh& mesh, const std::vector<char>& is_vertex, int ranks) {
  std::array<double, 3> low, high;
  low.fill(std::numeric_limits<double>::infinity());
  high.fill(-std::numeric_limits<double>::infinity());
  for (Index node = 0; node < mesh.nodes(); ++node)
    for (int axis = 0; axis < 3; ++axis) {
      low[axis] = std::min(low[axis], mesh.point(node)[axis]);
      high[axis] = std::max(high[axis], mesh.point(node)[axis]);
    }
  const double extent = std::max({high[0] - low[0], high[1] - low[1], high[2] - low[2]});
  const auto spread = [](std::uint64_t bits) {  // 21 bits, two places between one and the next
    bits = (bits | bits << 32) & 0x1f00000000ffffULL;
    bits = (bits | bits << 16) & 0x1f0000ff0000ffULL;
    bits = (bits | bits << 8) & 0x100f00f00f00f00fULL;
    bits = (bits | bits << 4) & 0x10c30c30c30c30c3ULL;
    return (bits | bits << 2) & 0x1249249249249249ULL;
  };
  std::vector<std::pair<std::uint64_t, Index>> order;
  for (Index node = 0; node < mesh.nodes(); ++node) {
    if (!is_vertex[node]) continue;
    std::uint64_t code = 0;
    for (int axis = 0; axis < 3 && extent > 0; ++axis)
      code |= spread(static_cast<std::uint64_t>((mesh.point(node)[axis] - low[axis]) / extent * 0x1fffff)) << axis;
    order.emplace_back(code, node);
  }
  std::sort(order.begin(), order.end());
  std::vector<int> owners(is_vertex.size(), 0);
  for (std::size_t i = 0; i < order.size(); ++i)
    owners[order[i].second] = static_cast<int>(i * static_cast<std::size_t>(ranks) / order.size());
  return owners;
}

/// Vertices that are one belong to the owner of the first of them.
void join(std::span<const Index> joined, std::vector<int>& owners) {
  for (std::size_t node = 0; node < joined.size(); ++node) owners[node] = owners[joined[node]];
}

/// Where cells of several partitions meet, the first of them has the vertex.
std::vector<int> of_file(const Mesh& mesh, int ranks) {
  const std::vector<Index> partition = partitions_of_file(mesh, ranks);
  std::vector<int> owners(static_cast<std::size_t>(mesh.nodes()), ranks);
  for (const CellBlock& block : mesh.blocks)
    for (Index c = 0; c < block.cells(); ++c)
      for (int n = 0; n < block.nodes_per_cell; ++n) {
        int& owner = owners[block.cell(c)[n]];
        owner = std::min(owner, static_cast<int>(partition[block.first_cell + c]));
      }
  return owners;
}

bool all_own(const std::vector<int>& owners, const std::vector<char>& is_vertex, int ranks) {
  std::vector<char> has(static_cast<std::size_t>(ranks), 0);
  for (std::size_t node = 0; node < owners.size(); ++node)
    if (is_vertex[node]) has[owners[node]] = 1;
  return std::find(has.begin(), has.end(), 0) == has.end();
}

}  // namespace

std::vector<int> vertex_owners(const Mesh& mesh, int ranks, const std::string& method, std::span<const Index> joined,
                               const std::function<bool()>& stop) {
  std::vector<int> owners;
  if ((method == "auto" || method == "bricks") && mesh.box_cells[0] > 0 && joined.empty())
    if (owners = of_box(mesh, ranks); !owners.empty()) return owners;
  const std::vector<char> is_vertex = vertices(mesh);
  if (method == "file") {
    owners = of_file(mesh, ranks);
    join(joined, owners);
    if (all_own(owners, is_vertex, ranks)) return owners;
    throw Error(ExitCode::usage,
                "a partition of the mesh file is so thin that all of its vertices belong to others beside it",
                "write fewer partitions, or choose mesh.partition = \"auto\"");
  }
  if (method == "metis" || (method == "auto" && mesh.nodes() <= most_for_metis)) {
    const std::vector<Index> parts = partition_graph(node_nodes(mesh), ranks);
    owners.assign(parts.begin(), parts.end());
    join(joined, owners);
    if (all_own(owners, is_vertex, ranks)) return owners;
  }
  if (stop && stop()) throw Error(ExitCode::interrupted, "interrupted while the mesh was shared");
  owners = along_curve(mesh, is_vertex, ranks);
  join(joined, owners);
  if (all_own(owners, is_vertex, ranks)) return owners;
  throw Error(ExitCode::usage,
              fmt::format("{} ranks are more than the mesh of {} has work for", ranks, counted(mesh.cells(), "cell")),
              "start fewer ranks (mpirun -n), or refine the mesh");
}

}  // namespace tessera::mesh
