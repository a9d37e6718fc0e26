#pragma once
#include <vector>

#include "assembly/fields/derived.hpp"

namespace tessera::assembly {

/// What is derived at a point, of what there is there: of all, or of the gradient and the coefficient alone.
enum class DerivedOf { point, gradient };

/// What is derived from u as a nodal field, [dofs, outputs]: at each dof the mean of its cells' values (DerivedValues),
/// weighted by their measures. Of gradients it is derived once in a straight simplex of order 1 whose coefficient is
/// constant. The result does not depend on the number of threads.
std::vector<double> nodal_mean(const mesh::Mesh& mesh, const DofMap& dofs, const FieldView& u,
                               const PointField& coefficient, int outputs, const Derive& derive, int threads = 0,
                               DerivedOf of = DerivedOf::point);

}  // namespace tessera::assembly
