#pragma once
#include <vector>

#include "base/array.hpp"
#include "physics/model.hpp"

namespace tessera::physics {

/// [own nodes, components] numbers between -1 and 1 that differ from node to node, as a power method begins with. They
/// follow from the places of nodes in the box around those of all ranks, not from numbers of rows, so that it finds the
/// same however ranks share the nodes. `seed` tells such vectors apart.
std::vector<double> rough_start(const Discretisation& space, int components, int seed);

/// The same into v of a backend: of all unknowns of the space.
template <class Space>
void start_roughly(const Discretisation& space, View<double> v) {
  const std::vector<double> start = rough_start(space, space.components, 0);
  copy_bytes(Host{}, start.data(), Space{}, v.data(), start.size() * sizeof(double));
}

}  // namespace tessera::physics
