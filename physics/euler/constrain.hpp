#pragma once
// Boundary conditions as states of boundary nodes: what a stage has made there becomes a state that the boundary lets
// be. Maier & Kronbichler (2021), section 3.4.
#include "base/array.hpp"
#include "base/backend.hpp"
#include "physics/euler/gas.hpp"

namespace tessera::physics::euler {

/// In the order in which they act where boundaries meet.
enum class BoundaryKind {
  slip_wall,         ///< v . n = 0 for each normal of the node
  outflow,           ///< nothing is prescribed: supersonic
  pressure_outflow,  ///< a static pressure, where the flow is subsonic
  reservoir,         ///< total pressure and temperature of what comes in along the normal, subsonic
  far_field,         ///< characteristics come from a state far away
  inflow             ///< the state: supersonic
};

/// Numbers that a kind prescribes at a node: of a state (rho, p, v), of pressure_outflow p, of a reservoir the pressure
/// and the square of the speed of sound at rest.
int prescribed_numbers(BoundaryKind kind, int dim);

template <class Space>
struct BoundaryNodes {
  BoundaryKind kind = BoundaryKind::slip_wall;
  Array<Index, Space> nodes;     ///< ascending
  Array<double, Space> normals;  ///< [normals of a node, dim, nodes]: orthonormal outward ones, or zeros behind them
  Array<double, Space> values;   ///< [prescribed_numbers, nodes]
};

/// u [numbers, nodes seen] at the nodes of the list becomes a state that the boundary lets be.
template <class Exec>
void constrain(Exec& exec, int dim, const Gas& gas, const BoundaryNodes<typename Exec::Space>& of, View<double> u);

}  // namespace tessera::physics::euler
