#pragma once
// The matrix of a linear system on a backend, in the format that the deck says, and where its solution starts.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/log.hpp"
#include "base/profile.hpp"
#include "linalg/formats.hpp"
#include "physics/model.hpp"
#include "physics/run/report.hpp"
#include "solvers/solve.hpp"

namespace tessera::physics {

/// Where a solution starts and what of it is known. On the host.
struct Start {
  std::vector<double> u;  ///< [rows]; empty: the constant nearest to the data
  DirichletData fixed;    ///< of the rows of the system
};

/// The operator of a matrix, Crs or BlockCrs, in the format that the deck asks for; "crs" and "block_crs" borrow it.
/// "auto" stays with them where the preconditioner sweeps over entries. Phase: convert.
template <class Exec, class Matrix>
std::unique_ptr<linalg::Operator<Exec>> in_format(Exec& exec, const CommonParams& params, const Matrix& matrix,
                                                  output::Summary& summary) {
  const MatrixParams& asked = params.matrix;
  const bool entries = asked.format == "auto" && solvers::needs_entries(params.solver);
  std::string why = fmt::format("{} needs the entries in rows",
                                solvers::is_direct(params.solver) ? "the direct solver" : "the preconditioner");
  std::unique_ptr<linalg::Operator<Exec>> A;
  {
    Scope scope(exec, "convert");
    try {
      A = linalg::make_operator(exec, matrix, entries ? matrix.view().format : asked.format, entries ? nullptr : &why);
    } catch (const Error& error) {
      throw error.where() ? error : Error(error.code(), error.what(), error.help(), asked.where);
    }
  }
  summary.set("matrix.format", A->format());
  summary.set("matrix.why", why);
  return A;
}

template <class Exec>
void convert(Exec& exec, const CommonParams& params, System<Exec>& system, output::Summary& summary) {
  if (system.blocks.rows > 0)
    system.A = in_format(exec, params, system.blocks, summary);
  else
    system.A = in_format(exec, params, system.matrix, summary);
  system.A->set_near_kernel(system.near_kernel);
}

/// The same, and lets go what the operator does not borrow.
template <class Exec>
void store(Exec& exec, const CommonParams& params, System<Exec>& system, output::Summary& summary) {
  convert(exec, params, system, summary);
  if (!system.A->entries()) system.matrix = {};
  if (system.A->format() != linalg::BlockCrsView<>::format) system.blocks = {};
}

/// A filled system with an operator: the matrix that an assembly has left is stored.
template <class Exec>
void complete(Exec& exec, const CommonParams& params, System<Exec>& system, output::Summary& summary) {
  if (system.A) return;
  system.nnz = system.blocks.rows > 0 ? system.blocks.nnz() : system.matrix.nnz();
  store(exec, params, system, summary);
}

}  // namespace tessera::physics
