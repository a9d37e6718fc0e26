#pragma once
#include "assembly/spectral/patches.hpp"

namespace tessera::assembly::spectral {

/// What a SpectralOperator takes, and what more there is on the host while it is made.
struct OperatorBytes {
  double kept = 0, set_up = 0;
};
/// `components` of the law; `number`: bytes of a number; `layout` of the patches of its cells, if they go by patches.
/// All dofs have a result, none is held, and the geometry is not `stored`.
OperatorBytes operator_bytes(const mesh::Mesh& mesh, const Cells& cells, const Coefficients& material, int components,
                             std::size_t number, const PatchLayout& layout = {});

}  // namespace tessera::assembly::spectral
