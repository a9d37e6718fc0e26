#pragma once
#include <array>

#include "linalg/operator.hpp"
#include "solvers/grid/fast_poisson.hpp"

namespace tessera::solvers::grid {

/// Weight of the neighbours at distance (dx, dy, dz), each 0 or 1, at place dx + 2 dy + 4 dz; 0 along axes that the
/// grid lacks. Units: star 1 / h^2, tensor h^(dim - 2).
std::array<double, 8> stencil_weights(const GridProblem& problem);

/// Largest sum of magnitudes of a row: a bound of the largest eigenvalue.
double largest_row_sum(const GridProblem& problem);

/// The stencil as kernels see it: planes of nx x ny nodes, nz of them one after the other. A grid in two dimensions has
/// planes of one row, so that the last axis is always the one that is marched along.
template <class T>
struct PlaneStencil {
  Index nx = 1, ny = 1, nz = 1;
  T here[4] = {};   ///< of the node's own plane: itself, along x, along y, diagonal
  T above[4] = {};  ///< of the planes before and after
};

/// y = A x of a GridProblem without a matrix. Bytes an unknown: 16 in double, 8 in float; apply_dot the same;
/// residual 24.
template <class Exec, class T = double>
class GridOperator final : public linalg::Operator<Exec, T> {
 public:
  /// Throws Error(usage) for what check_grid_problem refuses.
  explicit GridOperator(const GridProblem& problem);

  const GridProblem& problem() const { return problem_; }
  Index rows() const override { return static_cast<Index>(problem_.unknowns()); }
  Index cols() const override { return rows(); }
  void apply(Exec& exec, View<const T> x, View<T> y) const override;
  void apply_dot(Exec& exec, View<const T> p, View<T> q, double* pq) const override;
  void residual(Exec& exec, View<const T> x, View<const T> b, View<T> r, double* rr) const override;
  void diagonal(Exec& exec, View<T> d) const override { linalg::fill(exec, d, stencil_.here[0]); }
  double bytes() const override { return 2.0 * sizeof(T) * rows(); }
  std::string format() const override { return "grid"; }
  const GridProblem* grid() const override { return &problem_; }
  std::unique_ptr<linalg::Operator<Exec, float>> to_float(Exec&) const override {
    return std::make_unique<GridOperator<Exec, float>>(problem_);
  }

 private:
  GridProblem problem_;
  PlaneStencil<T> stencil_;
};

}  // namespace tessera::solvers::grid
