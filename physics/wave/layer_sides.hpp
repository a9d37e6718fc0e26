#pragma once
// The sides of a deck behind which perfectly matched layers lie, and what is refused of them.
#include <limits>

#include "assembly/spectral/layer_cells.hpp"
#include "mesh/plane_facets.hpp"
#include "physics/wave/coupled.hpp"

namespace tessera::physics::wave {

/// A side with its layer. Coordinates are those along its outward normal, sign * x.
struct LayerSide {
  const BoundaryParams* entry;
  int axis;
  double sign;
  double outer = 0, inner = 0;

  double at(const double* point) const { return sign * point[axis]; }
  double depth(const double* point, double tolerance) const {
    const double x = at(point);
    return x <= inner + tolerance ? 0 : std::min(1.0, (x - inner) / (outer - inner));
  }
  std::string plane(double coordinate) const { return mesh::describe_plane(axis, sign, coordinate); }
};

class LayerSides {
 public:
  /// Of the media of a mesh, the solid last.
  explicit LayerSides(std::vector<const Problem*> media);

  /// Finds the planes between which the layers lie. Throws Error(usage) where a side is none.
  void find();
  /// The same, and refuses what may not be in a layer.
  void check();
  /// Sides of an interface may not follow the stretched axes: forces of their normals along these would be others.
  void check_interface(const Interface& interface, const assembly::spectral::Layers& layers) const;
  /// Waves are reflected where the material changes from one element of a layer to the next behind it.
  void warn_of_jumps() const;
  /// P and SV waves of a plate between two free sides that go on into a layer grow there.
  void warn_of_plates() const;
  /// So do waves of anisotropic media whose energy goes against their phase across the layer.
  void warn_of_backward_waves() const;

  const std::vector<const Problem*>& media() const { return media_; }
  const std::vector<LayerSide>& sides() const { return sides_; }
  double tolerance() const { return tolerance_; }
  double multiaxial() const;

  /// Calls visit(cell, nodes, count) for the cells of the mesh.
  template <class Visit>
  void each_cell(Visit visit) const {
    for (const mesh::CellBlock& block : mesh_.blocks)
      for (Index c = 0; c < block.cells(); ++c) visit(block.first_cell + c, block.cell(c), block.nodes_per_cell);
  }
  /// The least and the greatest coordinate of a cell along the normal of a side.
  std::pair<double, double> extent(const LayerSide& side, const Index* nodes, int count) const;
  bool lies_in(const LayerSide& side, Index cell) const;
  /// Of all ranks.
  double greatest(double mine) const;

 private:
  bool anywhere(bool mine) const;
  [[noreturn]] void refuse(const BoundaryParams& entry, const std::string& what, const std::string& help) const;
  /// The axis to which the outward normal of a facet is closest, and its sign.
  std::pair<int, double> main_direction(Index facet) const;
  /// [facets] 1: outside, where no entry says anything but that it is free.
  std::vector<char> free_facets() const;
  void add_sides(const BoundaryParams& entry);
  /// A side that has a part of its plane alone.
  void refuse_part(const LayerSide& side, const mesh::Group& group) const;
  void find_inner(LayerSide& side) const;
  /// Where the cells end that begin at side.inner, inwards; -infinity where there are none.
  double next_plane(const LayerSide& side) const;
  void refuse_nothing_left() const;
  void refuse_what_crosses() const;
  void refuse_sources() const;
  void refuse_plane_waves() const;
  void refuse_absorbing() const;

  std::vector<const Problem*> media_;
  const Problem& problem_;  ///< of what they have in common
  const mesh::Mesh& mesh_;
  int dim_;
  double tolerance_ = 0;
  std::vector<LayerSide> sides_;
};

}  // namespace tessera::physics::wave
