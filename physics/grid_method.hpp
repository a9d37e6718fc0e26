#pragma once
// What a module says of a method of its own on the nodes of a uniform grid, where no mesh is made before results ask
// for one.
#include "physics/module.hpp"
#include "physics/sections.hpp"
#include "solvers/report.hpp"

namespace tessera::physics {

/// A problem on a grid as the driver run_on_grid (run/on_grid.hpp) walks it.
class GridMethod {
 public:
  /// Bytes that a run takes beside those in use, and the help of the error that they are too many.
  struct Forecast {
    double host = 0, device = 0;
    const char* way_out =
        "use a coarser mesh, a lower order or a solver without factorisation, or raise the limit that is named";
  };

  virtual ~GridMethod() = default;
  virtual const CommonParams& params() const = 0;
  /// Every check that evaluates nothing.
  virtual void set_up() {}
  /// Of `evaluate`, among the phases of the summary.
  virtual const char* phase() const = 0;
  /// Evaluates data and Dirichlet values. False where the user asked to stop.
  virtual bool evaluate(const Context& context) = 0;
  /// What is solved, for the log; empty: nothing is said.
  virtual std::string describe() const = 0;
  /// "mesh" and "space" of the summary.
  virtual void summarise(output::Summary& summary) const = 0;
  /// Solves on the backend of the deck. Phases: convert, solve.
  virtual solvers::Report solve(Context& context) = 0;
  /// Errors, quantities, files. False where the user asked to stop. Phases: those of the mesh, post, output.
  virtual bool report(const solvers::Report& report, Context& context) = 0;

  // What `tessera check` says, line by line.
  /// Evaluates all that a run evaluates, for its checks.
  virtual void check_values(const Context& context) = 0;
  virtual void print_grid() const = 0;
  virtual std::string solver() const { return params().solver.type; }
  virtual Forecast forecast() const = 0;
  virtual void print_output() const {}

  /// The linear system, for `tessera export`; with `full` without elimination of Dirichlet values. Throws Error(usage)
  /// where there is no matrix.
  virtual LinearSystem system(bool full) const;
};

}  // namespace tessera::physics
