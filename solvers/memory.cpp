// What a solver allocates: one line for each vector that a method or a preconditioner owns.
#include <algorithm>
#include <cmath>

#include "solvers/solve.hpp"

namespace tessera::solvers {
namespace {

/// Half of A for Eigen, and its factor: fill of a 3-D mesh grows as n^(4/3) (George & Liu 1981), 12 B an entry.
double direct_bytes(double n, double nnz) { return 12 * (0.5 * nnz + std::max(nnz, std::pow(n, 4.0 / 3.0))) + 32 * n; }

/// Vectors of a method, its residual included.
double method_vectors(const SolverParams& params) {
  const bool plain = params.preconditioner == "none";
  if (params.type == "minres") return 7;                                // r, and v, z, w twice
  if (params.type == "bicgstab") return plain ? 5 : 7;                  // r, r^, p, v, t; M^-1 p, M^-1 s
  if (params.type == "gmres") return params.restart + (plain ? 3 : 4);  // the basis and one more, r, w; M^-1 w
  if (params.variant != "standard") return plain ? 4 : 5;               // r, p, s, w; u
  return 3;                                                             // r, p, q
}

/// Of a preconditioner, with values of `size` bytes; `stores_z`: the method keeps no z of its own.
double preconditioner_bytes(const SolverParams& params, double n, double nnz, double size, bool on_cuda,
                            bool stores_z) {
  const double z = stores_z ? size * n : 0;
  if (params.preconditioner == "jacobi") return size * n;
  if (params.preconditioner == "ssor") return z + (size + 8) * n + (size < 8 ? size * nnz : 0);
  if (params.preconditioner == "chebyshev") return z + 3 * size * n;
  if (params.preconditioner == "multicolour_ssor") {
    const double entries = (nnz - n) * (on_cuda ? 1.1 : 1.0);
    return z + (size + 4) * entries + (size + 4) * n + 16 * n / (on_cuda ? 32 : 1);
  }
  return 0;
}

}  // namespace

template <class Exec>
double solver_bytes(const SolverParams& params, Offset rows, Offset nnz) {
  const double n = static_cast<double>(rows), entries = static_cast<double>(nnz);
  if (params.type == "direct") return direct_bytes(n, entries);
  if (params.type == "lu") return 2 * direct_bytes(n, entries);  // both triangles
  const double size = params.precision == "double" ? 8 : 4;
  if (is_grid_solver(params))
    return 8 * n + (size == 8 ? 1 : 2) * size * n + 2 * size * n;  // r; r and d in float; the method's own, about
  const bool standard_cg = params.type == "cg" && params.variant == "standard";
  double bytes = method_vectors(params) * size * n +
                 preconditioner_bytes(params, n, entries, size, std::is_same_v<Exec, Cuda>, standard_cg);
  if (params.preconditioner == "chebyshev") bytes = std::max(bytes, 40 * n);  // while it bounds the spectrum
  if (params.precision == "mixed") bytes += 4 * entries + 12 * n;             // A in float; r in double, the correction
  if (params.precision == "float") bytes += 4 * entries + 8 * n;              // A, b and x in float
  return bytes;
}
template double solver_bytes<Threads>(const SolverParams&, Offset, Offset);
template double solver_bytes<Cuda>(const SolverParams&, Offset, Offset);

double solver_bytes(const SolverParams& params, Offset rows, Offset nnz) {
  return solver_bytes<Threads>(params, rows, nnz);
}

}  // namespace tessera::solvers
