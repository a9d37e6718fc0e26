#pragma once
#include <optional>
#include <span>

#include "assembly/fields/tensor_field.hpp"
#include "assembly/space/dof_map.hpp"
#include "assembly/space/field_view.hpp"
#include "deck/expression.hpp"

namespace tessera::assembly {

/// Norms of u_h - u; those that lack what they need are left out.
struct ErrorNorms {
  double l2 = 0;
  std::optional<double> h1;      ///< seminorm, |grad(u_h - u)| in L2; needs the exact gradient
  std::optional<double> energy;  ///< sqrt(int grad(e) . K grad(e)); needs the exact gradient and K
  double max = 0;                ///< over quadrature points and dofs
};

struct ErrorOptions {
  double time = 0;
  const HostTensorField* coefficient = nullptr;  ///< K of the energy norm
  int degree = 0;                                ///< of the quadrature; 0: 2 order + 3
  int threads = 0;                               ///< 0: all. The result does not depend on it.
  std::span<const char> only = {};               ///< [cells] those that count in the norms; empty: all
};

/// Compares a nodal field u of one component with an exact solution; `gradient` is empty or has mesh.dim expressions.
/// On a mesh with an axis (mesh::Measure) the norms are those over the body of revolution.
/// Throws Error(usage) where an expression is not finite or the number of gradient components is wrong.
ErrorNorms compute_errors(const mesh::Mesh& mesh, const DofMap& dofs, const FieldView& u, const deck::Expression& exact,
                          std::span<const deck::Expression> gradient = {}, const ErrorOptions& options = {});

/// Nodal values of an expression, [dofs].
std::vector<double> interpolate(const mesh::Mesh& mesh, const DofMap& dofs, const deck::Expression& f, double time = 0);

}  // namespace tessera::assembly
