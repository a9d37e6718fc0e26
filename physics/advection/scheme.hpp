#pragma once
// The scheme of physics/conservation/ for scalar conservation laws.
#include "assembly/space/dof_map.hpp"
#include "physics/advection/law.hpp"
#include "physics/conservation/scheme.hpp"

namespace tessera::physics::advection {

template <class Exec>
struct ScalarScheme {
  std::unique_ptr<conservation::Scheme<Exec>> scheme;
  std::function<void(const LawView&)> set_law;  ///< of the passes from now on
};

/// Mesh of intervals, triangles, quads, tets, hexes, prisms or mixed, order 1. `has_function`: the law has an f.
/// `owned`: nodes that are computed. Collective where `exchange` is.
template <class Exec>
ScalarScheme<Exec> make_scheme(Exec& exec, const mesh::Mesh& mesh, const assembly::DofMap& dofs, bool has_function,
                               const conservation::LimitParams& params, Index owned,
                               typename conservation::Scheme<Exec>::Exchange exchange = {});

/// range [2] = the least and the greatest of u, which nobody waits for; scratch [range_scratch].
inline constexpr Offset range_scratch = 2 * 4096;
template <class Exec>
void find_range(Exec& exec, View<const double> u, View<double> scratch, View<double> range);

/// u at the nodes becomes the values that are not NaN.
template <class Exec>
void prescribe(Exec& exec, View<const Index> nodes, View<const double> values, View<double> u);

}  // namespace tessera::physics::advection
