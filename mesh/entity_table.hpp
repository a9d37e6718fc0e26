#pragma once
#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "mesh/mesh.hpp"

namespace tessera::mesh {

/// A group or an entity in numbers, so that a reader of the table knows which part of the geometry it is.
struct EntityRow {
  std::string name;
  int dim = 0;
  bool is_group = false;
  Index count = 0;                 ///< cells, facets, edges or points
  double size = 0;                 ///< volume, area or length; 0 of points
  std::array<double, 3> centre{};  ///< of mass
  std::array<double, 3> min{}, max{};
  bool exterior = false;       ///< facets: all of them bound the mesh
  bool some_exterior = false;  ///< facets: some of them do
  std::array<double, 3>
      normal{};  ///< of exterior facets: mean outward normal; its length is 1 where flat and 0 where closed
  std::vector<std::string> in;  ///< of an entity: the groups that hold its first item
};

/// One row a group, then one an entity; each by dimension, highest first.
std::vector<EntityRow> entity_rows(const Mesh& mesh);

/// The rows as aligned text, with a heading. `most` > 0: no more than so many rows, and a line that says how many are
/// left out. `with_entities` false: entities only of dimensions that have no group.
std::string entity_table(const Mesh& mesh, std::size_t most, bool with_entities);

}  // namespace tessera::mesh
