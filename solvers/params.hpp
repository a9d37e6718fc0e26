#pragma once
#include <string>

#include "deck/section.hpp"

namespace tessera::solvers {

/// Keys of [solver].
struct SolverParams {
  std::string type = "cg";                ///< a name of solver_table()
  std::string preconditioner = "jacobi";  ///< a name of preconditioner_table(); direct solvers ignore it
  double tolerance = 1e-8;                ///< on ||b - A x|| / ||b||
  double absolute_tolerance = 0;          ///< also accepted: ||b - A x|| at most this
  int max_iterations = 10000;
  double relaxation = 1.0;           ///< omega of SSOR, 0 < omega < 2
  std::string variant = "standard";  ///< of cg: standard | single_reduction
  int restart = 30;                  ///< of gmres: vectors of its basis
  int radix = 4;                     ///< of bcr: 2 | 4
  int degree = 2;                    ///< of chebyshev: products an application
  int residual_every = 0;  ///< iterations between two recomputations of b - A x; 0: only before a solution is accepted
  int check_every = 10;    ///< iterations between two looks at the residual on CUDA; threads look at every one
  std::string precision = "double";  ///< double | float | mixed: [run] precision, no key of [solver]
  deck::Where where = {};
};

/// Factors the matrix, so it takes no preconditioner and reads the entries in CRS.
inline bool is_direct(const SolverParams& params) { return params.type == "direct" || params.type == "lu"; }

/// A direct solver of grids (solvers/grid): needs a GridOperator, takes no preconditioner.
inline bool is_grid_solver(const SolverParams& params) { return params.type == "bcr" || params.type == "fft"; }

/// Schema of [solver]; the choices are the names of the tables in solve.hpp.
deck::Section<SolverParams> solver_section();

/// Throws Error(usage) at `params.where` for an unknown name (with the nearest ones) or a number out of its range.
void check(const SolverParams& params);

}  // namespace tessera::solvers
