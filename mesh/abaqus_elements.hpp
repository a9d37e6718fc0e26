#pragma once
// Element types of Abaqus and CalculiX, in Gmsh's types and node orders.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::mesh {

/// What an element type of Abaqus is here.
struct AbaqusType {
  int gmsh = 0;             ///< Gmsh's type
  int nodes = 0;            ///< that an element names
  int more_nodes = 0;       ///< that it may name besides: beams, the node that orients them
  bool shell = false;       ///< a face in space: its labels of faces are its two sides and its edges
  std::vector<int> places;  ///< [nodes] of Gmsh: which of the nodes that are named each of them is
};

/// The type of that name (upper case). Names are taken apart into a family, a number of nodes and a suffix: C3D20R,
/// CPE4H, S8R5. Empty for one that is unknown.
std::optional<AbaqusType> abaqus_type(std::string_view name);

/// Whether elements of that type (upper case) are no part of the mesh: masses, springs, connectors and the like.
bool has_no_geometry(std::string_view name);

/// Families, for a message about an unknown type.
std::string abaqus_type_help();

/// The vertices, among those of an element, of what a label of *SURFACE names: S1 to S6 the faces of a solid or the
/// edges of a plane element; of a shell, SPOS and SNEG (S1, S2) the element, and E1 to E4 (S3 to S6) its edges; END1
/// and END2 of a line. Empty for a label that such an element has not.
std::vector<int> abaqus_face(const AbaqusType& type, std::string_view label);

}  // namespace tessera::mesh
