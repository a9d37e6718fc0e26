#include <fmt/format.h>

#include <algorithm>

#include "assembly/edge/loop_impl.hpp"
#include "assembly/edge/setup_impl.hpp"
#include "base/error.hpp"
#include "mesh/colouring.hpp"

namespace tessera::assembly {

/// Consecutive edges that one thread adds before the next chunk: about 100 kB of coefficients, in the second-level
/// cache.
static constexpr Index edges_per_chunk = 2048;

const std::vector<EdgeStrategyEntry>& edge_strategies() {
  static const std::vector<EdgeStrategyEntry> table{
      {EdgeStrategy::nodes, "nodes", "each node evaluates all its edges; no intermediate data, twice the arithmetic"},
      {EdgeStrategy::two_pass, "two_pass", "edges write their contributions, nodes add them in a fixed order"},
      {EdgeStrategy::colour, "colour", "edges of one colour share no node: one pass over each colour"},
      {EdgeStrategy::atomic, "atomic", "atomic additions; repeatable only to round-off"},
  };
  return table;
}

const char* name(EdgeStrategy strategy) {
  for (const EdgeStrategyEntry& entry : edge_strategies())
    if (entry.strategy == strategy) return entry.name;
  return "unknown";
}

EdgeStrategy edge_strategy_from_name(const std::string& name) {
  std::vector<std::string> names;
  for (const EdgeStrategyEntry& entry : edge_strategies()) {
    if (name == entry.name) return entry.strategy;
    names.push_back(entry.name);
  }
  throw Error(ExitCode::usage, fmt::format("unknown edge strategy '{}'", name), suggest(name, names));
}

void check_edge_function(int function_dim, int edges_dim) {
  if (function_dim != edges_dim)
    throw Error(ExitCode::internal,
                fmt::format("an edge function of dimension {} on edges of dimension {}", function_dim, edges_dim),
                "take the edge function of the mesh's dimension");
}

void check_nodal_values(Offset values, int components, Index nodes) {
  if (values != Offset{components} * nodes)
    throw Error(ExitCode::internal, fmt::format("{} values for {} components at {} nodes", values, components, nodes),
                "vectors of edge loops are [components, nodes]");
}

void check_matrix_values(Offset values, int matrices, Offset entries) {
  if (values % matrices != 0 || values / matrices < entries)
    throw Error(ExitCode::internal, fmt::format("{} values for {} matrices of {} entries", values, matrices, entries),
                "make the matrix from the same space");
}

void throw_no_atomic_combine() {
  throw Error(ExitCode::internal, "an edge function with its own combine() in an atomic loop",
              "take the strategy nodes, two_pass or colour");
}

std::vector<Offset> list_starts(const std::vector<std::uint16_t>& degree, Index slice) {
  const std::size_t nodes = degree.size(), step = static_cast<std::size_t>(slice);
  std::vector<Offset> starts{0};
  starts.reserve(nodes / step + 2);
  for (std::size_t first = 0; first < nodes; first += step) {
    const auto begin = degree.begin() + static_cast<std::ptrdiff_t>(first);
    const auto end = degree.begin() + static_cast<std::ptrdiff_t>(std::min(nodes, first + step));
    starts.push_back(starts.back() + Offset{slice} * *std::max_element(begin, end));
  }
  return starts;
}

void count_marks(std::vector<MarkWord>& words) {
  Index before = 0;
  for (MarkWord& word : words) {
    word.before = before;
    before += __builtin_popcount(word.bits);
  }
}

std::vector<Index> colour_edges(const EdgeList<Device>& edges, EdgeLoop<Device>& loop) {
  const std::vector<Index> i = to_vector(edges.i), j = to_vector(edges.j);
  std::vector<Index> nodes(2 * i.size());
  for (std::size_t e = 0; e < i.size(); ++e) {
    nodes[2 * e] = i[e];
    nodes[2 * e + 1] = j[e];
  }
  mesh::Colouring colouring = mesh::colour_cells(nodes, 2, edges.nodes);
  loop.colour_ptr = std::move(colouring.ptr);
  return std::move(colouring.cells);
}

std::vector<Index> colour_edges(const EdgeList<Host>& edges, EdgeLoop<Host>& loop) {
  std::vector<Offset> ptr{0};
  std::vector<Index> nodes;
  for (Index first = 0; first < edges.edges; first += edges_per_chunk) {
    const Index last = std::min<Offset>(edges.edges, Offset{first} + edges_per_chunk);
    const std::size_t begin = nodes.size();
    for (Index e = first; e < last; ++e) {
      nodes.push_back(edges.i[e]);
      nodes.push_back(edges.j[e]);
    }
    std::sort(nodes.begin() + begin, nodes.end());
    nodes.erase(std::unique(nodes.begin() + begin, nodes.end()), nodes.end());
    ptr.push_back(static_cast<Offset>(nodes.size()));
  }
  mesh::Colouring colouring =
      mesh::colour_cells(static_cast<Index>(ptr.size()) - 1, edges.nodes, ptr.data(), nodes.data());
  loop.chunk_edges = edges_per_chunk;
  loop.colour_ptr = std::move(colouring.ptr);
  loop.chunks = std::move(colouring.cells);
  return {};
}

}  // namespace tessera::assembly
