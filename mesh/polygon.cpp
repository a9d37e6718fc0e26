#include "mesh/polygon.hpp"

#include <algorithm>
#include <utility>

namespace tessera::mesh {
namespace {

/// What of a polygon lies to the left of the line from a to b (I. E. Sutherland, G. W. Hodgman, Commun. ACM 17 (1974)
/// 32-42).
Polygon left_of(const Polygon& polygon, const Corner& a, const Corner& b) {
  const auto side = [&](const Corner& p) { return (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]); };
  Polygon kept;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Corner &from = polygon[i], &to = polygon[(i + 1) % polygon.size()];
    const double d = side(from), e = side(to);
    if (d >= 0) kept.push_back(from);
    if ((d > 0 && e < 0) || (d < 0 && e > 0)) {
      const double share = d / (d - e);
      kept.push_back({from[0] + share * (to[0] - from[0]), from[1] + share * (to[1] - from[1])});
    }
  }
  return kept;
}

/// By area, the square of an edge whose direction is rounding: clipping leaves such at corners that lie on edges.
constexpr double shortest = 1e-18;

bool is_edge(const Corner& a, const Corner& b, double area) {
  const double along[2] = {b[0] - a[0], b[1] - a[1]};
  return along[0] * along[0] + along[1] * along[1] > shortest * area;
}

Polygon interval(double from, double to, double least) {
  return to - from > least ? Polygon{{from, 0}, {to, 0}} : Polygon{};
}

bool is_more(const Polygon& polygon, double least) { return polygon.size() > 2 && area(polygon) > least; }

}  // namespace

double area(const Polygon& polygon) {
  if (polygon.size() == 2) return polygon[1][0] - polygon[0][0];
  double twice = 0;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Corner &a = polygon[i], &b = polygon[(i + 1) % polygon.size()];
    twice += a[0] * b[1] - a[1] * b[0];
  }
  return 0.5 * twice;
}

Polygon clipped(const Polygon& subject, const Polygon& clip, double least) {
  if (subject.empty() || clip.empty()) return {};
  if (subject.size() == 2)
    return interval(std::max(subject[0][0], clip[0][0]), std::min(subject[1][0], clip[1][0]), least);
  Polygon kept = subject;
  const double size = area(clip);
  for (std::size_t edge = 0; edge < clip.size() && !kept.empty(); ++edge) {
    const Corner &a = clip[edge], &b = clip[(edge + 1) % clip.size()];
    if (is_edge(a, b, size)) kept = left_of(kept, a, b);
  }
  return is_more(kept, least) ? kept : Polygon{};
}

std::vector<Polygon> without(const Polygon& subject, const Polygon& hole, double least) {
  std::vector<Polygon> pieces;
  if (subject.size() == 2) {
    for (const Polygon& piece : {interval(subject[0][0], std::min(subject[1][0], hole[0][0]), least),
                                 interval(std::max(subject[0][0], hole[1][0]), subject[1][0], least)})
      if (!piece.empty()) pieces.push_back(piece);
    return pieces;
  }
  Polygon rest = subject;  // inside of the edges so far
  const double size = area(hole);
  for (std::size_t edge = 0; edge < hole.size() && !rest.empty(); ++edge) {
    const Corner &a = hole[edge], &b = hole[(edge + 1) % hole.size()];
    if (!is_edge(a, b, size)) continue;
    Polygon outside = left_of(rest, b, a);
    if (is_more(outside, least)) pieces.push_back(std::move(outside));
    rest = left_of(rest, a, b);
  }
  return pieces;
}

}  // namespace tessera::mesh
