#pragma once
// METIS installs handlers of SIGTERM and SIGABRT while it works, exits or returns an error when such a signal comes,
// and cannot be stopped: it works in a child process (base/child_process.hpp).
#include <functional>
#include <string>
#include <vector>

#include "mesh/adjacency.hpp"

namespace tessera::mesh {

/// Part of each vertex: METIS_PartGraphKway with a fixed seed, 1 < parts <= vertices. METIS may leave parts empty.
/// `what` is done, for messages; `stop`: see ChildTask. Throws Error(mesh) where the graph is beyond METIS's 32-bit
/// indices or METIS fails.
std::vector<Index> metis_parts(const std::string& what, const Adjacency& graph, Index parts,
                               const std::function<bool()>& stop = {});

/// new_number[vertex] of nested dissection: METIS_NodeND with a fixed seed. Throws as metis_parts does.
std::vector<Index> metis_nested_dissection(const std::string& what, const Adjacency& graph,
                                           const std::function<bool()>& stop = {});

}  // namespace tessera::mesh
