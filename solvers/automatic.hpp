#pragma once
#include <string>

#include "solvers/method.hpp"
#include "solvers/params.hpp"

namespace tessera::solvers {

/// Of several unknowns a node block_jacobi, else jacobi: what preconditioner = "auto" stands for where nothing better
/// is known.
const char* jacobi_of(int unknowns_of_node);
/// Whether it is amg or pmg.
bool is_multigrid(const SolverParams& params);
/// Whether it is, and preconditioner = "auto" has chosen it.
bool is_automatic(const SolverParams& params);

/// A preconditioner, and why it was chosen.
struct Automatic {
  std::string preconditioner;
  std::string why;
};
/// What a system has for the preconditioners that may be chosen.
struct OneSystem {
  ProblemSize size = {};      ///< `entries` of a system without a matrix are not looked at
  bool entries = true;        ///< they are at hand, in rows
  bool matrix = true;         ///< else its operator is applied without one
  bool lower_orders = false;  ///< it may be had in elements of lower orders
  bool simplices = false;     ///< its cells are triangles or tets
};
/// What preconditioner = "auto" of cg, or of bicgstab and gmres where the matrix is not symmetric, stands for where one
/// system, positive definite or its symmetric part, is solved from a start that knows nothing: jacobi (block_jacobi of
/// several unknowns a node), or that of amg and pmg whose set-up and few iterations cost least, where they cost less
/// than those that jacobi is likely to take, of those that fit into `free_bytes` (0: not known). Iterations of jacobi
/// grow with the nodes along an axis, those of all ranks; costs are those of docs/methods/multigrid.md, of what one
/// rank has. With the same sizes and memory all ranks choose the same.
Automatic choose_preconditioner(const SolverParams& params, const OneSystem& system, double free_bytes);

/// What amg costs in iterations of jacobi.
struct AmgWorth {
  double set_up = 0, refill = 0;  ///< of a first matrix, and of one with its pattern
  double iteration = 0;
};
/// Of one unknown a node, from measurements: docs/methods/multigrid.md.
AmgWorth amg_worth(const OneSystem& system, bool symmetric);
/// The iterations that amg is expected to take for so many decimal digits of the residual.
double iterations_of_amg(double digits, bool symmetric);

/// Rows of all ranks below which jacobi stays for systems that follow one another.
inline constexpr double least_rows_of_many = 2000;
/// Systems that follow one another, of steps through time or of Newton's method, which jacobi has solved until now.
struct Following {
  double iterations = 0;      ///< of jacobi, in the last step
  double with_amg = 0;        ///< those that amg is expected to have taken in its place
  double matrices = 0;        ///< of new values that it had
  double steps = 0;           ///< such as the last one that are to come
  double lost = 0;            ///< iterations of jacobi that amg would have saved so far, but for its set-ups
  const char* step = "step";  ///< what is counted: "system"
};
/// What the iterations of the last step would have cost less with amg, in those of jacobi.
double lost_without_amg(const SolverParams& params, const OneSystem& system, const Following& following);
/// What preconditioner = "auto" of such systems goes on with: amg where its set-up and iterations cost less, by a
/// margin, than those of jacobi in all steps to come if they are like the last one, and where jacobi has already cost
/// more by a part of that set-up, so that a few hard systems at a start do not decide; and where it fits into
/// `free_bytes` (0: not known) beside what is there. It depends on nothing that is measured in seconds: runs repeat.
Automatic choose_on_the_way(const SolverParams& params, const OneSystem& system, const Following& following,
                            double free_bytes);

}  // namespace tessera::solvers
