#pragma once
// What a run says and writes: summary, quantities, errors, fields, and the report of `tessera check`.
#include <filesystem>
#include <vector>

#include "assembly/fields/tensor_field.hpp"
#include "base/array.hpp"
#include "physics/scalar/fluxes.hpp"
#include "solvers/report.hpp"

namespace tessera::physics::scalar {

/// Watches a solver for the user: progress, and the wish to stop.
solvers::Monitor monitor_of(const Context& context, double tolerance);

void report_errors(const ExactParams& exact, const Solution& solution, output::Summary& summary);
/// Evaluates [exact] where report_errors does, for its checks. Throws Error(usage) where a value is not finite.
void check_values(const ExactParams& exact, const mesh::Mesh& mesh, const assembly::DofMap& dofs, int threads);
void report_quantities(const std::vector<QuantityParams>& quantities, const Solution& solution, const Fluxes& fluxes,
                       output::Summary& summary);
/// Errors, the balance, quantities and, unless the deck wants none, files. Phases: post, output.
void report_solution(const Params& params, const Solution& solution, const solvers::Report& report, Context& context);
/// Whether errors, quantities or files are wanted, which stand on a mesh.
bool needs_mesh(const Params& params);
/// Errors, quantities and files on the mesh of the box, whose nodes are those of the grid: u [nodes]. All sides are Dirichlet's.
void report_on_mesh(const Params& params, const Array<double>& u, const solvers::Report& report, const WeakForm& form,
                    Context& context);

/// The same evaluations of [exact] as report_on_mesh does, for their checks.
void check_values_on_mesh(const Params& params, const Context& context);

/// The exit code of a run; says on standard error and in the summary where the solver did not converge.
ExitCode conclude(const Params& params, const solvers::Report& report, Context& context);
void summarise_solver(const solvers::Report& report, output::Summary& summary);

/// The error of a run whose solver did not converge (exit code 4).
Error not_converged(const solvers::Report& report, const solvers::SolverParams& params);

/// Writes solution.vtu (u, flux = -k grad u, material and groups of the cells) and solution.pvd. Order 1 as linear cells, higher
/// orders as Lagrange cells. A result that is not converged is marked by its title.
void write_solution(const Params& params, const Solution& solution, bool converged,
                    const std::filesystem::path& directory);

/// Says whether `need` bytes fit into the `have` that are free; warns where they do not.
void say_fit(const char* where, double need, double have);

/// What coefficients at quadrature points take.
struct AtPoints {
  double bytes = 0;
  bool k = false;  ///< whether k is among them
};
AtPoints at_points(const forms::ConvectionData& data);

/// Prints mesh, groups, quality, sizes and an estimate of time and memory for host and GPU, and warns where it will not
/// fit. `why_no_matrix`: of a solution without one; empty: a matrix is assembled.
void print_check(const Problem& problem, const AtPoints& coefficients, const std::string& why_no_matrix,
                 output::Summary& summary);

}  // namespace tessera::physics::scalar
