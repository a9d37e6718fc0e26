#pragma once
// Red-black relaxation for convection-diffusion on a rectangle: lap u - f u_x - g u_y = s, central differences.
//
// Unknown (i, j), i = 1 .. m[0] along x, j = 1 .. m[1] along y, spacings h, k:
//   u_ij = l u_{i-1,j} + r u_{i+1,j} + t u_{i,j+1} + b u_{i,j-1} - s_ij / D,   D = 2/h^2 + 2/k^2,
//   l, r = A (1 +- h f/2),  b, t = B (1 +- k g/2),  A = k^2 / (2 (h^2 + k^2)),  B = h^2 / (2 (h^2 + k^2)),
// and an iteration moves every u_ij by omega_ij times what it lacks: red points (i + j even) first, black ones then.
// Sources: [NCG 10] Cotronis, Konstantinidis, Missirlis, A GPU implementation for solving the convection diffusion
// equation using the local modified SOR method, in: Numerical Computations with GPUs, Springer 2014; [BM98] Boukas,
// Missirlis, Int. J. Comput. Math. 68 (1998) 153-174. docs/methods/lmsor.md.
#include <array>
#include <string>
#include <vector>

#include "base/array.hpp"
#include "base/backend.hpp"
#include "deck/section.hpp"
#include "solvers/method.hpp"

namespace tessera::solvers::grid {

/// lap u - f u_x - g u_y = s on the m[0] x m[1] interior nodes of a rectangle. The views lie in the memory of the
/// backend.
struct LmsorProblem {
  std::array<Index, 2> m{1, 1};       ///< interior nodes along x and y, >= 1 each
  std::array<double, 2> h{0.5, 0.5};  ///< spacings along x and y, > 0
  View<const double> f = {}, g = {};  ///< [m[1], m[0]] at the interior nodes, x fastest; empty: 0 everywhere
  View<const double> source = {};     ///< the same; empty: 0 everywhere
  /// Ends of each axis whose last line of nodes mirrors the one before it, by |h f/2| = 1: for the estimates of omega.
  std::array<int, 2> mirrors{0, 0};
};

/// [solver] of the relaxation methods.
struct LmsorParams {
  std::string method = "lsor";    ///< lsor | lmsor | msor | sor
  double omega = 0;               ///< of sor, and of the red points of msor, 0 < omega < 2; 0: estimated
  double omega_black = 0;         ///< of the black points of msor; 0: estimated
  std::string stop = "residual";  ///< residual: ||b - A u|| <= tolerance ||b|| | update: sum (du)^2 <= tolerance
  double tolerance = 1e-8;
  int max_iterations = 100000;
  int check_every = 0;             ///< iterations between two looks at the norms; 0: 16, and 1 with stop = update
  std::string recompute = "auto";  ///< none: l r t b omega stored | coefficients: f g omega stored | all: f g stored
  std::string access = "auto";     ///< how CUDA reads the other colour: global | shared | texture; threads: global
  int granularity = 0;             ///< points a CUDA thread works on: 1, 2, 4 or 8; 0: the method's own choice
  int blocking = 0;                ///< iterations of one pass over memory; 1: one half each pass; 0: own choice
  double damping = 0.7;            ///< all omega times this when the residual grows, and from the start again; 1: never
  std::string precision = "double";  ///< double | float: [run] precision, no key of [solver]
  deck::Where where = {};
};

/// The relaxations: local SOR, local modified SOR, modified SOR, SOR. They read the same keys and need the coefficients
/// at the nodes.
MethodEntry lsor_entry();
MethodEntry lmsor_entry();
MethodEntry msor_entry();
MethodEntry sor_entry();
/// What [solver] says to a relaxation.
LmsorParams relaxation_of(const SolverParams& params);
/// Throws Error(usage) at params.where for an unknown name (with the nearest ones), a number out of range, or a choice
/// that the backend ("threads" or "cuda"; empty: not known) lacks.
void check(const LmsorParams& params, const std::string& backend);

/// What a relaxation did. `history` has the relative residual of the start and of every look.
struct LmsorReport : Report {
  double update = 0;   ///< sum (du)^2 of the last iteration
  double damping = 1;  ///< factor on all omega in the end
  int restarts = 0;    ///< how often growth of the residual led to more damping; iterations counts all starts
  double omega_min = 0, omega_max = 0;  ///< before damping
  Offset mixed_points = 0;              ///< points where one of lr, tb is negative and the other positive
  double bytes = 0;                     ///< declared bytes of one iteration: docs/methods/lmsor.md
  std::vector<std::string> warnings;    ///< |h f/2| > 1 or |k g/2| > 1: central differences oscillate; damped; ...
};

/// Solves `problem` from the start values u. u: [m[1]+2, m[0]+2], x fastest, in the memory of the backend; its rim
/// holds the Dirichlet data (corners are never read), its interior the start and in the end the solution, also when it
/// did not converge. The relative residual is in proportion to the right side b that source and boundary data make;
/// where b = 0, to the residual of the start. Throws Error(usage) for sizes, spacings or params that are wrong,
/// Error(solver) naming the place of a value of f, g, source or u that is not finite. Bitwise repeatable; on threads
/// independent of their number.
template <class Exec>
LmsorReport solve_lmsor(Exec& exec, const LmsorProblem& problem, View<double> u, const LmsorParams& params = {},
                        const Monitor& monitor = {});

}  // namespace tessera::solvers::grid
