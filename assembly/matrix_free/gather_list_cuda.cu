#include "assembly/matrix_free/gather_list_impl.hpp"

namespace tessera::assembly::matrix_free {

GatherList<Device> gather_list_on(Cuda& exec, const std::vector<Contributions>& blocks, Index dofs, bool only_touched) {
  return gather_list_by_places(exec, blocks, dofs, only_touched);
}

}  // namespace tessera::assembly::matrix_free
