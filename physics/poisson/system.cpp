#include "physics/poisson/system_impl.hpp"

#include <algorithm>

namespace tessera::physics::poisson {

namespace {

/// Orders from which "auto" applies quads and hexes without a matrix: where sum factorisation is the faster product on an H200,
/// against packed_ell for quads (order 1: 0.5x, order 2: 1.4x; bench/matrix_free) and the bytes of a matrix at copy for hexes.
constexpr int matrix_free_from_2d = 2;
constexpr int matrix_free_from_3d = 2;
/// The highest order of an assembled matrix.
constexpr int most_assembled_order = 4;

}  // namespace

Plan plan(const Problem& problem) {
  const Params& params = problem.params;
  const auto& blocks = problem.mesh.blocks;
  const bool tensor_cells = std::all_of(blocks.begin(), blocks.end(), [](const mesh::CellBlock& block) {
    return block.shape == mesh::Shape::quad || block.shape == mesh::Shape::hex;
  });
  const bool intervals = problem.mesh.dim == 1;
  const int from = problem.mesh.dim == 3 ? matrix_free_from_3d : matrix_free_from_2d;
  const int order = params.physics.order;
  Plan result;
  if (params.assembly.strategy == "matrix_free") {
    result = {true, "asked for"};
  } else if (params.assembly.strategy == "auto" && tensor_cells && order >= from && params.matrix.format == "auto" &&
             !solvers::needs_entries(params.solver)) {
    result = {true, fmt::format("order {} on {}: sum factorisation moves less than a matrix", order,
                                problem.mesh.dim == 3 ? "hexes" : "quads")};
  } else if (params.assembly.strategy == "auto" && intervals && order > most_assembled_order &&
             params.matrix.format == "auto" && !solvers::needs_entries(params.solver)) {
    result = {true,
              fmt::format("order {} on intervals: a matrix is assembled up to order {}", order, most_assembled_order)};
  }
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
                    : "choose preconditioner = \"jacobi\" or \"chebyshev\", or another strategy",
                params.solver.where);
  if (!result.matrix_free && order > most_assembled_order)
    throw Error(ExitCode::usage,
                fmt::format("a matrix of order {} is not assembled, at most {} is", order, most_assembled_order),
                "choose assembly.strategy = \"matrix_free\" with a solver and preconditioner that need no entries, or "
                "a lower order",
                params.physics.where);
  return result;
}

WeakForm weak_form() {
  WeakForm form;
  form.data = [](const std::vector<MaterialParams>& materials, const mesh::Mesh& mesh, const assembly::DofMap& dofs,
                 const std::vector<Index>& material, int threads) {
    return forms::ConvectionData{diffusion_data(materials, material, mesh, dofs, threads), {}, {}};
  };
  return form;
}

template void make_system(Threads&, const Problem&, System<Threads>&, output::Summary&);

}  // namespace tessera::physics::poisson
