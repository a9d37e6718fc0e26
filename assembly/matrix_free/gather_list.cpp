#include "assembly/matrix_free/gather_list.hpp"

#include "assembly/matrix_free/gather_list_impl.hpp"

namespace tessera::assembly::matrix_free {

GatherList<Host> gather_list_on(Threads&, const std::vector<Contributions>& blocks, Index dofs, bool only_touched) {
  const HostGatherList list = gather_list(blocks, dofs, only_touched);
  return {to_space<Host>(list.rows), to_space<Host>(list.ptr), to_space<Host>(list.entries)};
}

}  // namespace tessera::assembly::matrix_free
