#pragma once
#include <map>
#include <string>
#include <vector>

#include "deck/section.hpp"
#include "solvers/keys.hpp"

namespace tessera::solvers {

/// The preconditioner of a deck that leaves the choice to the run: see solvers/automatic.hpp.
inline constexpr const char* automatic = "auto";

/// [solver]: keys that many methods share, and those of the method itself in the type that it declares.
struct SolverParams {
  std::string type = "cg";                ///< a name of solver_table()
  std::string preconditioner = "jacobi";  ///< a name of preconditioner_table(); of a deck also `automatic`
  double tolerance = 1e-8;                ///< on ||b - A x|| / ||b||
  double absolute_tolerance = 0;          ///< also accepted: ||b - A x|| at most this
  int max_iterations = 10000;
  Own method = {};           ///< Params of the method, e.g. GmresParams
  Own preconditioning = {};  ///< Params of the preconditioner, e.g. SweepParams
  int residual_every = 0;  ///< iterations between two recomputations of b - A x; 0: only before a solution is accepted
  int check_every = 10;    ///< iterations between two looks at the residual on CUDA; threads look at every one
  std::string precision = "double";  ///< double | float | mixed: [run] precision, no key of [solver]
  deck::Where where = {};
  std::map<std::string, deck::Where> given = {};  ///< keys that the deck sets, and where: filled by read_solver
  deck::Where where_precision = {};               ///< of [run] precision
};

/// What the operators of a module offer: which methods it has, and which of them [solver] stands for without a `type`.
struct Offers {
  bool symmetric = true;
  std::string why_not_symmetric = {};  ///< "convection makes one that is not"
  bool operators = true;               ///< it has a matrix, or an operator without one
  bool grid = false;                   ///< it may be a uniform grid with constant coefficients
  bool nodes = false;                  ///< it may be coefficients at the nodes of a rectangle
  bool two_point = false;              ///< it is f at the nodes of an interval: two_point/two_point.hpp
  std::string type = "cg";
  bool lower_orders = false;  ///< it may be had in elements of lower orders
  bool mass = false;          ///< it has a mass matrix beside it: modes may be asked for
  bool automatic = false;     ///< decks may also call that method "auto"
  int block = 1;              ///< unknowns a node: with several there is block_jacobi, in the place of jacobi
};

/// Factors the matrix, so it takes no preconditioner and reads the entries in CRS.
bool is_direct(const SolverParams& params);
/// A direct solver of grids (solvers/grid): needs an operator of a grid, takes no preconditioner.
bool is_grid_solver(const SolverParams& params);
/// Red-black relaxation of a rectangle's nodes: grid/lmsor.hpp.
bool is_relaxation(const SolverParams& params);
/// Whether the method or its preconditioner reads entries of the matrix.
bool needs_entries(const SolverParams& params);
/// Whether its preconditioner asks for the near kernel of a matrix of several unknowns a node.
bool wants_near_kernel(const SolverParams& params);
/// Whether its preconditioner asks for operators of lower order.
bool wants_lower_orders(const SolverParams& params);
/// Who reads them: `solver.type = "direct"`, or `the preconditioner "ssor"`.
std::string reader_of_entries(const SolverParams& params);

/// [solver] with the methods and preconditioners that fit, and their keys; the help says what reads a key.
deck::SectionDescription solver_description(const Offers& offers = {});

/// [solver] of a deck, with the `precision` of [run] and checked, also for keys that the solver does not read.
SolverParams read_solver(const deck::Deck& deck, const std::string& precision, const Offers& offers = {});

/// Throws Error(usage), at the key where the deck sets it and else at `params.where`, for an unknown name (with the
/// nearest ones), a number out of its range, and names that do not fit together.
void check(const SolverParams& params);
/// The same, and for a solver or preconditioner that the backend ("threads" or "cuda") does not have.
void check(const SolverParams& params, const std::string& backend);

}  // namespace tessera::solvers
