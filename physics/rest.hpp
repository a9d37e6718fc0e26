#pragma once
// on = "rest": what no other entry of the deck names.
#include "mesh/mesh.hpp"
#include "physics/places.hpp"

namespace tessera::physics {

/// The entries of a deck that may say "rest".
struct RestOf {
  std::vector<Place> materials;
  std::vector<Place> boundaries;
  std::vector<Place> periodic = {};  ///< boundaries that only take away from the rest
  const std::vector<QuantityParams>& quantities;
};

/// Adds what the deck calls "rest" to mesh.entities. In a [[boundary]] it is the exterior facets, in a [[material]] the
/// cells, that no other entry of the kind names; in a [[quantity]] it is the boundary's, or the materials' where only
/// they use it. A group of the mesh with that name comes first, with a warning; a rest of nothing is a warning, too.
/// Throws Error(usage) where a material without `on` stands beside a rest.
void add_rest(const RestOf& entries, mesh::Mesh& mesh);

/// The rest of the cells alone, where it is needed before the facets are known; add_rest leaves it as it is.
void add_rest_of_cells(const std::vector<Place>& materials, mesh::Mesh& mesh);

/// What add_rest refuses, where there is no mesh.
void check_rest(const RestOf& entries);

/// What "rest" means of a box that is no mesh: names of its sides, or "domain"; empty where an entry does not say it.
struct RestOfBox {
  std::vector<std::string> sides, cells;
  /// Puts them into an entry.
  static void replace(std::vector<std::string>& on, const std::vector<std::string>& names);
};
RestOfBox rest_of_box(const RestOf& entries, const mesh::BoxParams& box);

}  // namespace tessera::physics
