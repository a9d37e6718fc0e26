#include <algorithm>

#include "physics/elasticity/system_impl.hpp"

namespace tessera::physics::elasticity {

namespace {

/// The order from which "auto" applies quads and hexes without a matrix: that of diffusion, whose matrix is smaller.
constexpr int matrix_free_from = 2;
/// The highest order of an assembled matrix.
constexpr int most_assembled_order = 4;

/// What "auto" takes an operator without a matrix for; empty: a matrix is assembled.
std::string why_without_matrix(const Problem& problem) {
  const Params& params = problem.params;
  const auto& blocks = problem.space.mesh.blocks;
  const int order = params.physics.order;
  if (params.assembly.strategy != "auto" || params.matrix.format != "auto" || solvers::needs_entries(params.solver))
    return "";
  const bool tensor_cells = std::all_of(blocks.begin(), blocks.end(), [](const mesh::CellBlock& block) {
    return block.shape == mesh::Shape::quad || block.shape == mesh::Shape::hex;
  });
  if (tensor_cells && order >= matrix_free_from)
    return fmt::format("order {} on {}: sum factorisation moves less than a matrix", order,
                       problem.dim() == 3 ? "hexes" : "quads");
  if (problem.dim() == 1 && order > most_assembled_order)
    return fmt::format("order {} on intervals: a matrix is assembled up to order {}", order, most_assembled_order);
  return "";
}

}  // namespace

Plan plan(const Problem& problem) {
  const Params& params = problem.params;
  Plan result{.matrix_free = false, .why = why_without_matrix(problem)};
  if (params.assembly.strategy == "matrix_free") result.why = "asked for";
  result.matrix_free = !result.why.empty();
  if (result.matrix_free && params.matrix.format != "auto")
    throw Error(ExitCode::usage,
                fmt::format("matrix.format = \"{}\" with assembly.strategy = \"matrix_free\": there is no matrix",
                            params.matrix.format),
                "leave matrix.format out, or choose another strategy", params.matrix.where);
  if (result.matrix_free && solvers::needs_entries(params.solver))
    throw Error(ExitCode::usage,
                fmt::format("{} needs the entries of a matrix, assembly.strategy = \"matrix_free\" has none",
                            solvers::reader_of_entries(params.solver)),
                solvers::is_direct(params.solver)
                    ? "choose solver.type = \"cg\", or another strategy"
                    : "choose preconditioner = \"block_jacobi\", \"jacobi\" or \"chebyshev\", or another strategy",
                params.solver.where);
  if (!result.matrix_free && params.physics.order > most_assembled_order)
    throw Error(
        ExitCode::usage,
        fmt::format("a matrix of order {} is not assembled, at most {} is", params.physics.order, most_assembled_order),
        "choose assembly.strategy = \"matrix_free\" with a solver and preconditioner that need no entries, or "
        "a lower order",
        params.physics.where);
  return result;
}

template void make_system(Threads&, const Problem&, System<Threads>&, output::Summary&);

}  // namespace tessera::physics::elasticity
