#include "mesh/gmsh_convert.hpp"

#include <fmt/format.h>
#include <gmsh.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>
#include <vector>

#include "base/counted.hpp"
#include "base/error.hpp"
#include "mesh/completion.hpp"
#include "mesh/gmsh_types.hpp"

namespace tessera::mesh {

namespace {

using Local = std::vector<int>;  // local numbers of vertices of a cell

/// Places in the reference cell, [places, 3].
using Places = std::vector<double>;

/// The nodes of a type in its reference cell.
Places node_places(int type) {
  std::string name;
  int dim = 0, order = 0, nodes = 0, vertices = 0;
  std::vector<double> packed;
  gmsh::model::mesh::getElementProperties(type, name, dim, order, nodes, packed, vertices);
  Places places(3 * static_cast<std::size_t>(nodes), 0);
  for (int n = 0; n < nodes; ++n)
    for (int axis = 0; axis < dim; ++axis) places[3 * n + axis] = packed[n * dim + axis];
  return places;
}

/// The cell's basis at places: [places, nodes].
std::vector<double> basis_at(int type, const Places& places) {
  int components = 0, orientations = 0;
  std::vector<double> values;
  gmsh::model::mesh::getBasisFunctions(type, places, "Lagrange", components, values, orientations);
  return values;
}

/// The means of vertices, as places.
Places means(int type, const std::vector<Local>& sets) {
  const Places nodes = node_places(type);
  Places places;
  for (const Local& set : sets)
    for (int axis = 0; axis < 3; ++axis) {
      double sum = 0;
      for (int vertex : set) sum += nodes[3 * vertex + axis];
      places.push_back(sum / static_cast<double>(set.size()));
    }
  return places;
}

/// Makes a block complete and of order 2; the largest distance of its old nodes from the new cells.
double complete(int type, CellBlock& block, std::vector<double>& points, SharedNodes& shared) {
  const auto width = static_cast<std::size_t>(node_count(block.shape, 2));
  const Completion completion{block.shape, block.nodes_per_cell,
                              basis_at(type, means(type, node_vertices(block.shape))),
                              basis_at(gmsh_type_of(block.shape, 2), node_places(type))};
  std::vector<Index> nodes(static_cast<std::size_t>(block.cells()) * width);
  double farthest = 0;
  for (Index c = 0; c < block.cells(); ++c)
    farthest = std::max(farthest, complete_cell(completion, block.cell(c),
                                                nodes.data() + static_cast<std::size_t>(c) * width, points, shared));
  block.nodes = std::move(nodes);
  block.nodes_per_cell = static_cast<int>(width);
  block.order = 2;
  return farthest;
}

/// Faces of a cell by their vertices, seen from outside in the order of the right-hand rule.
std::vector<Local> faces_of(const GmshType& type) {
  if (type.pyramid()) return {{0, 3, 2, 1}, {0, 1, 4}, {1, 2, 4}, {2, 3, 4}, {3, 0, 4}};
  std::vector<Local> faces;
  for (const Topology::Facet& face : topology(type.shape).faces) {
    Local vertices;
    for (std::int8_t v : face.vertices)
      if (v >= 0) vertices.push_back(v);
    faces.push_back(std::move(vertices));
  }
  return faces;
}

/// Position of the smallest of the numbers that `local` picks.
int smallest(const Index* numbers, const Local& local) {
  return static_cast<int>(
      std::min_element(local.begin(), local.end(), [&](int a, int b) { return numbers[a] < numbers[b]; }) -
      local.begin());
}

/// Cuts one face from its smallest vertex; calls f(a, b, c) with local vertices, turning as the face does.
template <class F>
void for_each_triangle(const Index* numbers, const Local& face, F f) {
  const int n = static_cast<int>(face.size()), at = smallest(numbers, face);
  for (int k = 1; k + 1 < n; ++k) f(face[at], face[(at + k) % n], face[(at + k + 1) % n]);
}

/// Cuts cells of one type into tetrahedra.
class TetCutter {
 public:
  TetCutter(const GmshType& type, int order) : type_(type), order_(order), faces_(faces_of(type)) {
    for (int v = 0; v < type.vertices(); ++v) all_.push_back(v);
    for (int a : all_)
      for (int b : all_) pairs_.push_back({a, b});
    if (order == 2) basis_ = basis_at(type.id, means(type.id, pairs_));
  }

  void cut(const Index* cell, SharedNodes& shared, std::vector<Index>& tets) const {
    if (type_.shape == Shape::tet) return add(cell, {0, 1, 2, 3}, shared, tets);
    const int tip = all_[smallest(cell, all_)];
    for (const Local& face : faces_)
      if (std::find(face.begin(), face.end(), tip) == face.end())
        for_each_triangle(cell, face, [&](int a, int b, int c) { add(cell, {a, c, b, tip}, shared, tets); });
  }

 private:
  void add(const Index* cell, const std::array<int, 4>& tet, SharedNodes& shared, std::vector<Index>& tets) const {
    for (int v : tet) tets.push_back(cell[v]);
    if (order_ == 1) return;
    const auto& sets = node_vertices(Shape::tet);
    for (std::size_t n = 4; n < sets.size(); ++n) {
      const int pair = tet[sets[n][0]] * type_.vertices() + tet[sets[n][1]];
      tets.push_back(shared(cell, pairs_[pair], basis_.data() + pair * type_.nodes, type_.nodes));
    }
  }

  const GmshType& type_;
  int order_;
  Local all_;
  std::vector<Local> faces_, pairs_;
  std::vector<double> basis_;  // at the midpoints of all pairs of vertices: [pairs, nodes]
};

void cut_into_tets(const std::string& file, GmshModel& model) {
  SharedNodes shared(model.points);
  std::vector<TetCutter> cutters;
  Index pyramids = 0;
  for (std::size_t b = 0; b < model.blocks.size(); ++b) {
    const GmshType& type = *gmsh_type(model.types[b]);
    cutters.emplace_back(type, model.order);
    if (type.pyramid()) pyramids += model.blocks[b].cells();
  }
  CellBlock tets{Shape::tet, model.order, node_count(Shape::tet, model.order), {}, 0};
  Offset before = 0;
  for (EntityCells& cells : model.cells) {
    const Index first = tets.cells();
    const CellBlock& block = model.blocks[cells.block];
    for (Index c = cells.first; c < cells.first + cells.count; ++c)
      cutters[cells.block].cut(block.cell(c), shared, tets.nodes);
    if (tets.nodes.size() / static_cast<std::size_t>(tets.nodes_per_cell) >
        static_cast<std::size_t>(std::numeric_limits<Index>::max()))
      throw Error(ExitCode::mesh, fmt::format("{} has more tetrahedra than 32-bit numbers count", file),
                  "use a coarser mesh");
    before += cells.count;
    cells = {0, first, tets.cells() - first, cells.tag, std::move(cells.groups)};
  }
  for (EntityElements& elements : model.elements) {
    if (elements.shape != Shape::quad) continue;
    std::vector<Index> triangles;
    for (std::size_t e = 0; e < elements.vertices.size(); e += 4) {
      const Index* quad = elements.vertices.data() + e;
      for_each_triangle(quad, {0, 1, 2, 3}, [&](int a, int b, int c) {
        triangles.insert(triangles.end(), {quad[a], quad[b], quad[c]});
      });
    }
    elements.shape = Shape::triangle;
    elements.vertices = std::move(triangles);
  }
  model.infos.push_back(fmt::format("{} has {}: all {} cells are cut into {} tetrahedra", file,
                                    counted(pyramids, "pyramid"), before, tets.cells()));
  model.blocks = {std::move(tets)};
}

void complete_all(const std::string& file, GmshModel& model) {
  SharedNodes shared(model.points);
  for (std::size_t b = 0; b < model.blocks.size(); ++b) {
    const GmshType& type = *gmsh_type(model.types[b]);
    const double farthest = complete(type.id, model.blocks[b], model.points, shared);
    if (type.supported) continue;
    if (type.order == 2)
      model.infos.push_back(
          fmt::format("{}: {} cells of type {} get the nodes that they lack, and their geometry stays", file,
                      model.blocks[b].cells(), type.name));
    else
      model.warnings.push_back(
          fmt::format("{}: {} cells of type {} become cells of geometric order 2; their nodes move by {:.2g} at most",
                      file, model.blocks[b].cells(), type.name, farthest));
  }
}

}  // namespace

void convert_cells(const std::string& file, GmshModel& model) {
  const auto any = [&](auto is) {
    return std::any_of(model.types.begin(), model.types.end(), [&](int type) { return is(*gmsh_type(type)); });
  };
  if (any([](const GmshType& type) { return type.pyramid(); }))
    cut_into_tets(file, model);
  else if (any([](const GmshType& type) { return !type.supported; }))
    complete_all(file, model);
  model.types.clear();
}

}  // namespace tessera::mesh
