#pragma once
// What is copied out of Gmsh's model before Gmsh is ended.
#include <string>
#include <vector>

#include "mesh/mesh.hpp"
#include "mesh/msh_check.hpp"

namespace tessera::mesh {

/// Elements of one type of one entity of lower dimension, by their vertices.
struct EntityElements {
  int dim = 0;
  Shape shape = Shape::point;
  std::vector<int> groups;      ///< positions in GmshModel::groups
  std::vector<Index> vertices;  ///< [elements, vertices of the shape]
};

/// Cells of one entity: `count` cells of a block from `first` on.
struct EntityCells {
  std::size_t block = 0;
  Index first = 0, count = 0;
  std::vector<int> groups;
};

struct PhysicalGroup {
  std::string name;
  int dim = 0;
};

struct GmshModel {
  int dim = 0, order = 1;
  std::vector<double> points;     ///< [nodes, 3], ascending tags
  std::vector<CellBlock> blocks;  ///< one a type; node numbers count points
  std::vector<EntityCells> cells;
  std::vector<EntityElements> elements;  ///< of lower dimensions, entities with groups only
  std::vector<PhysicalGroup> groups;     ///< of dimension <= dim; groups of one name and dimension are one
};

/// Copies the mesh of Gmsh's current model. `grouped_only`: cells without a group are left out where cells have groups.
/// `split`: elements that have other groups than their entity. Throws Error(mesh) naming `file` for elements that are not supported, nodes that do not exist, and no cells.
GmshModel copy_model(const std::string& file, bool grouped_only, const SplitEntities& split);

/// Makes the mesh of a copied model: drops unused nodes, mirrors inverted cells, matches facets.
Mesh make_mesh_of(GmshModel&& model, const std::string& file);

}  // namespace tessera::mesh
