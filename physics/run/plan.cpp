#include "physics/run/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/backend.hpp"
#include "base/communicator.hpp"
#include "base/host_memory.hpp"
#include "solvers/automatic.hpp"
#include "solvers/eigen/eigen.hpp"

namespace tessera::physics {

namespace {

/// The order from which "auto" applies quads and hexes without a matrix: where sum factorisation is the faster product
/// of diffusion on an H200, against packed_ell for quads (order 1: 0.5x, order 2: 1.4x; bench/matrix_free) and the
/// bytes of a matrix at copy for hexes. Matrices of several unknowns a node are larger.
constexpr int matrix_free_from = 2;
/// What an operator without a matrix is taken for; empty: a matrix is assembled.
std::string why_without_matrix(const CommonParams& params, const mesh::Mesh& mesh) {
  if (params.assembly.strategy == "matrix_free") return "asked for";
  if (params.assembly.strategy != "auto" || params.matrix.format != "auto" || solvers::needs_entries(params.solver) ||
      solvers::shift_of(params.solver) > 0)
    return "";
  const int order = params.physics.order;
  const bool tensor_cells = std::all_of(mesh.blocks.begin(), mesh.blocks.end(), [](const mesh::CellBlock& block) {
    return block.shape == mesh::Shape::quad || block.shape == mesh::Shape::hex;
  });
  if (tensor_cells && order >= matrix_free_from)
    return fmt::format("order {} on {}: sum factorisation moves less than a matrix", order,
                       mesh.dim == 3 ? "hexes" : "quads");
  if (mesh.dim == 1 && order > most_assembled_order)
    return fmt::format("order {} on intervals: a matrix is assembled up to order {}", order, most_assembled_order);
  return "";
}

bool has_simplices_alone(const mesh::Mesh& mesh) {
  return mesh.dim > 1 && std::all_of(mesh.blocks.begin(), mesh.blocks.end(), [](const mesh::CellBlock& block) {
           return block.shape == mesh::Shape::triangle || block.shape == mesh::Shape::tet;
         });
}

/// Of what a rank owns, about: rows of products of axes have order + 2 entries along each on average, those of
/// simplices a part of it.
double likely_entries(const Discretisation& space, int order) {
  const int dim = space.mesh.dim;
  const double part = !has_simplices_alone(space.mesh) ? 1 : dim == 2 ? 0.75 : 0.5;
  const double of_node = part * std::pow(order + 2, dim) * space.components;
  return of_node * (space.ranks ? space.owned_rows() : space.rows());
}

/// Whether nothing stands in the way of multigrid over orders: formats that have no copy in single precision do, and
/// more than 2^31 nodes of cells, of which there are at most 8 a node.
bool has_lower_orders(const CommonParams& params, const Traits& traits, const solvers::ProblemSize& size) {
  constexpr double most_nodes = 2.5e8;
  return traits.solver.lower_orders && params.physics.order > 1 && params.matrix.format == "auto" &&
         size.rows < most_nodes * size.block;
}

}  // namespace

RoomOfSystem room_of(const CommonParams& params, const Discretisation& space, int planned_ranks) {
  const bool on_cuda = resolve_backend(params.run.backend) == "cuda";
  const int ranks = space.ranks ? std::max(space.ranks->size(), planned_ranks) : planned_ranks;
  const int gpus = std::max(cuda_info().devices, 1), ranks_of_gpu = (ranks + gpus - 1) / gpus;  // of one machine
  const double part = space.ranks ? 1 : 1.0 / ranks, rows = space.ranks ? space.owned_rows() : space.rows();
  RoomOfSystem room{.size = {.rows = part * rows,
                             .entries = part * likely_entries(space, params.physics.order),
                             .on_cuda = on_cuda,
                             .block = static_cast<double>(space.components),
                             .dim = space.mesh.dim},
                    .free = on_cuda ? static_cast<double>(cuda_info().free_bytes) / ranks_of_gpu
                                    : static_cast<double>(host_memory().free) / ranks};
  if (ranks > 1) room.size.all_rows = rows;
  if (!space.ranks) return room;
  // One that plans for others has as many rows as the largest of them.
  room.size.all_rows =
      static_cast<double>(sum(*space.ranks, std::int64_t{space.owned_rows()})) * ranks / space.ranks->size();
  for (double* most : {&room.size.rows, &room.size.entries}) *most = maximum(*space.ranks, *most);
  room.free = minimum(*space.ranks, room.free);
  return room;
}

std::string settle_preconditioner(CommonParams& params, const Traits& traits, const Discretisation& space,
                                  bool one_system, int planned_ranks) {
  solvers::SolverParams& solver = params.solver;
  if (solver.preconditioner != solvers::automatic) return "";
  const bool blocks = space.components > 1;
  solver.preconditioner = solvers::jacobi_of(space.components);
  solver.given.erase("preconditioner");  // see solvers::is_automatic
  const std::string& format = params.matrix.format;
  const bool in_rows = format == "auto" || format == (blocks ? "block_crs" : "crs");
  const std::string without = !traits.matrix_free ? ""
                              : space.ranks       ? space.why_without_matrix
                                                  : why_without_matrix(params, space.mesh);
  if (!one_system) return "";
  const RoomOfSystem room = room_of(params, space, planned_ranks);
  const bool others = !has_simplices_alone(space.mesh);
  const solvers::OneSystem system{.size = room.size,
                                  .entries = in_rows && without.empty(),
                                  .matrix = without.empty(),
                                  .lower_orders = has_lower_orders(params, traits, room.size),
                                  .simplices = space.ranks ? !any(*space.ranks, others) : !others};
  const solvers::Automatic choice = solvers::choose_preconditioner(solver, system, room.free);
  solver.preconditioner = choice.preconditioner;
  return choice.why;
}

Plan plan_operator(const CommonParams& params, const Discretisation& space) {
  if (space.ranks) return {.matrix_free = !space.why_without_matrix.empty(), .why = space.why_without_matrix};
  Plan result{.matrix_free = false, .why = why_without_matrix(params, space.mesh)};
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
                    : fmt::format("choose preconditioner = {}\"jacobi\" or \"chebyshev\", or another strategy",
                                  space.components > 1 ? "\"block_jacobi\", " : ""),
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

void summarise_assembly(const assembly::AssemblyReport& report, output::Summary& summary) {
  summary.set("assembly.strategy", report.strategy);
  summary.set("assembly.why", report.why);
  if (!report.deterministic) summary.set("backend.deterministic", false);
}

void summarise_assembly(const Plan& without_matrix, output::Summary& summary) {
  summary.set("assembly.strategy", "matrix_free");
  summary.set("assembly.why", without_matrix.why);
}

}  // namespace tessera::physics
