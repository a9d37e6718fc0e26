#pragma once
// The residual of the weak form at a given u, on the host: of rows before any boundary condition.
#include <span>

#include "assembly/space/dof_map.hpp"

namespace tessera::assembly {

/// residual[slot[i]] += a(u, phi_i) - l(phi_i) over all cells of `mesh` for the dofs with slot[i] >= 0; the form is
/// that of Assembler, by its quadrature; `form` has what data do not say. [dofs, components] slot and u; an empty u is
/// 0, and no tangent is computed for it. Cells are added in their order, so the result does not depend on the number of
/// threads; `threads` 0: all. Instantiated for a form by a source that includes residual_impl.hpp.
template <class Form>
void add_residual(const mesh::Mesh& mesh, const DofMap& dofs, const typename Form::Data& data, const Form& form,
                  std::span<const double> u, std::span<const Index> slot, std::span<double> residual, int threads = 0);

}  // namespace tessera::assembly
