#pragma once
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "base/error.hpp"
#include "mesh/mesh.hpp"

namespace tessera::mesh {

/// How the user follows and ends a long piece of work; both may be empty.
struct MeshHooks {
  std::function<bool()> stop = {};  ///< true: throw Error(interrupted) soon
  std::function<void(double fraction, const std::string& what)> progress =
      {};  ///< fraction below 0 where it is not known
};

struct GmshOptions {
  std::optional<double> size = {};  ///< of elements, where the file is a geometry
  int order = 1;                    ///< geometric order, where the file is a geometry
  bool trust = false;               ///< a .geo may start programs and write files
  std::optional<double> time_limit =
      {};                              ///< seconds of CPU; default: reading_seconds, and an hour to mesh or run a .geo
  std::optional<Position> where = {};  ///< place of the file's name in the deck
  MeshHooks hooks = {};
  int refine = 0;  ///< uniform refinements, where the file is a geometry: new nodes lie on it
  std::optional<double> angle =
      {};            ///< degrees, at which a triangulated surface (.stl) is cut into surfaces; default: 40
  bool glue = true;  ///< parts of a CAD file that touch share their faces, and so their nodes
};

/// Whether read_gmsh meshes a file of that name, and thus refines it on its geometry; a mesh file is read as it is.
bool is_geometry(const std::filesystem::path& file);

/// CPU time that is enough to read a file and too much to wait for a damaged one: half a minute and a second a megabyte
/// (Gmsh reads some 10 MB/s); an hour for a .geo, which may compute anything.
double reading_seconds(const std::filesystem::path& file);

/// Reads a mesh (.msh 1.0, 2.0 to 2.2 and 4.1, ascii and binary, and other mesh formats of Gmsh), or opens a geometry
/// (.geo, .step, .brep, .iges, .stl) and meshes it with elements of about `size` and geometric order `order`. A mesh
/// file keeps its order. Input decks of Abaqus and CalculiX (.inp) and VTK's unstructured grids (.vtu), which Gmsh does
/// not read, are read too (read_abaqus, read_vtu_mesh). All that works in a child process (run_in_child): its crashes,
/// its exit() and its hanging are errors like others.
///
/// Physical groups of every dimension become groups; one without a name is called "tag_<number>". A geometry with
/// groups of the highest dimension gives the cells of those groups only, as Gmsh saves them; else all cells are read.
/// Partitions of a .msh file become entities, "partition_1" (mesh/partition.hpp); ghosts and cuts between them are left
/// out. Elements that a file repeats for each of their groups are read once; in a 2.2 file each element has the groups
/// that it names. Pyramids, serendipity cells and orders 3 and 4 are converted (convert_cells). Elements of a group
/// that bound no cell are left out with a warning. Inverted cells are mirrored, nodes without a cell dropped, and nodes
/// are in the order of their tags.
///
/// Throws Error(file_system) where the file cannot be read, at `where` (its place in the deck), and Error(mesh) for a
/// corrupt file, a script that does more than mesh (check_geo) without `trust`, an unsupported element (order > 4), a
/// surface mesh in space, and whatever Gmsh refuses, in its own words. Error(memory), Error(interrupted): see
/// run_in_child.
Mesh read_gmsh(const std::filesystem::path& file, const GmshOptions& options = {});

}  // namespace tessera::mesh
