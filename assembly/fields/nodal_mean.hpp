#pragma once
#include <functional>
#include <span>
#include <vector>

#include "assembly/space/dof_map.hpp"
#include "assembly/space/field_view.hpp"

namespace tessera::assembly {

/// A nodal field at a node of a cell.
struct NodeState {
  Index cell;
  const double* xyz;       ///< [3]
  const double* value;     ///< [components]
  const double* gradient;  ///< [components, dim]
};

/// What is derived from u as a nodal field, [dofs, outputs]: at each dof the mean of what evaluate(state, out) says in
/// its cells, weighted by their measures. `evaluate` is called from several threads at once; the result does not depend
/// on their number.
std::vector<double> nodal_mean(const mesh::Mesh& mesh, const DofMap& dofs, const FieldView& u, int outputs,
                               const std::function<void(const NodeState&, double* out)>& evaluate, int threads = 0);

}  // namespace tessera::assembly
