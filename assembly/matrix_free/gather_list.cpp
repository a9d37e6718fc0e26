#include "assembly/matrix_free/gather_list.hpp"

#include <fmt/format.h>

#include <limits>

#include "assembly/matrix_free/gather_list_impl.hpp"
#include "base/error.hpp"

namespace tessera::assembly::matrix_free {

void check_entries(Offset entries) {
  if (entries > std::numeric_limits<Index>::max())
    throw Error(ExitCode::mesh, fmt::format("the element vector of {} entries exceeds 32-bit numbers", entries),
                "use a coarser mesh or a lower order");
}

GatherList<Host> gather_list_on(Threads&, const std::vector<Contributions>& blocks, Index dofs, bool only_touched) {
  const HostGatherList list = gather_list(blocks, dofs, only_touched);
  return {to_space<Host>(list.rows), to_space<Host>(list.ptr), to_space<Host>(list.entries)};
}

}  // namespace tessera::assembly::matrix_free
