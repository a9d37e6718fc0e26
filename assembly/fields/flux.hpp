#pragma once
#include <span>
#include <vector>

#include "assembly/fields/tensor_field.hpp"
#include "assembly/space/dof_map.hpp"

namespace tessera::assembly {

/// -K grad u as a nodal field for output, [dofs, 3] (unused components 0): at each dof the mean of its cells' values,
/// weighted by their measures. K is evaluated at quadrature points alone (DerivedValues). Does not depend on the number
/// of threads.
std::vector<double> flux_field(const mesh::Mesh& mesh, const DofMap& dofs, std::span<const double> u,
                               const HostTensorField& k, int threads = 0);

}  // namespace tessera::assembly
