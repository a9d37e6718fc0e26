#pragma once
// What a run says and writes: summary, errors, quantities, files, and its exit code.
#include <filesystem>

#include "physics/model.hpp"
#include "solvers/report.hpp"

namespace tessera::physics {

struct NewtonReport;
struct TimeReport;

/// Whether the user asked to stop; over ranks, whether any was asked, and then it is collective.
std::function<bool()> stop_of(const Context& context);

/// Watches a solver for the user: progress, and the wish to stop.
solvers::Monitor monitor_of(const Context& context, double tolerance);

/// Fills "mesh" and "space" of the summary.
void summarise_mesh(const mesh::Mesh& mesh, const assembly::Space& space, Offset nnz, output::Summary& summary);
/// Of it what is of the space, which has so many rows in all.
void summarise_space(const assembly::Space& space, Offset rows, Offset nnz, output::Summary& summary);
void summarise_solver(const solvers::Report& report, output::Summary& summary);

/// The balance, errors and quantities, and the tables of lines. Collective where ranks share the solution. Phases:
/// balance, post, output.
void report_numbers(const CommonParams& params, const Traits& traits, const NodalSolution& solution, Results& results,
                    Context& context);
/// The same and, unless the deck wants none, files: solution.vtu with every field of [output] and numbers of the cells,
/// solution.pvd or solution.csv. Order 1 as linear cells, higher orders as Lagrange cells. A result that is not
/// converged is marked by its title.
void report_solution(const CommonParams& params, const Traits& traits, const NodalSolution& solution, Results& results,
                     bool converged, Context& context);

/// How the files of a solution are called, and whether they are one of several states, which somebody else lists.
struct FileNames {
  std::string stem = "solution";
  bool in_series = false;
  bool goes_on = false;   ///< whoever takes it has the grid of the series
  std::string when = {};  ///< of one of several states: "t = 0.5"
};

/// That of fields in files.
output::Precision precision_of(const OutputParams& params);

/// Writes a solution of one rank in the formats of the deck: solution.vtu with solution.pvd, solution.csv, and
/// solution.vtkhdf, of which a series has one for all.
void write_solution_files(const OutputParams& params, const output::VtkData& data,
                          const std::filesystem::path& directory, const FileNames& names = {});
/// Each rank writes a piece, what it calls its own, and the root solution.pvtu and, where it is `listed`, solution.pvd.
/// Returns how many. Collective.
int write_pieces(const OutputParams& params, const Share& share, const std::function<output::VtkData()>& own,
                 const std::filesystem::path& directory, bool listed, const FileNames& names = {});

/// The exit code of a run; says on standard error and in the summary where the solver did not converge.
ExitCode conclude(const CommonParams& params, const solvers::Report& report, Context& context);
ExitCode conclude(const CommonParams& params, const NewtonReport& report, Context& context);
ExitCode conclude(const CommonParams& params, const TimeReport& report, Context& context);

}  // namespace tessera::physics
