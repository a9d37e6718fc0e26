#pragma once
// What is copied out of Gmsh's model before Gmsh is ended.
#include <functional>
#include <string>
#include <vector>

#include "mesh/mesh.hpp"
#include "mesh/msh_check.hpp"

namespace tessera::mesh {

/// Elements of one type of one entity of lower dimension, by their vertices.
struct EntityElements {
  int dim = 0;
  int tag = 0;  ///< of the entity
  Shape shape = Shape::point;
  std::vector<int> groups;      ///< positions in GmshModel::groups
  std::vector<Index> vertices;  ///< [elements, vertices of the shape]
};

/// Cells of one entity: `count` cells of a block from `first` on.
struct EntityCells {
  std::size_t block = 0;
  Index first = 0, count = 0;
  int tag = 0;  ///< of the entity
  std::vector<int> groups;
  int partition = 0;  ///< its number in the file; 0: none
};

/// A name that the file gives an entity, such as that of a part in a STEP file.
struct EntityLabel {
  int dim = 0, tag = 0;
  std::string label;
};

struct PhysicalGroup {
  std::string name;
  int dim = 0;
};

/// A set of nodes of the file: a group of the exterior facets of which it has all nodes (node_sets.hpp).
struct NodeSet {
  std::string name;
  std::vector<Index> nodes;  ///< positions in GmshModel::points
};

/// All that comes back from the child process in which Gmsh works. A new member needs its name in describe() below.
struct GmshModel {
  int dim = 0, order = 1;
  std::vector<double> points;     ///< [nodes, 3], ascending tags
  std::vector<CellBlock> blocks;  ///< one a type; node numbers count points
  std::vector<int> types;         ///< Gmsh's number of the type of each block, while Gmsh's types are not yet converted
  std::vector<EntityCells> cells;
  std::vector<EntityElements> elements;  ///< of lower dimensions
  std::vector<PhysicalGroup> groups;     ///< of dimension <= dim; groups of one name and dimension are one
  std::vector<EntityLabel> labels;
  std::vector<NodeSet> node_sets;
  Index file_nodes = 0;  ///< where there are node sets: nodes before this one are the file's, others were made
  std::vector<std::string> infos;     ///< of the child, for the parent's log
  std::vector<std::string> notes;     ///< of the child, for the parent's debug log
  std::vector<std::string> warnings;  ///< of the child, for the parent to say and keep
};

// The members of each struct for the archives of base/archive.hpp, in one order for writing and reading.
template <class Archive>
void describe(Archive& archive, EntityElements& e) {
  archive(e.dim, e.tag, e.shape, e.groups, e.vertices);
}
template <class Archive>
void describe(Archive& archive, EntityCells& c) {
  archive(c.block, c.first, c.count, c.tag, c.groups, c.partition);
}
template <class Archive>
void describe(Archive& archive, EntityLabel& l) {
  archive(l.dim, l.tag, l.label);
}
template <class Archive>
void describe(Archive& archive, PhysicalGroup& g) {
  archive(g.name, g.dim);
}
template <class Archive>
void describe(Archive& archive, NodeSet& s) {
  archive(s.name, s.nodes);
}
template <class Archive>
void describe(Archive& archive, CellBlock& b) {
  archive(b.shape, b.order, b.nodes_per_cell, b.nodes, b.first_cell);
}
template <class Archive>
void describe(Archive& archive, GmshModel& m) {
  archive(m.dim, m.order, m.points, m.blocks, m.cells, m.elements, m.groups, m.labels, m.node_sets, m.file_nodes,
          m.infos, m.notes, m.warnings);
}

/// Sets the geometric order of a model whose cells are of these types of Gmsh. Throws Error(mesh) naming `file` where
/// there are none, and for types and mixtures of orders that have no place here. `count`: how many cells of a type
/// there are.
void set_order(const std::string& file, const std::vector<int>& types, const std::function<std::size_t(int)>& count,
               GmshModel& model);

/// The block of cells of a type; a new one where there is none yet.
CellBlock& block_of_type(GmshModel& model, int type);

/// Copies the mesh of Gmsh's current model. `grouped_only`: cells without a group are left out where cells have groups.
/// `facts`: what Gmsh does not know of the file. Throws Error(mesh) naming `file` for elements that are
/// not supported, nodes that do not exist, and no cells.
GmshModel copy_model(const std::string& file, bool grouped_only, const MshFacts& facts);

/// Makes the mesh of a copied model: drops unused nodes, mirrors inverted cells, matches facets.
Mesh make_mesh_of(GmshModel&& model, const std::string& file);

}  // namespace tessera::mesh
