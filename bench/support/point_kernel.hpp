#pragma once
// The force of elastic hexes as SPECFEM3D computes it, to hold ours against: a thread a point of the rule and a block a
// cell, values and fluxes in shared memory, the matrix of derivatives in constant memory, and sums over cells by
// colours or by atomic additions. D. Komatitsch, D. Goddeke, G. Erlebacher & D. Michea, Comput. Sci. Res. Dev. 25
// (2010) 75-82.
#include <vector>

#include "assembly/spectral/cells.hpp"
#include "base/backend.hpp"
#include "bench/support/bench.hpp"

namespace tessera::bench {

/// Hexes of degree 4 of one block, a force and what it was the force of.
template <class T>
struct PointForce {
  const mesh::Mesh& mesh;
  const assembly::spectral::Cells& cells;
  View<const T> scale;     ///< [dofs]
  View<const T> u;         ///< [dofs, 3]
  View<const T> expected;  ///< [dofs, 3]: -scale K u with lambda = mu = 1
};

/// A row by colours and one by atomic additions, whose notes say by how much they differ from what is expected. None on
/// threads and without CUDA, or of another degree.
template <class T>
std::vector<Row> point_kernel_rows(Threads&, const PointForce<T>&) {
  return {};
}
template <class T>
std::vector<Row> point_kernel_rows(Cuda& exec, const PointForce<T>& of);

}  // namespace tessera::bench
