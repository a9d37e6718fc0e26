#include "physics/run/memory_estimate.hpp"

#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "assembly/matrix_free/operator.hpp"
#include "assembly/space/estimated_entries.hpp"
#include "base/memory.hpp"
#include "physics/time_scheme.hpp"
#include "solvers/eigen/eigen.hpp"
#include "solvers/solve.hpp"

namespace tessera::physics {

namespace {

/// Without a matrix: lists, geometry and tensors of quads and hexes, element matrices of the others, the element
/// vector. Of one unknown a node either maps or tensors at points; of several maps or J^-1 and |det J| there, and
/// coefficients.
double matrix_free_bytes(const mesh::Mesh& mesh, const assembly::Space& space, const AtPoints& coefficients) {
  const assembly::DofMap& dofs = space.dofs;
  const int components = space.components;
  const int at_point = components > 1 ? mesh.dim * mesh.dim + 1 : mesh.dim * (mesh.dim + 1) / 2;
  const bool pulled_back = components == 1 && coefficients.tangent;
  double bytes = components > 1 && coefficients.tangent ? coefficients.bytes : 0;
  for (std::size_t b = 0; b < dofs.blocks.size(); ++b) {
    const double cells = dofs.blocks[b].cells(), n = dofs.blocks[b].nodes, rows = n * components;
    const bool tensor = dofs.blocks[b].shape == mesh::Shape::quad || dofs.blocks[b].shape == mesh::Shape::hex;
    const double map =
        mesh.blocks[b].order == 1 && !pulled_back ? 8.0 * mesh.dim * ((1 << mesh.dim) - 1) : 8.0 * n * at_point;
    bytes += cells * (4 * rows + 12 * rows + (tensor ? map : 8 * rows * (rows + 1) / 2));
  }
  return bytes;
}

/// Of that the copy in single precision: its lists are those of the operator, its numbers take half. Lower orders have
/// about 1/7 of it.
double matrix_free_copy_bytes(const mesh::Mesh& mesh, const assembly::Space& space, const AtPoints& coefficients) {
  double entries = 0;
  for (const assembly::DofBlock& block : space.dofs.blocks)
    entries += static_cast<double>(block.dofs.size()) * space.components;
  return 8.0 / 7 * 0.5 * (matrix_free_bytes(mesh, space, coefficients) - 8 * entries);
}

/// What its set-up takes for a while: the vectors of element loads and diagonals, the tensors at a chunk of points; of
/// several unknowns a node the loads there, and diagonals of the dofs.
double matrix_free_setup_bytes(const mesh::Mesh& mesh, const assembly::Space& space) {
  constexpr double chunk = assembly::matrix_free::points_per_chunk;
  const int components = space.components;
  const int loads = components * (mesh.dim + 1), diagonals = 1 + components / 2;
  const int tensor = mesh.dim * (mesh.dim + 1) / 2;
  double entries = 0, most = 0;
  for (const assembly::DofBlock& block : space.dofs.blocks) {
    const double points = static_cast<double>(block.cells()) * block.nodes;
    entries += points * components;
    most = std::max(
        most, components > 1 ? std::min(points, chunk / loads) * (loads + 2) : std::min(points, chunk) * (tensor + 2));
  }
  const double of_dofs = components > 1 ? 1.0 * space.rows() : 0;
  return 8 * (1 + diagonals) * (entries + of_dofs) + 8 * most;
}

/// Whatever the size of a run: code that a check does not call, and what libraries set up for it.
constexpr double of_any_run = 5 << 20;

/// Files: coordinates, cells and the fields that are written, ours and VTK's; tensors are derived together. `states`:
/// that have their fields at a time; of a run through time see Frames, those that wait, are made and are written.
constexpr double states_of_series = 4;
double output_bytes(const CommonParams& params, const Discretisation& space, const Traits& traits, double states) {
  const auto written = [&](const FieldInfo& field) {
    const std::vector<std::string>& asked = params.output.fields;
    return asked.empty() ? field.written : std::find(asked.begin(), asked.end(), field.name) != asked.end();
  };
  double entries = 0, of_node = 72;
  for (const assembly::DofBlock& block : space.dofs.blocks) entries += static_cast<double>(block.dofs.size());
  for (const FieldInfo& field : traits.fields)
    of_node +=
        (written(field) ? 8 * (states + 1) * field.stride() : 0) + 8.0 * static_cast<double>(field.components.size());
  return of_node * space.dofs.dofs + 12 * entries + 33.0 * space.mesh.cells();
}

/// Of a run through time, about: those of the scheme, loads, and copies on the host.
constexpr double vectors_of_scheme = 12;

/// Of Newton's method, on backend and host: iterates, corrections and residuals.
constexpr double vectors_of_newton = 8;

/// Of a run whose steps its model makes: the state, its rate, and copies on the host.
constexpr double states_of_steps = 4;

/// The matrix in the format of the solver: see physics/run/solve.hpp.
struct Stored {
  double kept = 0;        ///< bytes while there are iterations
  double converting = 0;  ///< and while it is made of that which was assembled
  bool block_rows = false;
  bool borrows = false;  ///< what is kept is the matrix that was assembled
};

/// `assembled`: bytes of the matrix in CRS, or in block rows, of which `pairs` are there.
Stored stored(const CommonParams& params, const Discretisation& space, double nnz, double pairs, double assembled,
              bool blocks, bool on_cuda) {
  std::string format = params.matrix.format;
  if (format == "auto" && solvers::needs_entries(params.solver)) format = blocks ? "block_crs" : "crs";
  if (format == "auto") format = !blocks ? "packed_ell" : on_cuda ? "block_sliced_ell" : "block_crs";
  if (format == (blocks ? "block_crs" : "crs")) return {assembled, assembled, blocks, true};
  if (!blocks || format == "block_sliced_ell") {
    const double copy = 8 * nnz + 4 * pairs;
    return {copy, assembled + copy, blocks};
  }
  // Block rows number by number: a format of scalars, made of CRS, and the blocks on the diagonal.
  const double crs = 12 * nnz + 8.0 * space.rows(), diagonal = 8.0 * space.components * space.rows();
  if (format == "crs") return {crs + diagonal, assembled + crs + diagonal};
  return {12 * nnz + diagonal, assembled + crs + 12 * nnz + diagonal};
}

/// What the solver says that it takes, on the host and on the device. `copies_entries`: see solvers::ProblemSize.
struct SolverNeed {
  double host = 0, device = 0, set_up_seconds = 0;
};
SolverNeed solver_need(const CommonParams& params, const Discretisation& space, double nnz, int block,
                       bool copies_entries, double all_rows) {
  solvers::ProblemSize size{.rows = 1.0 * space.rows(), .entries = nnz, .dim = space.mesh.dim};
  size.block = block;
  size.copies_entries = copies_entries;
  size.all_rows = all_rows;
  SolverNeed need;
  const double shift = solvers::shift_bytes(space.rows());
  need.host = solvers::solver_bytes(params.solver, size) + shift;
  if (solvers::wants_modes(params.solver))  // the modes twice, while they are taken apart
    need.host += 16.0 * params.solver.method.as<solvers::EigenParams>().modes * space.rows();
  const auto seconds = solvers::find_solver(params.solver.type)->set_up_seconds;
  need.set_up_seconds = seconds ? seconds(size) : 0;
  size.on_cuda = true;
  need.device = solvers::solver_bytes(params.solver, size) + shift;
  return need;
}

}  // namespace

double bytes_in_use() {
  double pages = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> pages >> resident;
  return std::max(0.0,
                  resident * static_cast<double>(sysconf(_SC_PAGE_SIZE)) - static_cast<double>(mallinfo2().fordblks));
}

Estimate estimate(const CommonParams& params, const Discretisation& space, const AtPoints& coefficients,
                  const Traits& traits, const Ways& ways) {
  const mesh::Mesh& mesh = space.mesh;
  const assembly::DofMap& dofs = space.dofs;
  const double rows = space.rows(), components = space.components;
  Estimate result;
  // Phases follow each other: files are written when matrix and solver are gone.
  const double now = bytes_in_use() + of_any_run, files = output_bytes(params, space, traits, 1),
               of_series = params.output.write ? output_bytes(params, space, traits, states_of_series) : 0;
  if (coefficients.steps) {
    // The state on the host, and what becomes a file of it, beside all that makes steps.
    const StepBytes& steps = *coefficients.steps;
    const double states = 8.0 * states_of_steps * rows;
    result.device_bytes = steps.kept;
    result.host_bytes = now + steps.kept + std::max(steps.set_up, states + of_series);
    return result;
  }
  if (ways.matrix_free) {
    const int diagonals = 1 + space.components / 2;
    const double kept = matrix_free_bytes(mesh, space, coefficients) + 16.0 * diagonals * rows + 24.0 * mesh.nodes();
    const double set_up = matrix_free_setup_bytes(mesh, space) + coefficients.bytes;
    SolverNeed solver = solver_need(params, space, 0, space.components, false, ways.all_rows);
    if (solvers::wants_lower_orders(params.solver) && params.solver.precision == "double") {
      const double copy = matrix_free_copy_bytes(mesh, space, coefficients);
      solver.host += copy, solver.device += copy;
    }
    result.device_bytes = kept + std::max(solver.device, set_up);
    result.host_bytes = now + std::max(kept + std::max(solver.host, set_up), files);
    return result;
  }
  // Block rows couple the unknowns of a node; without them each is a row of its own.
  const bool blocks = traits.fields.front().block(mesh.dim) > 1;
  const double nodes = assembly::estimated_entries(dofs), pairs = blocks ? nodes : nodes * components;
  result.nnz = blocks ? pairs * components * components : pairs;
  double connectivity = 0, slots = 0;
  for (std::size_t b = 0; b < dofs.blocks.size(); ++b) {
    const double cells = dofs.blocks[b].cells(), n = dofs.blocks[b].nodes;
    connectivity += cells * (4 * n + 4.0 * mesh.blocks[b].nodes_per_cell + 16);
    slots += n <= 30 ? cells * 2 * n * n : 0;
  }
  const double matrix = 8 * result.nnz + 4 * pairs + 8.0 * (blocks ? dofs.dofs : space.rows());
  const Stored host = stored(params, space, result.nnz, pairs, matrix, blocks, false);
  const Stored device = stored(params, space, result.nnz, pairs, matrix, blocks, true);
  const SolverNeed solver = solver_need(params, space, result.nnz, blocks ? space.components : 1,
                                        host.block_rows && solvers::needs_entries(params.solver), ways.all_rows);
  result.set_up_seconds = solver.set_up_seconds;
  const double vectors = 8.0 * 2 * rows;
  const double mesh_bytes = 24.0 * mesh.nodes() + connectivity;
  result.device_bytes = vectors + std::max({matrix + mesh_bytes + slots + coefficients.bytes, device.converting,
                                            device.kept + solver.device});
  const double sparsity = connectivity + 8 * nodes + 16.0 * dofs.dofs;
  // The model's coefficients and the copy of the assembler.
  const double assembling = connectivity + matrix + slots + vectors / 2 + 2 * coefficients.bytes;
  const double solving = std::max(host.converting, host.kept + solver.host) + 3 * vectors / 2;
  result.host_bytes =
      std::max(static_cast<double>(memory_use().host_peak), now + std::max({sparsity, assembling, solving, files}));
  if (!params.time && !ways.nonlinear) return result;
  // What assembles stays beside the solver, which has its own form of the matrix unless it borrows that which is
  // filled. In a step there are M and A as well, of implicit schemes their sum, of explicit ones over ranks the
  // rows of A that a rank owns, and the vectors of the scheme; files are written meanwhile (states_of_series).
  // Newton's method has the sum as its tangent, and an assembler for each of both. Lower orders have the same
  // for a part of the rows.
  const bool implicit = !params.time || is_implicit(*params.time);
  const double filled = !params.time ? 1 : (implicit || ways.all_rows > 0) && !ways.nonlinear ? 3 : 2;
  const double lists = (params.time && ways.nonlinear ? 2 : 1) * (slots + connectivity);
  const double vectors_kept = params.time ? vectors_of_scheme : vectors_of_newton;
  const double orders = implicit && solvers::wants_lower_orders(params.solver) ? 1 + std::pow(0.5, mesh.dim) : 1;
  const double stay = orders * (filled * matrix + lists + coefficients.bytes) + 8.0 * vectors_kept * rows;
  const double copied = ways.nonlinear ? coefficients.bytes : 0;  // of the host, while the assembler takes them
  const auto beside = [&](const Stored& form) { return form.borrows && !params.time ? 0 : form.kept; };
  result.device_bytes = stay + beside(device) + (implicit ? solver.device : 0);
  const double written = params.time ? of_series : 0;
  result.host_bytes =
      std::max(result.host_bytes, now + stay + copied + beside(host) + written + (implicit ? solver.host : 0));
  return result;
}

}  // namespace tessera::physics
