#include "assembly/space/space.hpp"

#include <fmt/format.h>

#include <limits>
#include <utility>

#include "base/error.hpp"

namespace tessera::assembly {

void check_rows(Index dofs, int components) {
  if (const Offset rows = Offset{dofs} * components; rows > std::numeric_limits<Index>::max())
    throw Error(ExitCode::mesh, fmt::format("{} nodes with {} unknowns each exceed 32-bit numbers", dofs, components),
                "use a coarser mesh or a lower order");
}

Space::Space(DofMap map, int components_, IndexMap index_map_)
    : dofs(std::move(map)), components(components_), index_map(std::move(index_map_)) {
  check_rows(dofs.dofs, components);
  if (components < 1 || index_map.size() != dofs.dofs)
    throw Error(ExitCode::internal,
                fmt::format("a space of {} dofs, {} unknowns each, and numbers of {} dofs", dofs.dofs, components,
                            index_map.size()),
                "number the dofs of this map, and give each an unknown or more");
}

Space::Space(DofMap map, int components_) : Space(DofMap{}, components_, IndexMap()) {
  check_rows(map.dofs, components);
  index_map = IndexMap(map.dofs);
  dofs = std::move(map);
}

}  // namespace tessera::assembly
