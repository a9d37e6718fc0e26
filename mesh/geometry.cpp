#include "mesh/geometry.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/team.hpp"
#include "mesh/box_of_points.hpp"
#include "mesh/side_table.hpp"

namespace tessera::mesh {
namespace {

/// Lagrange function on [-1,1] of the node at k (-1, 0 or 1), and its derivative.
std::array<double, 2> line_function(int order, double k, double t) {
  if (order == 1) return {0.5 * (1 + k * t), 0.5 * k};
  if (k == 0) return {1 - t * t, -2 * t};
  return {0.5 * t * (t + k), t + 0.5 * k};
}

/// Lagrange functions of a simplex of dimension dim from barycentric coordinates.
void simplex_functions(Shape shape, int order, const double* xi, double* phi, double* dphi) {
  const int dim = dimension(shape);
  std::array<double, 4> l{1, 0, 0, 0};
  for (int d = 0; d < dim; ++d) l[0] -= l[d + 1] = xi[d];
  auto slope = [](int vertex, int d) { return vertex == 0 ? -1.0 : vertex == d + 1 ? 1.0 : 0.0; };
  for (int v = 0; v <= dim; ++v) {
    phi[v] = order == 1 ? l[v] : l[v] * (2 * l[v] - 1);
    for (int d = 0; dphi && d < dim; ++d) dphi[v * dim + d] = (order == 1 ? 1 : 4 * l[v] - 1) * slope(v, d);
  }
  if (order == 1) return;
  int node = dim + 1;
  for (const auto& [a, b] : topology(shape).edges) {
    phi[node] = 4 * l[a] * l[b];
    for (int d = 0; dphi && d < dim; ++d) dphi[node * dim + d] = 4 * (slope(a, d) * l[b] + l[a] * slope(b, d));
    ++node;
  }
}

void prism_functions(int order, const double* xi, double* phi, double* dphi) {
  std::array<double, 6> tri;
  std::array<double, 12> dtri;
  simplex_functions(Shape::triangle, order, xi, tri.data(), dtri.data());
  const auto nodes = reference_nodes(Shape::prism, order), flat = reference_nodes(Shape::triangle, order);
  for (int i = 0; i < node_count(Shape::prism, order); ++i) {
    int t = 0;
    while (flat[2 * t] != nodes[3 * i] || flat[2 * t + 1] != nodes[3 * i + 1]) ++t;
    const auto [value, slope] = line_function(order, nodes[3 * i + 2], xi[2]);
    phi[i] = tri[t] * value;
    if (!dphi) continue;
    dphi[3 * i] = dtri[2 * t] * value;
    dphi[3 * i + 1] = dtri[2 * t + 1] * value;
    dphi[3 * i + 2] = tri[t] * slope;
  }
}

void tensor_functions(Shape shape, int order, const double* xi, double* phi, double* dphi) {
  const int dim = dimension(shape);
  const auto nodes = reference_nodes(shape, order);
  for (int i = 0; i < node_count(shape, order); ++i) {
    std::array<std::array<double, 2>, 3> f;
    for (int d = 0; d < dim; ++d) f[d] = line_function(order, nodes[i * dim + d], xi[d]);
    phi[i] = 1;
    for (int d = 0; d < dim; ++d) phi[i] *= f[d][0];
    for (int d = 0; dphi && d < dim; ++d) {
      dphi[i * dim + d] = 1;
      for (int e = 0; e < dim; ++e) dphi[i * dim + d] *= f[e][e == d ? 1 : 0];
    }
  }
}

/// Gauss points with tabulated geometric shape functions.
struct Rule {
  std::vector<double> weights;
  std::vector<double> dphi;  // [points, nodes, dim]
};

/// Three Gauss points an axis, collapsed onto simplices: exact for every polynomial Jacobian of order 1 and 2.
Rule make_rule(Shape shape, int order) {
  const int dim = dimension(shape), nodes = node_count(shape, order);
  const std::array<double, 3> t{-std::sqrt(0.6), 0, std::sqrt(0.6)}, w{5.0 / 9, 8.0 / 9, 5.0 / 9};
  Rule rule;
  const int count = dim == 0 ? 0 : dim == 1 ? 3 : dim == 2 ? 9 : 27;
  for (int q = 0; q < count; ++q) {
    const std::array<int, 3> i{q % 3, q / 3 % 3, q / 9};
    std::array<double, 3> xi{};
    double weight = 1;
    for (int d = 0; d < dim; ++d) xi[d] = t[i[d]], weight *= w[i[d]];
    const int collapsed = shape == Shape::tet ? 3 : shape == Shape::triangle || shape == Shape::prism ? 2 : 0;
    double rest = 1;  // Duffy: each axis is scaled by what the axes before it leave
    for (int d = 0; d < collapsed; ++d) {
      weight *= 0.5 * rest;
      xi[d] = 0.5 * (1 + xi[d]) * rest;
      rest -= xi[d];
    }
    std::array<double, max_nodes> phi;
    rule.weights.push_back(weight);
    rule.dphi.resize(rule.dphi.size() + static_cast<std::size_t>(nodes) * dim);
    shape_functions(shape, order, xi.data(), phi.data(), &*rule.dphi.end() - static_cast<std::ptrdiff_t>(nodes) * dim);
  }
  return rule;
}

const Rule& rule(Shape shape, int order) {
  static const std::array<Rule, 2 * shape_count> rules = [] {
    std::array<Rule, 2 * shape_count> all;
    for (int s = 0; s < shape_count; ++s)
      for (int o : {1, 2}) all[2 * s + o - 1] = make_rule(static_cast<Shape>(s), o);
    return all;
  }();
  return rules[2 * static_cast<int>(shape) + order - 1];
}

template <class F>
double sum_over(Index count, F f) {
  std::vector<double> values(static_cast<std::size_t>(count));
  parallel_for(default_threads(), count, [&](Index i) { values[i] = f(i); });
  double sum = 0;  // in order: the same for any number of threads
  for (double v : values) sum += v;
  return sum;
}

bool inside(Shape shape, const std::array<double, 3>& xi, double tolerance) {
  const int dim = dimension(shape);
  const int flat = shape == Shape::tet ? 3 : shape == Shape::triangle || shape == Shape::prism ? 2 : 0;
  double sum = 0;
  for (int d = 0; d < flat; ++d) {
    if (!(xi[d] >= -tolerance)) return false;
    sum += xi[d];
  }
  if (flat && !(sum <= 1 + tolerance)) return false;
  for (int d = flat; d < dim; ++d)
    if (!(std::abs(xi[d]) <= 1 + tolerance)) return false;
  return true;
}

}  // namespace

void shape_functions(Shape shape, int order, const double* xi, double* phi, double* dphi) {
  switch (shape) {
    case Shape::point: phi[0] = 1; return;
    case Shape::triangle:
    case Shape::tet: return simplex_functions(shape, order, xi, phi, dphi);
    case Shape::prism: return prism_functions(order, xi, phi, dphi);
    default: return tensor_functions(shape, order, xi, phi, dphi);
  }
}

double jacobian(const Mesh& mesh, const CellBlock& block, Index local, const double* dphi, double* J) {
  const int dim = mesh.dim;
  const Index* nodes = block.cell(local);
  for (int k = 0; k < 9; ++k) J[k] = k % 4 == 0 && k / 4 >= dim ? 1 : 0;
  for (int i = 0; i < block.nodes_per_cell; ++i) {
    const double* x = mesh.point(nodes[i]);
    for (int a = 0; a < dim; ++a)
      for (int b = 0; b < dim; ++b) J[3 * a + b] += x[a] * dphi[i * dim + b];
  }
  return J[0] * (J[4] * J[8] - J[5] * J[7]) - J[1] * (J[3] * J[8] - J[5] * J[6]) + J[2] * (J[3] * J[7] - J[4] * J[6]);
}

double cell_measure(const Mesh& mesh, Index cell) {
  const CellBlock& block = mesh.block_of(cell);
  const Rule& gauss = rule(block.shape, block.order);
  const std::size_t stride = static_cast<std::size_t>(block.nodes_per_cell) * mesh.dim;
  double sum = 0, J[9];
  if (block.order == 1 && (block.shape == Shape::tet || block.shape == Shape::triangle))
    return jacobian(mesh, block, cell - block.first_cell, gauss.dphi.data(), J) / (block.shape == Shape::tet ? 6 : 2);
  for (std::size_t q = 0; q < gauss.weights.size(); ++q)
    sum += gauss.weights[q] * jacobian(mesh, block, cell - block.first_cell, gauss.dphi.data() + q * stride, J);
  return sum;
}

double measure(const Mesh& mesh) {
  return sum_over(mesh.cells(), [&](Index cell) { return cell_measure(mesh, cell); });
}

double facet_measure(const Mesh& mesh, Index facet) {
  const CellBlock& block = mesh.block_of(mesh.facets.cell[facet]);
  const int side = static_cast<unsigned char>(mesh.facets.side[facet]);
  const Index* cell = block.cell(mesh.facets.cell[facet] - block.first_cell);
  const Shape shape = topology(block.shape).facets[side].shape;
  if (shape == Shape::point) return 1;
  const auto nodes = facet_nodes(block.shape, side, block.order);
  const Rule& gauss = rule(shape, block.order);
  const int dim = dimension(shape);
  double sum = 0;
  for (std::size_t q = 0; q < gauss.weights.size(); ++q) {
    double t[2][3] = {};
    for (std::size_t i = 0; i < nodes.size(); ++i)
      for (int a = 0; a < 3; ++a)
        for (int b = 0; b < dim; ++b)
          t[b][a] += mesh.point(cell[nodes[i]])[a] * gauss.dphi[(q * nodes.size() + i) * dim + b];
    const double size = dim == 1
                            ? std::hypot(t[0][0], t[0][1], t[0][2])
                            : std::hypot(t[0][1] * t[1][2] - t[0][2] * t[1][1], t[0][2] * t[1][0] - t[0][0] * t[1][2],
                                         t[0][0] * t[1][1] - t[0][1] * t[1][0]);
    sum += gauss.weights[q] * size;
  }
  return sum;
}

double measure(const Mesh& mesh, const Group& group) {
  return sum_over(static_cast<Index>(group.entities.size()), [&](Index i) {
    return group.dim == mesh.dim ? cell_measure(mesh, group.entities[i]) : facet_measure(mesh, group.entities[i]);
  });
}

std::array<double, 3> centroid(const Mesh& mesh, Index cell) {
  const CellBlock& block = mesh.block_of(cell);
  const Index* nodes = block.cell(cell - block.first_cell);
  const int vertices = vertex_count(block.shape);
  std::array<double, 3> mean{};
  for (int v = 0; v < vertices; ++v)
    for (int d = 0; d < 3; ++d) mean[d] += mesh.point(nodes[v])[d] / vertices;
  return mean;
}

BoundingBox box_of_points(std::span<const double> points, int threads) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const BoundingBox none{{infinity, infinity, infinity}, {-infinity, -infinity, -infinity}};
  const auto join = [](BoundingBox a, const BoundingBox& b) {
    for (std::size_t d = 0; d < 3; ++d) {
      a.min[d] = std::min(a.min[d], b.min[d]);
      a.max[d] = std::max(a.max[d], b.max[d]);
    }
    return a;
  };
  return parallel_reduce(
      threads, static_cast<Offset>(points.size() / 3), none,
      [&](Offset first, Offset last) {
        BoundingBox box = none;
        for (auto i = static_cast<std::size_t>(3 * first); i < static_cast<std::size_t>(3 * last); i += 3) {
          const std::array<double, 3> point{points[i], points[i + 1], points[i + 2]};
          box = join(box, {point, point});
        }
        return box;
      },
      join);
}

BoundingBox bounding_box(const Mesh& mesh) { return mesh.nodes() == 0 ? BoundingBox{} : box_of_points(mesh.points, 1); }

bool reference_coordinates(const Mesh& mesh, const CellBlock& block, Index local, const std::array<double, 3>& point,
                           std::array<double, 3>& xi) {
  const int dim = mesh.dim;
  const Index* nodes = block.cell(local);
  std::array<double, max_nodes> phi;
  std::array<double, 3 * max_nodes> dphi;
  xi = {};
  if (block.shape == Shape::triangle || block.shape == Shape::prism) xi = {1.0 / 3, 1.0 / 3, 0};
  if (block.shape == Shape::tet) xi = {0.25, 0.25, 0.25};
  constexpr int most_steps = 30;
  for (int step = 0; step < most_steps; ++step) {
    shape_functions(block.shape, block.order, xi.data(), phi.data(), dphi.data());
    std::array<double, 3> r{};
    for (int d = 0; d < dim; ++d) {
      r[d] = point[d];
      for (int i = 0; i < block.nodes_per_cell; ++i) r[d] -= phi[i] * mesh.point(nodes[i])[d];
    }
    double J[9];
    const double det = jacobian(mesh, block, local, dphi.data(), J);
    if (det == 0) return false;
    // dxi = J^-1 r by Cramer's rule
    double change = 0;
    for (int c = 0; c < dim; ++c) {
      double K[9];
      std::copy_n(J, 9, K);
      for (int d = 0; d < 3; ++d) K[3 * d + c] = r[d];
      const double step_c = (K[0] * (K[4] * K[8] - K[5] * K[7]) - K[1] * (K[3] * K[8] - K[5] * K[6]) +
                             K[2] * (K[3] * K[7] - K[4] * K[6])) /
                            det;
      xi[c] += step_c;
      change = std::max(change, std::abs(step_c));
    }
    if (!(change < 1e3)) return false;
    if (change < 1e-13) return true;
    if (step + 1 == most_steps) return change < 1e-10;
  }
  return false;
}

BoundingBox cell_box(const Mesh& mesh, const CellBlock& block, Index local) {
  BoundingBox box;
  const Index* nodes = block.cell(local);
  for (int d = 0; d < 3; ++d) {
    double low = mesh.point(nodes[0])[d], high = low;
    for (int i = 1; i < block.nodes_per_cell; ++i) {
      low = std::min(low, mesh.point(nodes[i])[d]);
      high = std::max(high, mesh.point(nodes[i])[d]);
    }
    // Curved cells bulge beyond their nodes, by less than a quarter of their extent.
    const double margin = (block.order == 2 ? 0.25 : 1e-9) * (high - low);
    box.min[d] = low - margin;
    box.max[d] = high + margin;
  }
  return box;
}

PointLocator::PointLocator(const Mesh& mesh) : mesh_(mesh), box_(bounding_box(mesh)) {
  const double per_axis = std::pow(std::max<double>(1, mesh.cells()), 1.0 / mesh.dim);
  double mean = 1;  // geometric mean of the extents, so that bins are about as wide in every direction
  for (int d = 0; d < mesh.dim; ++d) mean *= std::pow(std::max(box_.max[d] - box_.min[d], 1e-300), 1.0 / mesh.dim);
  for (int d = 0; d < mesh.dim; ++d)
    bins_[d] = static_cast<Index>(std::clamp(per_axis * (box_.max[d] - box_.min[d]) / mean, 1.0, 1024.0));
  auto bin = [&](int d, double x) {
    const double width = box_.max[d] - box_.min[d];
    return width > 0 ? static_cast<Index>(std::clamp((x - box_.min[d]) / width * bins_[d], 0.0, bins_[d] - 1.0)) : 0;
  };
  ptr_.assign(static_cast<std::size_t>(bins_[0]) * bins_[1] * bins_[2] + 1, 0);
  auto for_each_bin = [&](auto visit) {
    for (const CellBlock& block : mesh.blocks)
      for (Index c = 0; c < block.cells(); ++c) {
        const BoundingBox box = cell_box(mesh, block, c);
        for (Index k = bin(2, box.min[2]); k <= bin(2, box.max[2]); ++k)
          for (Index j = bin(1, box.min[1]); j <= bin(1, box.max[1]); ++j)
            for (Index i = bin(0, box.min[0]); i <= bin(0, box.max[0]); ++i)
              visit((static_cast<std::size_t>(k) * bins_[1] + j) * bins_[0] + i, block.first_cell + c);
      }
  };
  for_each_bin([&](std::size_t b, Index) { ++ptr_[b]; });
  cells_.resize(static_cast<std::size_t>(counts_to_starts(ptr_)));
  std::vector<Offset> next = ptr_;
  for_each_bin([&](std::size_t b, Index cell) { cells_[next[b]++] = cell; });
}

std::optional<Location> PointLocator::find(const std::array<double, 3>& point, double tolerance) const {
  if (ptr_.back() == 0 || !(std::isfinite(point[0]) && std::isfinite(point[1]) && std::isfinite(point[2]))) return {};
  std::size_t at = 0;
  for (int d = 2; d >= 0; --d) {
    const double width = box_.max[d] - box_.min[d];
    Index bin = 0;
    if (width > 0)
      bin = static_cast<Index>(std::clamp((point[d] - box_.min[d]) / width * bins_[d], 0.0, bins_[d] - 1.0));
    at = at * bins_[d] + bin;
  }
  std::optional<Location> found;
  for (Offset i = ptr_[at]; i < ptr_[at + 1]; ++i) {
    const CellBlock& block = mesh_.block_of(cells_[i]);
    Location location{cells_[i], {}};
    if (found && found->cell < location.cell) continue;
    if (reference_coordinates(mesh_, block, cells_[i] - block.first_cell, point, location.xi) &&
        inside(block.shape, location.xi, tolerance))
      found = location;
  }
  return found;
}

std::optional<Location> find_cell(const Mesh& mesh, const std::array<double, 3>& point, double tolerance) {
  return PointLocator(mesh).find(point, tolerance);
}

}  // namespace tessera::mesh
