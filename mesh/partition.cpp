#include "mesh/partition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <map>

#include "base/error.hpp"
#include "mesh/metis_child.hpp"
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
  const Index n = graph.size();
  if (parts == 1 || n == 0) return std::vector<Index>(static_cast<std::size_t>(n), 0);
  const Index n_parts = std::min(parts, n);
  std::vector<Index> part =
      n_parts == 1 ? std::vector<Index>(1, 0) : metis_parts("cutting the mesh into blocks", graph, n_parts);
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

namespace {
constexpr const char* name_of_partition = "partition_";
}

std::string partition_name(int number) { return fmt::format("{}{}", name_of_partition, number); }

std::optional<int> partition_number(const Group& entity) {
  if (!entity.name.starts_with(name_of_partition)) return {};
  const std::string digits = entity.name.substr(std::string(name_of_partition).size());
  const auto is_digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  if (digits.empty() || digits.size() > 9 || !std::all_of(digits.begin(), digits.end(), is_digit)) return {};
  return std::atoi(digits.c_str());
}

std::vector<Index> partitions_of_file(const Mesh& mesh, Index parts) {
  std::map<int, const Group*> partitions;
  for (const Group& entity : mesh.entities)
    if (const auto number = partition_number(entity); number && entity.dim == mesh.dim) partitions[*number] = &entity;
  if (partitions.empty())
    throw Error(ExitCode::usage, "mesh.partition = \"file\", but the mesh file has no partitions",
                fmt::format("write it with some (gmsh -part {}), or choose mesh.partition = \"auto\"", parts));
  if (partitions.size() != static_cast<std::size_t>(parts))
    throw Error(ExitCode::usage, fmt::format("the mesh file has {} partitions for {} ranks", partitions.size(), parts),
                fmt::format("start {} ranks (mpirun -n), or choose mesh.partition = \"auto\"", partitions.size()));
  std::vector<Index> result(static_cast<std::size_t>(mesh.cells()), -1);
  Index part = 0;
  for (const auto& [number, entity] : partitions) {
    for (const Index cell : entity->entities) result[cell] = part;
    ++part;
  }
  if (const auto outside = std::count(result.begin(), result.end(), -1); outside > 0)
    throw Error(ExitCode::usage,
                fmt::format("{} of {} cells are in no partition of the mesh file", outside, result.size()),
                "write its partitions again, or choose mesh.partition = \"auto\"");
  return result;
}

}  // namespace tessera::mesh
