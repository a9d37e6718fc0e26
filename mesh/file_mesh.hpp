#pragma once
// A mesh as the reader of a format makes it that Gmsh does not know, on its way to a GmshModel.
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "mesh/gmsh_reader_model.hpp"

namespace tessera::mesh {

/// Elements of one dimension that have a name.
struct FileGroup {
  std::string name;
  int dim = 0;
  std::vector<Index> elements;  ///< positions in FileMesh; duplicates are allowed
};

/// Elements of any types and dimensions in the order of the file, in Gmsh's types and node orders.
struct FileMesh {
  std::vector<double> points;       ///< [nodes, 3]
  std::vector<std::uint8_t> types;  ///< [elements], Gmsh's numbers; see gmsh_type
  std::vector<Offset> starts{0};    ///< [elements + 1], of each element's nodes
  std::vector<Index> nodes;         ///< positions of points
  std::vector<FileGroup> groups;    ///< names differ within a dimension
  std::vector<NodeSet> node_sets;
  std::vector<std::string> infos, warnings;

  Index elements() const { return static_cast<Index>(types.size()); }
  /// `nodes` in Gmsh's order. Throws Error(mesh) where 32-bit numbers do not count the elements.
  void add(int type, std::span<const Index> nodes);
  std::span<const Index> element(Index e) const {
    return {nodes.data() + starts[e], static_cast<std::size_t>(starts[e + 1] - starts[e])};
  }
  int dim(Index e) const;
  /// Adds elements to the groups of that name, one for each dimension that they have.
  void add_group(const std::string& name, std::span<const Index> elements);

  std::map<std::pair<std::string, int>, std::size_t> group_numbers;  ///< (name, dim) -> position in groups
};

/// The model of a mesh: elements of the highest dimension are its cells, those below bear groups. All elements of a
/// dimension are one entity. Cells are converted to what the program has. Throws Error(mesh) naming `file`; in the
/// child process only, for Gmsh evaluates its bases.
GmshModel model_of(const std::string& file, FileMesh&& mesh);

}  // namespace tessera::mesh
