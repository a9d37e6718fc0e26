#include "assembly/space/element.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>

#include "assembly/space/quadrature.hpp"
#include "base/error.hpp"

namespace tessera::assembly {
namespace {

using mesh::Shape;

/// l = constant + gradient . point
struct Affine {
  double constant;
  std::array<double, 3> gradient;
};

/// The simplices whose product the shape is: axes of the simplex part (0, 2 or 3), then axes of [-1,1].
struct Factors {
  int simplex_axes;
  int line_axes;
};

Factors factors(Shape shape) {
  switch (shape) {
    case Shape::point: return {0, 0};
    case Shape::interval: return {0, 1};
    case Shape::triangle: return {2, 0};
    case Shape::quad: return {0, 2};
    case Shape::tet: return {3, 0};
    case Shape::hex: return {0, 3};
    case Shape::prism: return {2, 1};
  }
  return {0, 0};
}

std::vector<Affine> barycentrics(Shape shape) {
  const auto [simplex, lines] = factors(shape);
  std::vector<Affine> result;
  if (simplex > 0) {
    Affine first{1, {0, 0, 0}};
    for (int axis = 0; axis < simplex; ++axis) first.gradient[axis] = -1;
    result.push_back(first);
    for (int axis = 0; axis < simplex; ++axis) {
      result.push_back({0, {0, 0, 0}});
      result.back().gradient[axis] = 1;
    }
  }
  for (int axis = simplex; axis < simplex + lines; ++axis)
    for (const double sign : {-1.0, 1.0}) {
      result.push_back({0.5, {0, 0, 0}});
      result.back().gradient[axis] = 0.5 * sign;
    }
  return result;
}

double value(const Affine& l, const double* point, int dim) {
  double sum = l.constant;
  for (int axis = 0; axis < dim; ++axis) sum += l.gradient[axis] * point[axis];
  return sum;
}

/// Nodes of the element of an interval, ascending on [-1,1].
std::vector<double> line_nodes(int order, bool equispaced) {
  std::vector<double> nodes(static_cast<std::size_t>(order) + 1);
  for (int i = 0; i <= order; ++i) nodes[i] = -1 + 2.0 * i / order;
  if (!equispaced) gauss_lobatto(order + 1, nodes);
  return nodes;
}

/// Nodes strictly inside the cell, x fastest.
void append_interior(Element& element) {
  const auto [simplex, lines] = factors(element.shape);
  const int k = element.order;
  std::array<int, 3> i{1, 1, 1};
  const auto coordinate = [&, simplex = simplex](int axis) {
    return axis < simplex ? double(i[axis]) / k : element.line_nodes[i[axis]];
  };
  const int last = k - 1;
  for (i[2] = 1; i[2] <= (element.dim > 2 ? last : 1); ++i[2])
    for (i[1] = 1; i[1] <= (element.dim > 1 ? last : 1); ++i[1])
      for (i[0] = 1; i[0] <= last; ++i[0]) {
        int sum = 0;
        for (int axis = 0; axis < simplex; ++axis) sum += i[axis];
        if (sum >= k && simplex > 0) continue;
        for (int axis = 0; axis < element.dim; ++axis) element.node_points.push_back(coordinate(axis));
      }
}

/// Point of the reference cell at `point` of the reference facet: the facet's order-1 basis with the cell's vertices.
void append_facet_point(Shape shape, const mesh::Topology::Facet& facet, const double* point,
                        std::vector<double>& result) {
  const int dim = mesh::dimension(shape), facet_dim = dim - 1;
  const std::span<const double> vertices = reference_vertices(shape);
  std::vector<double> phi, dphi;
  tabulate(lagrange(facet.shape, 1), {point, static_cast<std::size_t>(facet_dim)}, phi, dphi);
  for (int axis = 0; axis < dim; ++axis) {
    double x = 0;
    for (std::size_t v = 0; v < phi.size(); ++v) x += phi[v] * vertices[facet.vertices[v] * dim + axis];
    result.push_back(x);
  }
}

/// Position of a barycentric coordinate among those of the nodes: order l, or that of the nearest of the line's nodes.
int lattice_position(const Element& element, double l) {
  if (element.equispaced) return static_cast<int>(std::lround(element.order * l));
  const auto distance = [&](int i) { return std::abs(0.5 * (1 + element.line_nodes[i]) - l); };
  int nearest = 0;
  for (int i = 1; i <= element.order; ++i)
    if (distance(i) < distance(nearest)) nearest = i;
  return nearest;
}

void set_lattice(Element& element) {
  const std::vector<Affine> all = barycentrics(element.shape);
  element.barycentrics = static_cast<int>(all.size());
  element.lattice.assign(element.nodes, {});
  for (int node = 0; node < element.nodes; ++node)
    for (std::size_t b = 0; b < all.size(); ++b)
      element.lattice[node][b] = static_cast<std::int8_t>(
          lattice_position(element, value(all[b], &element.node_points[node * element.dim], element.dim)));
}

/// Point j of `order` on an edge from a to b.
double edge_coordinate(const Element& element, int j, double a, double b) {
  const int order = element.order;
  if (element.equispaced) return ((order - j) * a + j * b) / order;
  return 0.5 * ((1 - element.line_nodes[j]) * a + (1 + element.line_nodes[j]) * b);
}

Element build(Shape shape, int order, bool equispaced) {
  Element element;
  element.shape = shape;
  element.order = order;
  element.dim = mesh::dimension(shape);
  element.equispaced = equispaced;
  element.line_nodes = line_nodes(order, equispaced);
  const int dim = element.dim;
  if (dim == 0) {
    element.lattice.resize(1);
    element.edge_first = element.face_first = {1};
    element.interior_first = 1;
    return element;
  }
  const std::span<const double> vertices = reference_vertices(shape);
  element.node_points.assign(vertices.begin(), vertices.end());
  const auto nodes = [&] { return static_cast<int>(element.node_points.size()) / dim; };
  const mesh::Topology& topology = mesh::topology(shape);
  element.edge_first = {nodes()};
  if (dim > 1)
    for (const auto& edge : topology.edges) {
      for (int j = 1; j < order; ++j)
        for (int axis = 0; axis < dim; ++axis)
          element.node_points.push_back(
              edge_coordinate(element, j, vertices[edge[0] * dim + axis], vertices[edge[1] * dim + axis]));
      element.edge_first.push_back(nodes());
    }
  element.face_first = {nodes()};
  if (dim == 3)
    for (const auto& face : topology.facets) {
      const Element& of_face = lagrange(face.shape, order, equispaced ? LineNodes::standard : LineNodes::lobatto);
      for (int node = of_face.interior_first; node < of_face.nodes; ++node)
        append_facet_point(shape, face, &of_face.node_points[node * 2], element.node_points);
      element.face_first.push_back(nodes());
    }
  element.interior_first = nodes();
  append_interior(element);
  element.nodes = nodes();
  set_lattice(element);
  return element;
}

/// A map filled on demand whose entries never move. `make` runs outside the lock, so that it may ask the cache itself.
template <class Key, class Value, class Make>
const Value& cached(Key key, Make make) {
  static std::mutex mutex;
  static std::map<Key, std::unique_ptr<const Value>> entries;
  {
    const std::lock_guard lock(mutex);
    if (const auto found = entries.find(key); found != entries.end()) return *found->second;
  }
  auto made = std::make_unique<const Value>(make());
  const std::lock_guard lock(mutex);
  return *entries.try_emplace(key, std::move(made)).first->second;
}

std::vector<int> match_facet(Shape shape, int order, int side) {
  const Element& element = lagrange(shape, order);
  const Element& facet = lagrange(mesh::topology(shape).facets[side].shape, order);
  const std::vector<double> points = facet_to_cell(shape, side, facet.node_points);
  std::vector<int> result;
  for (int n = 0; n < facet.nodes; ++n)
    for (int node = 0; node < element.nodes; ++node) {
      double distance = 0;
      for (int axis = 0; axis < element.dim; ++axis)
        distance += std::abs(element.node_points[node * element.dim + axis] - points[n * element.dim + axis]);
      if (distance < 1e-8) result.push_back(node);
    }
  return result;
}

}  // namespace

std::span<const double> reference_vertices(Shape shape) {
  static const double interval[] = {-1, 1};
  static const double triangle[] = {0, 0, 1, 0, 0, 1};
  static const double quad[] = {-1, -1, 1, -1, 1, 1, -1, 1};
  static const double tet[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  static const double hex[] = {-1, -1, -1, 1, -1, -1, 1, 1, -1, -1, 1, -1, -1, -1, 1, 1, -1, 1, 1, 1, 1, -1, 1, 1};
  static const double prism[] = {0, 0, -1, 1, 0, -1, 0, 1, -1, 0, 0, 1, 1, 0, 1, 0, 1, 1};
  switch (shape) {
    case Shape::point: return {};
    case Shape::interval: return interval;
    case Shape::triangle: return triangle;
    case Shape::quad: return quad;
    case Shape::tet: return tet;
    case Shape::hex: return hex;
    case Shape::prism: return prism;
  }
  return {};
}

int largest_order(Shape shape) { return factors(shape).simplex_axes > 0 ? max_simplex_order : max_order; }

std::vector<double> equispaced_points(const Element& element) {
  if (element.equispaced) return element.node_points;
  std::vector<double> points;
  for (int node = 0; node < element.nodes; ++node)
    for (int axis = 0; axis < element.dim; ++axis)
      points.push_back(-1 + 2.0 * element.lattice[node][2 * axis + 1] / element.order);
  return points;
}

const Element& lagrange(Shape shape, int order, LineNodes nodes) {
  if (order < 1 || order > largest_order(shape))
    throw Error(ExitCode::usage, fmt::format("no Lagrange element of order {} on a {}", order, mesh::name(shape)),
                fmt::format("orders 1 to {} are there for triangle, tet and prism, 1 to {} for interval, quad and hex",
                            max_simplex_order, max_order));
  if (nodes == LineNodes::lobatto && factors(shape).simplex_axes > 0)
    throw Error(ExitCode::usage,
                fmt::format("spectral elements are quads and hexes, and the mesh has a {}", mesh::name(shape)),
                "make a mesh of quads or hexes: in Gmsh `Recombine Surface` or `Mesh.SubdivisionAlgorithm`");
  // Nodes at -1, 0 and 1 are both.
  const bool equispaced = order <= 2 || (order <= max_simplex_order && nodes == LineNodes::standard);
  return cached<std::tuple<Shape, int, bool>, Element>({shape, order, equispaced},
                                                       [&] { return build(shape, order, equispaced); });
}

void tabulate_line(std::span<const double> nodes, double x, double* phi, double* dphi) {
  const int n = static_cast<int>(nodes.size());
  for (int i = 0; i < n; ++i) {
    phi[i] = 1;
    dphi[i] = 0;
    for (int j = 0; j < n; ++j) {  // product rule, factor by factor
      if (j == i) continue;
      const double scale = 1 / (nodes[i] - nodes[j]);
      dphi[i] = (dphi[i] * (x - nodes[j]) + phi[i]) * scale;
      phi[i] *= (x - nodes[j]) * scale;
    }
  }
}

namespace {

/// phi_n = prod_axis L_{m_n,axis} with the Lagrange polynomials of the line's nodes.
void tabulate_product(const Element& element, std::span<const double> points, std::vector<double>& phi,
                      std::vector<double>& dphi) {
  const int dim = element.dim, nodes = element.nodes;
  const std::size_t count = points.size() / dim;
  std::array<std::array<double, max_order + 1>, 3> line, slope;
  for (std::size_t q = 0; q < count; ++q) {
    for (int axis = 0; axis < dim; ++axis)
      tabulate_line(element.line_nodes, points[q * dim + axis], line[axis].data(), slope[axis].data());
    for (int node = 0; node < nodes; ++node) {
      const auto& m = element.lattice[node];
      for (int axis = 0; axis < dim; ++axis) phi[q * nodes + node] *= line[axis][m[2 * axis + 1]];
      for (int axis = 0; axis < dim; ++axis) {
        double product = slope[axis][m[2 * axis + 1]];
        for (int other = 0; other < dim; ++other)
          if (other != axis) product *= line[other][m[2 * other + 1]];
        dphi[(q * nodes + node) * dim + axis] = product;
      }
    }
  }
}

}  // namespace

void tabulate(const Element& element, std::span<const double> points, std::vector<double>& phi,
              std::vector<double>& dphi) {
  const int dim = element.dim, nodes = element.nodes, k = element.order;
  const std::size_t count = dim == 0 ? 1 : points.size() / dim;
  phi.assign(count * nodes, 1.0);
  dphi.assign(count * nodes * dim, 0.0);
  if (dim == 0) return;
  if (!element.equispaced) return tabulate_product(element, points, phi, dphi);
  const std::vector<Affine> all = barycentrics(element.shape);
  // S_m(k l) and its derivative with respect to l, for every coordinate b and m = 0 .. k
  std::array<std::array<double, max_simplex_order + 1>, 6> s{}, ds{};
  for (std::size_t q = 0; q < count; ++q) {
    const double* point = &points[q * dim];
    for (std::size_t b = 0; b < all.size(); ++b) {
      const double l = k * value(all[b], point, dim);
      s[b][0] = 1;
      for (int m = 0; m < k; ++m) {
        s[b][m + 1] = s[b][m] * (l - m) / (m + 1);
        ds[b][m + 1] = (ds[b][m] * (l - m) + s[b][m] * k) / (m + 1);
      }
    }
    for (int node = 0; node < nodes; ++node) {
      const auto& m = element.lattice[node];
      for (std::size_t b = 0; b < all.size(); ++b) phi[q * nodes + node] *= s[b][m[b]];
      double* gradient = &dphi[(q * nodes + node) * dim];
      for (std::size_t b = 0; b < all.size(); ++b) {
        double slope = ds[b][m[b]];
        for (std::size_t other = 0; other < all.size(); ++other)
          if (other != b) slope *= s[other][m[other]];
        for (int axis = 0; axis < dim; ++axis) gradient[axis] += slope * all[b].gradient[axis];
      }
    }
  }
}

std::vector<double> facet_to_cell(Shape shape, int side, std::span<const double> facet_points) {
  const int facet_dim = mesh::dimension(shape) - 1;
  const mesh::Topology::Facet& facet = mesh::topology(shape).facets[side];
  std::vector<double> result;
  const std::size_t count = facet_dim == 0 ? 1 : facet_points.size() / facet_dim;
  for (std::size_t q = 0; q < count; ++q) append_facet_point(shape, facet, facet_points.data() + q * facet_dim, result);
  return result;
}

std::array<double, 3> reference_normal(Shape shape, int side) {
  const int dim = mesh::dimension(shape);
  const mesh::Topology::Facet& facet = mesh::topology(shape).facets[side];
  const std::span<const double> vertices = reference_vertices(shape);
  // sides of reference cells are flat and affinely mapped, so tangents along two facet edges suffice
  const double scale = factors(facet.shape).simplex_axes > 0 ? 1.0 : 0.5;
  const auto tangent = [&](int to) {
    std::array<double, 3> t{};
    for (int axis = 0; axis < dim; ++axis)
      t[axis] = scale * (vertices[facet.vertices[to] * dim + axis] - vertices[facet.vertices[0] * dim + axis]);
    return t;
  };
  if (dim == 1) return {vertices[facet.vertices[0]], 0, 0};
  const std::array<double, 3> a = tangent(1);
  if (dim == 2) return {a[1], -a[0], 0};
  const std::array<double, 3> b = tangent(facet.shape == Shape::quad ? 3 : 2);
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

const std::vector<int>& facet_local_dofs(Shape shape, int order, int side) {
  return cached<std::tuple<Shape, int, int>, std::vector<int>>({shape, order, side},
                                                               [&] { return match_facet(shape, order, side); });
}

}  // namespace tessera::assembly
