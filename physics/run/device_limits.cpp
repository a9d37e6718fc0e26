#include "physics/run/device_limits.hpp"

#include "assembly/cells/shared_memory.hpp"
#include "assembly/matrix_free/component_sizes.hpp"

namespace tessera::physics {

void check_shared_memory(const CommonParams& params, const Discretisation& space, const AtPoints& coefficients,
                         bool matrix_free, std::size_t most) {
  if (!coefficients.form) return;
  const assembly::FormTraits& form = *coefficients.form;
  if (!matrix_free)
    return assembly::check_shared_memory(space.mesh, space.dofs, form, coefficients.varies,
                                         {.strategy = params.assembly.strategy}, most);
  if (!form.block_rows) return;  // what forms of one unknown take every GPU has
  const std::size_t number = params.run.precision == "float" ? sizeof(float) : sizeof(double);
  const int nodes_of_line = space.dofs.order + 1;
  for (const mesh::CellBlock& block : space.mesh.blocks)
    if (block.shape == mesh::Shape::quad || block.shape == mesh::Shape::hex)
      assembly::check_shared_memory(
          assembly::cell_by_strategy(block.shape, space.dofs.order, "matrix_free"),
          assembly::matrix_free::ComponentCells(nodes_of_line, space.mesh.dim, form.components, number).block_bytes(),
          most);
}

}  // namespace tessera::physics
