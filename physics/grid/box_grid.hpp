#pragma once
// The uniform grid of a box mesh: solved without a matrix and, but for the results, without a mesh.
#include <array>

#include "base/array.hpp"
#include "mesh/mesh.hpp"
#include "physics/scalar/params.hpp"
#include "solvers/grid/fast_poisson.hpp"

namespace tessera::physics::grid {

using namespace scalar;  // what is on the grid: problems of one number u

/// The grid of a box with Dirichlet data all around. What a module solves on it is its own matter.
struct BoxGrid {
  solvers::grid::GridProblem problem;   ///< sizes and spacings; stencil and shift where the module uses them
  mesh::BoxParams box;                  ///< with the refinements in `cells`
  std::array<Index, 3> nodes{1, 1, 1};  ///< of an axis, the boundary included

  Offset node_count() const { return Offset{nodes[0]} * nodes[1] * nodes[2]; }
  /// Coordinate of node i of an axis; the same number as in the mesh of the box.
  double coordinate(int axis, Offset i) const;
};

/// Sizes, spacings and nodes of a box mesh with its refinements. Throws Error(mesh) for more nodes than 32-bit numbers
/// count.
BoxGrid make_box_grid(const mesh::MeshParams& mesh);

/// For a box that is no mesh: "rest" becomes the names of sides, or "domain".
void name_rest(Params& params);

/// The box with one cell an axis: groups, sides and corners of the grid's mesh, for checks by name.
mesh::Mesh outline(const BoxGrid& grid);

/// The entry of that type that names a side; of several the last.
const BoundaryParams* entry_of(const std::vector<BoundaryParams>& boundaries, const std::string& side,
                               const char* type);

/// u on all nodes: Dirichlet values on the sides, 0 inside. Where sides meet, the later entry of the deck holds.
Array<double> boundary_values(const Params& params, const BoxGrid& grid, int threads);

/// A box of nodes: `count` of each axis from `first` on.
struct NodeRange {
  std::array<Index, 3> first{0, 0, 0}, count{1, 1, 1};
};
/// Those that are not on the boundary.
NodeRange interior(const BoxGrid& grid);

/// Values of an expression at nodes, x fastest. Throws Error(usage) at the first of them where one is not finite.
void sample(const deck::Expression& expression, const BoxGrid& grid, const NodeRange& nodes, int threads,
            View<double> values);

/// The constant that is taken off the data of a grid, as level_of for meshes: the middle of the values of u on the
/// sides.
double level_of(const BoxGrid& grid, View<const double> u);

/// The start of the deck at the unknowns; empty: it has none. Throws Error for unknown groups and values that are not
/// finite.
std::vector<double> initial_values(const Params& params, const BoxGrid& grid, const NodeRange& unknowns);

/// Copies the interior nodes into `u`, with `level` added.
void insert_interior(const BoxGrid& grid, View<const double> interior, double level, View<double> u);
/// The same from any backend.
template <class Space>
void insert_solution(const BoxGrid& grid, const Array<double, Space>& interior, double level, Array<double>& u) {
  if constexpr (std::is_same_v<Space, Host>) {
    insert_interior(grid, interior, level, u);
  } else {
    Array<double> here(interior.size());
    copy(interior, here);
    insert_interior(grid, here, level, u);
  }
}

}  // namespace tessera::physics::grid
