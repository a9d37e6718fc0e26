#pragma once
// How the nodes inside a face are numbered where both its cells have to agree.
#include <algorithm>
#include <array>

#include "assembly/space/element.hpp"

namespace tessera::assembly {

/// Frame of a face that both its cells see alike. Triangle: vertices by ascending rank. Quad: the origin at the lowest
/// vertex, the first axis to the lower of its two neighbours.
inline std::array<int, 3> canonical_frame(mesh::Shape shape, const Index* v) {
  if (shape == mesh::Shape::triangle) {
    std::array<int, 3> frame{0, 1, 2};
    std::sort(frame.begin(), frame.end(), [&](int a, int b) { return v[a] < v[b]; });
    return frame;
  }
  const int origin = static_cast<int>(std::min_element(v, v + 4) - v);
  const int next = (origin + 1) % 4, before = (origin + 3) % 4;
  return v[next] < v[before] ? std::array{origin, next, before} : std::array{origin, before, next};
}

/// Position, among the nodes inside the face, of each such node when the face is seen in `frame`.
inline void permute_face(const Element& face, const std::array<int, 3>& frame, int* position) {
  const int k = face.order, first = face.interior_first;
  for (int node = first; node < face.nodes; ++node) {
    std::array<int, 2> seen;
    const auto& m = face.lattice[node];
    if (face.shape == mesh::Shape::triangle) {
      seen = {m[frame[1]], m[frame[2]]};
    } else {
      constexpr int corner[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
      const int* o = corner[frame[0]];
      const int x = m[1] - k * o[0], y = m[3] - k * o[1];
      for (int axis = 0; axis < 2; ++axis) {
        const int* to = corner[frame[axis + 1]];
        seen[axis] = x * (to[0] - o[0]) + y * (to[1] - o[1]);
      }
    }
    for (int other = first; other < face.nodes; ++other) {
      const auto& l = face.lattice[other];
      const bool same =
          face.shape == mesh::Shape::triangle ? l[1] == seen[0] && l[2] == seen[1] : l[1] == seen[0] && l[3] == seen[1];
      if (same) position[node - first] = other - first;
    }
  }
}

}  // namespace tessera::assembly
