#pragma once
#include <array>
#include <filesystem>
#include <vector>

#include "mesh/mesh.hpp"

namespace tessera::mesh {

/// x -> A x + t: rows [3][A | t].
struct AffineMap {
  std::array<double, 12> rows{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
  std::array<double, 3> operator()(const double* x) const;
};

/// Whether a .msh file has a section $Periodic.
bool has_periodic_section(const std::filesystem::path& file);

/// The affine maps of the sections $Periodic of a .msh file (2.2 or 4.1, ascii or binary), each once; those without are
/// left out. A file of another format has none. A section that cannot be read ends the list.
std::vector<AffineMap> periodic_maps(const std::filesystem::path& file);

/// Makes the vertices of group `from` those of `to`: same[vertex] and same[its image] become one number, the lowest of
/// all that are joined (`same` starts as 0, 1, 2, ...). The map is a translation, or else one of `maps` or its inverse:
/// that which takes every vertex and every facet of one side to the other. Throws Error(mesh) naming the first vertex
/// without a partner.
void join_sides(const Mesh& mesh, const Group& from, const Group& to, const std::vector<AffineMap>& maps,
                std::vector<Index>& same);

/// Throws Error(mesh) where sides that are joined are too near each other: a cell would have a vertex twice, or, for
/// `order` > 1, two edges would have the same ends. `same`: of join_sides, each the lowest of its kind.
void check_joined(const Mesh& mesh, const std::vector<Index>& same, int order);

}  // namespace tessera::mesh
