#pragma once
#include <vector>

#include "assembly/fields/derived.hpp"

namespace tessera::assembly {

/// What is derived from u as a nodal field, [dofs, outputs]: at each dof the mean of its cells' values (DerivedValues),
/// weighted by their measures. The result does not depend on the number of threads.
std::vector<double> nodal_mean(const mesh::Mesh& mesh, const DofMap& dofs, const FieldView& u,
                               const PointField& coefficient, int outputs, const Derive& derive, int threads = 0);

}  // namespace tessera::assembly
