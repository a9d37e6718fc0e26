#pragma once
// [[surface]]: fields at the nodes of groups of sides, as tables.
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "physics/model.hpp"

namespace tessera::physics::euler {

struct SurfaceParams {
  std::string name;  ///< empty: surface_1, surface_2, ...
  std::vector<std::string> on;
  std::vector<std::string> of;  ///< fields; empty: the pressure
  deck::Where where;
};

/// `fields`: those that a surface may have.
deck::SectionDescription surface_description(const std::vector<FieldInfo>& fields);
/// With their names. Throws Error(usage) for names that are none of files, for those that another table of the deck
/// has, and for surfaces without a group.
std::vector<SurfaceParams> read_surfaces(const deck::Deck& deck, const std::vector<FieldInfo>& fields);
/// Throws Error(usage) where a surface has the name of a line.
void check_surfaces(const std::vector<SurfaceParams>& surfaces, const std::vector<LineParams>& lines);

/// Writes <directory>/<name>.csv with the columns x, y, z and the components of the fields: one row a node of the
/// groups, by x, then y, then z. `field` as Results::field. Collective.
void write_surface(const SurfaceParams& surface, const std::vector<FieldInfo>& fields, const NodalSolution& solution,
                   const std::function<std::vector<double>(const std::string&)>& field,
                   const std::filesystem::path& directory);

}  // namespace tessera::physics::euler
