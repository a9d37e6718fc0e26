#pragma once
// States of other runs as starts of this one.
#include <memory>
#include <vector>

#include "assembly/fields/grid_field.hpp"
#include "physics/model.hpp"

namespace tessera::physics {

/// The fields of each entry of [[initial]], null where it is no file. The root reads the files; all ranks have all of
/// their grids. A checkpoint holds no mesh: that of the deck in it is made again, as restart does. Throws
/// Error(file_system) for what cannot be read, Error(usage) where the field is not there, or of other components, or of
/// another dimension, and what read_state and cells_of throw. Phase: initial.read. Collective.
using InitialGrids = std::vector<std::unique_ptr<assembly::GridField>>;
InitialGrids initial_grids(const std::vector<InitialParams>& entries, const Discretisation& space,
                           const FieldInfo& field);

/// u [rows] takes the components of a file at `dofs`, of which only those that this rank owns are looked at. Within a
/// tenth of the nearest cell outside of the file's mesh, for boundaries are curved, the value of the nearest place
/// holds. Throws Error(usage) that names the farthest point beyond where the deck does not say what holds there. Phase:
/// initial.interpolate.
void take_from_file(const InitialParams& initial, assembly::GridField& from, const Discretisation& space,
                    const std::vector<Index>& dofs, std::vector<double>& u);

}  // namespace tessera::physics
