#pragma once
#include <map>
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
  std::map<std::string, deck::Where> given = {};  ///< keys that the deck sets, and where: filled by read_solver
};

/// Factors the matrix, so it takes no preconditioner and reads the entries in CRS.
inline bool is_direct(const SolverParams& params) { return params.type == "direct" || params.type == "lu"; }

/// A direct solver of grids (solvers/grid): needs a GridOperator, takes no preconditioner.
inline bool is_grid_solver(const SolverParams& params) { return params.type == "bcr" || params.type == "fft"; }

/// Whether a solver among `types` or a preconditioner among `preconditioners` reads the key of [solver]: from their tables.
bool is_read(const std::string& key, const std::vector<std::string>& types,
             const std::vector<std::string>& preconditioners);

/// Schema of [solver]; the choices are the names of the tables in solve.hpp, and the help says what reads a key.
deck::Section<SolverParams> solver_section();

/// [solver] of a deck, with the `precision` of [run] and checked, also for keys that the solver does not read. A deck that leaves `type` out gets that of `defaults`.
SolverParams read_solver(const deck::Deck& deck, const std::string& precision, const SolverParams& defaults = {});

/// Throws Error(usage), at the key where the deck sets it and else at `params.where`, for an unknown name (with the nearest ones), a
/// number out of its range, and names that do not fit together.
void check(const SolverParams& params);
/// The same, and for a solver or preconditioner that the backend ("threads" or "cuda") does not have.
void check(const SolverParams& params, const std::string& backend);

}  // namespace tessera::solvers
