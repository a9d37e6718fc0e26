#include "mesh/group_items.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mesh/facets.hpp"

namespace tessera::mesh {

namespace {

/// Places lie this share of the way from a node to the centre of its facet or edge.
constexpr double drawn_in = 1e-6;

template <class T>
void sort_unique(std::vector<T>& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

}  // namespace

GroupItems::GroupItems(const Mesh& mesh, int dim) : mesh_(mesh), dim_(dim) {
  if (are_cells()) {
    ids_.resize(static_cast<std::size_t>(mesh.cells()));
    std::iota(ids_.begin(), ids_.end(), 0);
  } else if (are_facets()) {
    for (Index f = 0; f < mesh.facets.size(); ++f)
      if (mesh.facets.exterior[f]) ids_.push_back(f);
  } else if (dim == 1) {
    lower_ = edges(mesh);
  } else {
    std::vector<char> is_vertex(static_cast<std::size_t>(mesh.nodes()), 0);
    for (const CellBlock& block : mesh.blocks)
      for (Index c = 0; c < block.cells(); ++c)
        for (int v = 0; v < vertex_count(block.shape); ++v) is_vertex[block.cell(c)[v]] = 1;
    for (Index node = 0; node < mesh.nodes(); ++node)
      if (is_vertex[node]) lower_.push_back({node, -1});
  }
}

GroupItems::GroupItems(const Mesh& mesh, int dim, const std::vector<const Group*>& groups) : mesh_(mesh), dim_(dim) {
  for (const Group* group : groups) {
    ids_.insert(ids_.end(), group->entities.begin(), group->entities.end());
    const std::size_t width = static_cast<std::size_t>(dim) + 1;
    for (std::size_t v = 0; v + width <= group->vertices.size(); v += width) {
      const Index a = group->vertices[v], b = dim > 0 ? group->vertices[v + 1] : -1;
      lower_.push_back(dim > 0 ? std::array{std::min(a, b), std::max(a, b)} : std::array{a, b});
    }
  }
  sort_unique(ids_);
  sort_unique(lower_);
}

Index GroupItems::size() const { return static_cast<Index>(std::max(ids_.size(), lower_.size())); }

const char* GroupItems::noun() const {
  return are_cells() ? "cells" : are_facets() ? "facets" : dim_ == 1 ? "edges" : "nodes";
}

std::vector<Index> GroupItems::nodes(Index i) const {
  if (!are_cells() && !are_facets())
    return dim_ == 0 ? std::vector{lower_[i][0]} : std::vector{lower_[i][0], lower_[i][1]};
  const Index cell = are_cells() ? ids_[i] : mesh_.facets.cell[ids_[i]];
  const CellBlock& block = mesh_.block_of(cell);
  const Index* all = block.cell(cell - block.first_cell);
  if (are_cells()) return {all, all + vertex_count(block.shape)};
  std::vector<Index> result;
  for (std::int8_t local : facet_nodes(block.shape, mesh_.facets.side[ids_[i]], block.order))
    result.push_back(all[local]);
  return result;
}

std::array<double, 3> GroupItems::centre(Index i) const {
  std::array<double, 3> mean{};
  const std::vector<Index> at = nodes(i);
  for (Index node : at)
    for (int d = 0; d < 3; ++d) mean[d] += mesh_.point(node)[d] / static_cast<double>(at.size());
  return mean;
}

void GroupItems::append_places(Index i, std::vector<double>& xyz) const {
  const std::array<double, 3> mean = centre(i);
  if (are_cells()) {
    xyz.insert(xyz.end(), mean.begin(), mean.end());
    return;
  }
  for (Index node : nodes(i))
    for (int d = 0; d < 3; ++d) {
      const double x = mesh_.point(node)[d];
      xyz.push_back(x + drawn_in * (mean[d] - x));
    }
}

std::array<double, 3> GroupItems::normal(Index i) const {
  std::array<double, 3> n = area_vector(mesh_, ids_[i]);
  const double length = std::hypot(n[0], n[1], n[2]);
  for (double& x : n) x /= length;
  return n;
}

void GroupItems::keep(const std::vector<char>& kept) {
  Index to = 0;
  for (Index from = 0; from < static_cast<Index>(kept.size()); ++from) {
    if (!kept[from]) continue;
    if (!ids_.empty()) ids_[to] = ids_[from];
    if (!lower_.empty()) lower_[to] = lower_[from];
    ++to;
  }
  if (!ids_.empty()) ids_.resize(to);
  if (!lower_.empty()) lower_.resize(to);
}

Group GroupItems::group(const std::string& name) const {
  Group group{name, dim_, ids_, {}};
  for (const auto& item : lower_) group.vertices.insert(group.vertices.end(), item.begin(), item.begin() + dim_ + 1);
  return group;
}

std::array<double, 3> area_vector(const Mesh& mesh, Index facet) {
  const Index cell = mesh.facets.cell[facet];
  const int side = mesh.facets.side[facet];
  if (mesh.dim == 1) return {side == 0 ? -1.0 : 1.0, 0, 0};
  const FacetVertices v = side_vertices(mesh, cell, side);
  const auto difference = [&](int to, int from) {
    std::array<double, 3> d;
    for (int axis = 0; axis < 3; ++axis) d[axis] = mesh.point(v[to])[axis] - mesh.point(v[from])[axis];
    return d;
  };
  if (mesh.dim == 2) {  // the cell lies left of the edge
    const auto along = difference(1, 0);
    return {along[1], -along[0], 0};
  }
  // Half the product of two edges of a triangle, and of the diagonals of a quadrangle.
  const auto a = v[3] < 0 ? difference(1, 0) : difference(2, 0), b = v[3] < 0 ? difference(2, 0) : difference(3, 1);
  return {0.5 * (a[1] * b[2] - a[2] * b[1]), 0.5 * (a[2] * b[0] - a[0] * b[2]), 0.5 * (a[0] * b[1] - a[1] * b[0])};
}

}  // namespace tessera::mesh
