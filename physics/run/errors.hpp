#pragma once
// What [exact] says of a solution.
#include "output/summary.hpp"
#include "physics/model.hpp"

namespace tessera::physics {

/// "errors" of the summary: l2, h1 with the gradient, max; of a field of several components for each of them, and all
/// together. Collective where ranks share the solution.
void report_errors(const ExactParams& exact, const FieldInfo& field, const NodalSolution& solution,
                   output::Summary& summary);

/// Evaluates [exact] where report_errors does, for its checks. Throws Error(usage) where a value is not finite.
void check_values(const ExactParams& exact, const mesh::Mesh& mesh, const assembly::DofMap& dofs, int threads);

}  // namespace tessera::physics
