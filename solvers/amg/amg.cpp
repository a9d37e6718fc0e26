#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/team.hpp"
#include "solvers/amg/amg_impl.hpp"
#include "solvers/amg/row_sums_threads.hpp"

namespace tessera::solvers {
namespace {

/// What a hierarchy is likely to look like, per row of the matrix: measured on P1, Q1 and 7-point (5-point) matrices.
struct Expected {
  double second;                ///< rows (nodes) of the second level
  double of_P, of_AP, coarser;  ///< entries of P, of A P, of the matrices of all coarser levels

  explicit Expected(const ProblemSize& size)
      : second(1 / rows_of_aggregate(size)),
        of_P(size.dim > 2 ? 5 : 3.2),
        of_AP(size.dim > 2 ? 6 + 0.25 * per_row(size) : 3.7),
        coarser(size.dim > 2 ? 5.5 : 2.4) {}
  /// In space those of 7 points, of P1 and of Q1.
  static double rows_of_aggregate(const ProblemSize& size) {
    return size.dim > 2 ? 7.5 + 15 * std::clamp((per_row(size) / size.block - 16) / 11, 0.0, 1.0) : 6;
  }
  static double per_row(const ProblemSize& size) { return size.rows > 0 ? size.entries / size.rows : 0; }
};

double value_bytes(const SolverParams& params) {
  return params.preconditioning.as<AmgParams>().hierarchy == "double" ? 8 : 4;
}

/// Over ranks: a copy of the pattern of the finest matrix, in which ghosts have columns, and of its values while the
/// second level is made. `numbers` has a column.
double shared_pattern_bytes(const ProblemSize& size, double numbers) {
  return size.all_rows > 0 ? 4 * size.entries / numbers + 8 * size.rows / size.block : 0;
}
double shared_values_bytes(const ProblemSize& size) { return size.all_rows > 0 ? 8 * size.entries : 0; }
/// How often the values of A P are there at a time: over ranks the rows of others are appended to a copy.
double times_of_AP(const ProblemSize& size) { return size.all_rows > 0 ? 2 : 1; }

/// On threads, while rows of A P and R (A P) are made: a sum and a mark a column of the second level, of which there
/// are `columns`, and thread that has rows to make. Ranks share the threads of their machines, each of which may have
/// others, and have to come to the same choice of a preconditioner: one is counted.
double scratch_bytes(const ProblemSize& size, double columns) {
  const double threads =
      size.all_rows > 0 ? 1 : std::min<double>(default_threads(), std::ceil(size.rows / size.block / amg::row_chunk));
  return size.on_cuda ? 0 : 12 * threads * columns;
}

/// The finest matrix, with its columns where it is in slices; P, R, aggregates and the inverse diagonal.
double finest_bytes(const SolverParams& params, const ProblemSize& size) {
  const double value = value_bytes(params), columns = size.on_cuda && size.rows >= amg::sliced_rows ? 4 : 0;
  return (value + columns) * size.entries + (2 * (value + 4) * Expected(size).of_P + 12 + value) * size.rows +
         copied_entries_bytes(size) + shared_pattern_bytes(size, 1);
}

/// The same of several unknowns a node: in blocks a node, and unknowns of a node on coarser levels where there is a
/// near kernel of rigid motions.
struct ExpectedNodes {
  double modes, of_P, of_AP, coarser;

  explicit ExpectedNodes(const ProblemSize& size)
      : modes(size.dim > 2   ? 6
              : size.dim > 1 ? 3
                             : size.block),
        of_P(size.dim > 2 ? 4 : 3),
        of_AP(size.dim > 2 ? 6 + 0.25 * Expected::per_row(size) / size.block : 3.7),
        coarser((size.dim > 2 ? 5.5 : 2) * modes * modes / size.block) {}
};
/// The finest matrix, P, R, the near kernel and the inverse blocks.
double finest_bytes_of_nodes(const SolverParams& params, const ProblemSize& size) {
  const double value = value_bytes(params);
  const ExpectedNodes expected(size);
  return value * size.entries +
         (2 * expected.of_P * (value * expected.modes + 4 / size.block) + 8 * expected.modes + value * size.block) *
             size.rows +
         shared_pattern_bytes(size, size.block * size.block);
}
double bytes_of_nodes(const SolverParams& params, const ProblemSize& size) {
  const double value = value_bytes(params);
  return finest_bytes_of_nodes(params, size) + (3 * value + value * ExpectedNodes(size).coarser) * size.rows;
}
/// A P, the matrix of the second level, and inverse blocks in double.
double set_up_bytes_of_nodes(const SolverParams& params, const ProblemSize& size) {
  const ExpectedNodes expected(size);
  return finest_bytes_of_nodes(params, size) + shared_values_bytes(size) +
         8 * (size.block + times_of_AP(size) * expected.of_AP * expected.modes + expected.coarser) * size.rows +
         scratch_bytes(size, Expected(size).second * size.rows / size.block);
}

double bytes_of_amg(const SolverParams& params, const ProblemSize& size, double) {
  if (size.block > 1) return bytes_of_nodes(params, size);
  const double value = value_bytes(params);
  return finest_bytes(params, size) + (3 * value + (value + 4) * Expected(size).coarser + 11) * size.rows;
}
/// While the second level is made: A P, its matrix (of a symmetric one on threads later two halves in the place of A
/// P), the scales of rows, and the symmetric part of a matrix that may not be symmetric.
double set_up_bytes_of_amg(const SolverParams& params, const ProblemSize& size) {
  if (size.block > 1) return set_up_bytes_of_nodes(params, size);
  const double part = takes_symmetric(params) ? 0 : 8 * size.entries;
  return finest_bytes(params, size) + part + shared_values_bytes(size) +
         (24 + (4 + 8 * times_of_AP(size)) * Expected(size).of_AP + 12 * Expected(size).coarser) * size.rows +
         scratch_bytes(size, Expected(size).second * size.rows);
}

/// The two steps of a K-cycle are those of conjugate gradients.
void check_cycle(const AmgParams& params, const SolverParams& all, const std::string&) {
  if (params.cycle == "K" && !takes_symmetric(all))
    throw Error(ExitCode::usage,
                fmt::format("cycle = \"K\" takes the matrix for symmetric, which {} does not", all.type),
                "choose cycle = \"V\" or \"W\", or type = \"cg\"", place(all, "cycle"));
}

}  // namespace

PreconditionerEntry amg_entry() {
  return {
      .name = "amg",
      .help =
          "algebraic multigrid by smoothed aggregation: a number of iterations that hardly grows with the mesh, of "
          "elasticity, too; for cg, and of convection and diffusion for bicgstab and gmres",
      .needs = {.definite = true, .entries = true, .near_kernel = true},
      .bytes = bytes_of_amg,
      .set_up_bytes = set_up_bytes_of_amg,
      .check_every = 1,
      .own = Keys<AmgParams>()
                 .key("cycle", &AmgParams::cycle,
                      {.help = "How often coarser levels are visited: V once, W twice, K twice with the best "
                               "combination of both (with cg only).",
                       .choices = {"V", "W", "K"}})
                 .also(check_cycle)
                 .key("strength", &AmgParams::strength,
                      {.help = "Entries beyond this part of the largest ones of their row and column, of which the "
                               "geometric mean "
                               "is taken, couple strongly; halved on each coarser level.",
                       .min = 0,
                       .max = 1},
                      true)
                 .key("smoother_degree", &AmgParams::smoother_degree,
                      {.help = "Chebyshev steps before and after each coarser level.", .min = 1, .max = 4})
                 .key("coarsest_rows", &AmgParams::coarsest_rows,
                      {.help = "Rows of a level that is solved by its inverse.", .min = 1, .max = 4000})
                 .key("gathered_rows", &AmgParams::gathered_rows,
                      {.help = "Over ranks: coarser levels of at most so many rows, of all ranks together, are "
                               "gathered on each of them.",
                       .min = 1,
                       .max = 10'000'000})
                 .key("hierarchy", &AmgParams::hierarchy,
                      {.help = "Precision of the matrices and vectors of the cycle.", .choices = {"float", "double"}}),
      TESSERA_MAKERS(make_amg)};
}

TESSERA_INSTANTIATE_PRECONDITIONER(make_amg, Threads, double);
TESSERA_INSTANTIATE_PRECONDITIONER(make_amg, Threads, float);

}  // namespace tessera::solvers
