#pragma once
#include "linalg/block_crs.hpp"

namespace tessera::physics::conservation {

/// What a step and the boundaries make of the Jacobian J of R, m du/dt = R: the rows of
///   1 + theta (dt / tau) (1 - B) - theta (dt / m) B J,
/// B the derivative of what the boundary makes of the state of a node, 1 inside, and tau the longest explicit step of
/// the node. Numbers of a state are measured by `scales`, so that residuals do not depend on units.
struct ImplicitStep {
  double theta = 1;
  double dt = 0;  ///< of all nodes; 0: cfl tau of each
  double cfl = 1;
  double limited = 0;  ///< weight of the limits in the viscosity; 0: that of the low order
  double scales[5] = {1, 1, 1, 1, 1};
  const Index* slot = nullptr;    ///< [nodes] where B of a node stands; -1: it is 1
  const double* turns = nullptr;  ///< [slots, n, n] B

  TESSERA_HD_INLINE double length(double longest) const { return dt > 0 ? dt : cfl * longest; }
};

/// Block rows of the nodes that a rank owns in two matrices, as RankOperator takes them: `own` has the columns of its
/// own nodes, and `ghost` those of others', in the rows that have some.
template <class Space>
struct ImplicitMatrix {
  linalg::BlockCrs<Space> own, ghost;
  Array<Offset, Space> ghost_at;  ///< [own nodes] of the first block of a row in `ghost`; empty on one rank
};

}  // namespace tessera::physics::conservation
