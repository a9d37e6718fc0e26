#pragma once
// gather_list (host_setup.hpp) where the backend has the dofs: the same list, made there.
#include "assembly/matrix_free/host_setup.hpp"

namespace tessera::assembly::matrix_free {

/// `blocks` with dofs of the backend.
GatherList<Host> gather_list_on(Threads& exec, const std::vector<Contributions>& blocks, Index dofs,
                                bool only_touched = false);
GatherList<Device> gather_list_on(Cuda& exec, const std::vector<Contributions>& blocks, Index dofs,
                                  bool only_touched = false);

}  // namespace tessera::assembly::matrix_free
