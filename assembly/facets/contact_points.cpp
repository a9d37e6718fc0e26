#include "assembly/facets/contact_points.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "assembly/space/element.hpp"
#include "assembly/space/quadrature.hpp"
#include "mesh/geometry.hpp"
#include "mesh/overlap.hpp"

namespace tessera::assembly {
namespace {

mesh::CellSide side_of(const mesh::Mesh& mesh, Index facet) {
  return {mesh.facets.cell[facet], mesh.facets.side[facet]};
}

/// A point of the first facet with the weight of the rule and |dx/dxi| in it.
struct Point {
  std::array<double, 2> xi{};
  double ds = 0;
};

/// Points of integrals over parts of a facet.
class FacetRule {
 public:
  FacetRule(const mesh::FacetMap& facet, int order)
      : facet_(facet),
        straight_(facet.straight()),
        frame_(facet),
        degree_(2 * std::max(order, facet.order) + (facet.shape == mesh::Shape::triangle ? 0 : 1)) {}

  /// By the rule of integrals over the boundary.
  std::vector<Point> whole() const {
    const Quadrature& rule = quadrature(facet_.shape, degree_);
    const int dim = mesh::dimension(facet_.shape);
    std::vector<Point> points;
    for (int q = 0; q < rule.size(); ++q) {
      Point point;
      for (int a = 0; a < dim; ++a) point.xi[a] = rule.points[static_cast<std::size_t>(q) * dim + a];
      point.ds = rule.weights[static_cast<std::size_t>(q)] * facet_.measure(point.xi.data());
      points.push_back(point);
    }
    return points;
  }

  std::vector<Point> part(const std::vector<std::array<double, 2>>& corners) const {
    std::vector<Point> points;
    if (facet_.shape == mesh::Shape::interval) {
      const Quadrature& rule = quadrature(mesh::Shape::interval, degree_);
      const double half = 0.5 * (corners[1][0] - corners[0][0]), middle = 0.5 * (corners[1][0] + corners[0][0]);
      for (int q = 0; q < rule.size(); ++q) add({middle + half * rule.points[q], 0}, rule.weights[q] * half, points);
      return points;
    }
    // Products of functions of quads have twice their degree in each coordinate.
    const int degree = facet_.shape == mesh::Shape::quad ? 2 * degree_ : degree_;
    const Quadrature& rule = quadrature(mesh::Shape::triangle, std::min(degree, max_quadrature_degree));
    for (std::size_t c = 2; c < corners.size(); ++c) {
      const auto &a = corners[0], &b = corners[c - 1], &d = corners[c];
      const double twice = (b[0] - a[0]) * (d[1] - a[1]) - (b[1] - a[1]) * (d[0] - a[0]);
      for (int q = 0; q < rule.size(); ++q) {
        const double s = rule.points[2 * q], t = rule.points[2 * q + 1];
        add({a[0] + s * (b[0] - a[0]) + t * (d[0] - a[0]), a[1] + s * (b[1] - a[1]) + t * (d[1] - a[1])},
            rule.weights[q] * twice, points);
      }
    }
    return points;
  }

 private:
  /// At p in the frame, where the straight facet has the weight w.
  void add(const std::array<double, 2>& p, double w, std::vector<Point>& points) const {
    Point point;
    point.xi = centre();
    if (!straight_.nearest(frame_.lift(p), point.xi.data())) return;
    point.ds = w * facet_.measure(point.xi.data()) / straight_.measure(point.xi.data());
    points.push_back(point);
  }
  std::array<double, 2> centre() const {
    return facet_.shape == mesh::Shape::triangle ? std::array{1.0 / 3, 1.0 / 3} : std::array{0.0, 0.0};
  }

  const mesh::FacetMap& facet_;
  mesh::FacetMap straight_;
  mesh::FacetFrame frame_;
  int degree_;
};

/// The point of a facet that is nearest to x, in reference coordinates, and how far it is.
double nearest(const mesh::FacetMap& facet, const mesh::Vector3& x, std::array<double, 2>& xi) {
  xi = facet.shape == mesh::Shape::triangle ? std::array{1.0 / 3, 1.0 / 3} : std::array{0.0, 0.0};
  facet.straight().nearest(x, xi.data());
  if (!facet.nearest(x, xi.data())) return std::numeric_limits<double>::infinity();
  return mesh::distance(facet.at(xi.data()), x);
}

/// Functions of the dofs of a facet at a point of it.
void append_functions(const Element& element, const std::array<double, 2>& xi, std::vector<double>& to) {
  if (element.shape == mesh::Shape::point) {
    to.push_back(1);
    return;
  }
  std::vector<double> phi, dphi;
  tabulate(element, std::span(xi.data(), static_cast<std::size_t>(element.dim)), phi, dphi);
  to.insert(to.end(), phi.begin(), phi.end());
}

double straight_area(const mesh::FacetMap& facet) {
  const mesh::FacetMap straight = facet.straight();
  if (facet.shape == mesh::Shape::point) return 1;
  double area = 0;
  const Quadrature& rule = quadrature(facet.shape, 1);
  const auto dim = static_cast<std::size_t>(mesh::dimension(facet.shape));
  for (int q = 0; q < rule.size(); ++q)
    area +=
        rule.weights[static_cast<std::size_t>(q)] * straight.measure(&rule.points[static_cast<std::size_t>(q) * dim]);
  return area;
}

ContactPoints points_of_elements(const mesh::Mesh& mesh, int order, LineNodes nodes,
                                 const std::vector<mesh::Overlap>& overlaps) {
  ContactPoints result;
  for (const mesh::Overlap& overlap : overlaps) {
    const mesh::FacetMap ours(mesh, side_of(mesh, overlap.first)), theirs(mesh, side_of(mesh, overlap.second));
    const FacetRule rule(ours, order);
    ContactPair pair{overlap.first,
                     overlap.second,
                     0,
                     0,
                     static_cast<Offset>(result.ds.size()),
                     0,
                     static_cast<Offset>(result.phi.size())};
    const Element &of_ours = lagrange(ours.shape, order, nodes), &of_theirs = lagrange(theirs.shape, order, nodes);
    pair.first_nodes = of_ours.nodes;
    pair.second_nodes = of_theirs.nodes;
    for (const Point& point : overlap.whole ? rule.whole() : rule.part(overlap.corners)) {
      const mesh::Vector3 x = ours.at(point.xi.data());
      std::array<double, 2> opposite{};
      const double apart = nearest(theirs, x, opposite);
      if (!(apart <= overlap.reach)) continue;
      result.xyz.insert(result.xyz.end(), x.begin(), x.end());
      result.ds.push_back(point.ds);
      result.apart.push_back(apart);
      append_functions(of_ours, point.xi, result.phi);
      append_functions(of_theirs, opposite, result.phi);
      ++pair.points;
    }
    if (pair.points > 0) result.pairs.push_back(pair);
  }
  return result;
}

}  // namespace

ContactPoints contact_points(const mesh::Mesh& mesh, int order, const std::vector<mesh::Overlap>& overlaps) {
  return points_of_elements(mesh, order, LineNodes::standard, overlaps);
}

ContactPoints contact_points(const mesh::Mesh& mesh, const DofMap& dofs, const std::vector<mesh::Overlap>& overlaps) {
  return points_of_elements(mesh, dofs.order, dofs.nodes, overlaps);
}

ContactCover contact_cover(const mesh::Mesh& mesh, const ContactPoints& points, const std::vector<Index>& side,
                           bool swapped) {
  ContactCover cover;
  std::vector<double> covered(side.size(), 0.0);
  for (const ContactPair& pair : points.pairs) {
    const auto at = std::lower_bound(side.begin(), side.end(), swapped ? pair.second : pair.first) - side.begin();
    for (int q = 0; q < pair.points; ++q) covered[at] += points.ds[pair.first_point + q];
  }
  for (const double apart : points.apart) cover.apart = std::max(cover.apart, apart);
  for (std::size_t f = 0; f < side.size(); ++f) {
    const mesh::FacetMap facet(mesh, side_of(mesh, side[f]));
    const double area = straight_area(facet), bare = std::max(0.0, area - covered[f]);
    if (const double share = covered[f] / mesh::facet_measure(mesh, side[f]); share > cover.most_covered) {
      cover.most_covered = share;
      cover.most = side[f];
    }
    cover.area += area;
    cover.uncovered += bare;
    if (cover.worst >= 0 && bare <= cover.worst_share * area) continue;
    cover.worst = side[f];
    cover.worst_share = bare / area;
  }
  return cover;
}

double distance_to(const mesh::Mesh& mesh, const std::vector<Index>& side, const std::array<double, 3>& x) {
  double least = std::numeric_limits<double>::infinity();
  for (const Index f : side) {
    const mesh::FacetMap facet(mesh, side_of(mesh, f));
    for (int n = 0; n < facet.nodes; ++n) least = std::min(least, mesh::distance(facet.x[n], x));
    std::array<double, 2> xi{};
    const double to_plane = nearest(facet.straight(), x, xi);
    const bool inside = facet.shape == mesh::Shape::triangle ? xi[0] >= 0 && xi[1] >= 0 && xi[0] + xi[1] <= 1
                                                             : std::abs(xi[0]) <= 1 && std::abs(xi[1]) <= 1;
    if (inside) least = std::min(least, to_plane);
  }
  return least;
}

}  // namespace tessera::assembly
