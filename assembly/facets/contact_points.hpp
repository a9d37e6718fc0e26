#pragma once
#include "assembly/facets/contact.hpp"

namespace tessera::assembly {

/// contact_points (contact.hpp) of the elements of a map, wherever their nodes lie.
ContactPoints contact_points(const mesh::Mesh& mesh, const DofMap& dofs, const std::vector<mesh::Overlap>& overlaps);

}  // namespace tessera::assembly
