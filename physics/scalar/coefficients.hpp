#pragma once
// What is said of the coefficients of materials wherever they are evaluated.
#include <vector>

#include "physics/scalar/problem.hpp"

namespace tessera::physics::scalar {

/// Components of the diffusivity of a problem: 1, or those of a symmetric tensor where a material has one. Throws
/// Error(usage) where a material has neither.
int check_diffusivity(const std::vector<MaterialParams>& materials, int dim);
/// The components of k of a material; a scalar k of a problem with tensors is spread over the diagonal.
std::vector<deck::Expression> spread(const MaterialParams& material, int components);
/// Throws Error(usage) where k, at the point where it is given one, is not positive definite.
void require_positive_definite(const MaterialParams& material, const double* k, int components, const double* xyz);
/// The same where k is constant in every material.
void require_positive_definite(const std::vector<MaterialParams>& materials, const forms::Coefficient& k);

/// Calls visit(cell, count, material) for runs of cells of one material among begin .. end, numbers in a block that
/// begins with the mesh's cell `first_cell`: a call a cell would cost more than the expression.
template <class Visit>
void for_each_material(const std::vector<Index>& material, Index first_cell, Index begin, Index end, Visit visit) {
  for (Index cell = begin, next; cell < end; cell = next) {
    const Index of = material[first_cell + cell];
    for (next = cell + 1; next < end && material[first_cell + next] == of;) ++next;
    visit(cell, next - cell, of);
  }
}

}  // namespace tessera::physics::scalar
