#include "mesh/metis_child.hpp"

#include <fmt/format.h>
#include <metis.h>

#include <array>
#include <csignal>
#include <limits>
#include <string>

#include "base/archive.hpp"
#include "base/child_process.hpp"
#include "base/error.hpp"

namespace tessera::mesh {

namespace {

using Options = std::array<idx_t, METIS_NOPTIONS>;

// The graph in METIS's own types.
struct Graph {
  idx_t size;
  std::vector<idx_t> ptr, items;
  explicit Graph(const Adjacency& graph)
      : size(graph.size()), ptr(graph.ptr.begin(), graph.ptr.end()), items(graph.items.begin(), graph.items.end()) {}
};

/// Calls `work(graph, options, result)` in a child and returns the result, one number a vertex.
template <class Work>
std::vector<Index> call_metis(const std::string& what, const Adjacency& adjacency, const std::function<bool()>& stop,
                              Work work) {
  if (sizeof(idx_t) == 4 && adjacency.ptr.back() > std::numeric_limits<idx_t>::max())
    throw Error(ExitCode::mesh,
                fmt::format("{}: the graph has {} entries; this METIS counts with 32 bits", what, adjacency.ptr.back()),
                "use a smaller mesh, mesh.numbering = \"rcm\", or an assembly strategy that needs no partition");
  std::vector<Index> result;
  run_in_child({.program = "METIS",
                .what = what,
                .work =
                    [&](ChildSink& sink) {
                      // Its handler of SIGTERM would turn one into an error of METIS; the parent decides what it means.
                      sigset_t held;
                      sigemptyset(&held);
                      sigaddset(&held, SIGTERM);
                      sigprocmask(SIG_BLOCK, &held, nullptr);
                      Graph graph(adjacency);
                      Options options;
                      METIS_SetDefaultOptions(options.data());
                      options[METIS_OPTION_SEED] = 1;
                      std::vector<idx_t> found(static_cast<std::size_t>(graph.size));
                      const int status = work(graph, options, found);
                      if (status == METIS_ERROR_MEMORY) throw std::bad_alloc();
                      if (status != METIS_OK)
                        throw Error(
                            ExitCode::mesh,
                            fmt::format("{}: METIS fails with status {} on {} vertices", what, status, graph.size),
                            "use mesh.numbering = \"rcm\", or another assembly strategy");
                      std::vector<Index> numbers(found.begin(), found.end());
                      ArchiveWriter<ChildSink> archive(sink);
                      archive(numbers);
                    },
                .result =
                    [&](ChildSource& source) {
                      ArchiveReader<ChildSource> archive(source);
                      archive(result);
                    },
                .stop = stop,
                .crash_help = "use mesh.numbering = \"rcm\", or another assembly strategy"});
  return result;
}

}  // namespace

std::vector<Index> metis_parts(const std::string& what, const Adjacency& graph, Index parts,
                               const std::function<bool()>& stop) {
  return call_metis(what, graph, stop, [&](Graph& g, Options& options, std::vector<idx_t>& found) {
    idx_t count = parts, constraints = 1, cut = 0;
    return METIS_PartGraphKway(&g.size, &constraints, g.ptr.data(), g.items.data(), nullptr, nullptr, nullptr, &count,
                               nullptr, nullptr, options.data(), &cut, found.data());
  });
}

std::vector<Index> metis_nested_dissection(const std::string& what, const Adjacency& graph,
                                           const std::function<bool()>& stop) {
  return call_metis(what, graph, stop, [&](Graph& g, Options& options, std::vector<idx_t>& inverse) {
    std::vector<idx_t> permutation(inverse.size());
    return METIS_NodeND(&g.size, g.ptr.data(), g.items.data(), nullptr, options.data(), permutation.data(),
                        inverse.data());
  });
}

}  // namespace tessera::mesh
