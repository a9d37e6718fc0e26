#pragma once
#include <array>
#include <span>
#include <string>
#include <vector>

#include "mesh/mesh.hpp"

namespace tessera::mesh {

/// Vertices of a facet: ascending or not, padded with -1 (2 of 4 used for intervals, 3 for triangles).
using FacetVertices = std::array<Index, 4>;

/// Facets given by their vertices, as a reader finds them. Duplicates are allowed.
struct NamedFacets {
  std::string name;
  std::vector<FacetVertices> facets;
  bool is_entity =
      false;  ///< goes to Mesh::entities, less what is no side of a cell, and not at all where nothing is left
};

/// Fills Mesh::facets with every exterior facet (one cell only), sorted by cell and side. Interior facets that
/// Mesh::facets already holds stay, and groups of dimension dim-1 keep pointing at their facets.
/// Throws Error(mesh) where more than two cells share a facet. Cost: one counting sort of all sides by their least
/// vertex.
void find_exterior_facets(Mesh& mesh);

/// Like find_exterior_facets for a mesh without facets; besides, appends one group (or entity) of dimension dim-1 for
/// each of `named`. Interior named facets enter Mesh::facets with their lower-numbered cell. Facets of the group that
/// are no side of any cell are left out and counted: [named]. Throws Error(mesh) where more than two cells share a
/// facet.
std::vector<Offset> set_facets(Mesh& mesh, const std::vector<NamedFacets>& named);

/// A side of a cell; cell -1: not found.
struct Side {
  Index cell = -1;
  std::int8_t side = -1;
  bool exterior = false;
};

/// For each facet, the side it is: that of the lower-numbered cell. Throws as find_exterior_facets.
std::vector<Side> match_facets(const Mesh& mesh, std::span<const FacetVertices> facets);

/// Vertices of a side of a cell as the cell sees them (outward), padded with -1.
FacetVertices side_vertices(const Mesh& mesh, Index cell, int side);

/// All edges, each once as {lower, higher} vertex, sorted.
std::vector<std::array<Index, 2>> edges(const Mesh& mesh);

}  // namespace tessera::mesh
