#pragma once
// The fast Poisson solver by sine transforms, written once: it only calls declared functions.
//
// Along an axis other than x the functions sin(j k pi / (n + 1)) are eigenvectors of K and M (star: of the difference
// and of 1). Transforms along those axes leave, for every mode, a tridiagonal Toeplitz system along x,
//     off v_{i-1} + d v_i + off v_{i+1} = g_i,   |off| tridiag(-1, 2 + delta, -1) up to the sign of every second row.
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "solvers/grid/fast_poisson.hpp"
#include "solvers/grid/sine_transform.hpp"
#include "solvers/tridiagonal/toeplitz.hpp"

namespace tessera::solvers::grid {

/// Eigenvalues of K and M (star: of the difference and of 1) of one axis for one mode.
struct AxisMode {
  double stiffness, mass;
};

/// What remains along x for one mode of the other axes.
struct LineSystem {
  double scale;  ///< 1 / |off|; negative where off > 0: the solution then alternates in sign
  double delta;
};

/// The tridiagonal systems along x, one for every mode of the other axes, y fastest.
class LineSystems {
 public:
  explicit LineSystems(const GridProblem& problem) : problem_(problem) {
    for (int axis = 1; axis < problem.dim; ++axis)
      for (Index j = 1; j <= problem.n[axis]; ++j) modes_[axis - 1].push_back(mode(axis, j));
    for (int axis = problem.dim; axis < 3; ++axis) modes_[axis - 1].push_back({0, 1});
  }
  Index count() const { return static_cast<Index>(modes_[0].size() * modes_[1].size()); }

  LineSystem operator[](Index system) const {
    const AxisMode& y = modes_[0][static_cast<std::size_t>(system) % modes_[0].size()];
    const AxisMode& z = modes_[1][static_cast<std::size_t>(system) / modes_[0].size()];
    const double mass = y.mass * z.mass, h = problem_.h[0];
    const double rest = y.stiffness * z.mass + y.mass * z.stiffness + problem_.shift * mass;
    // star: mass / h^2 tridiag(-1, 2, -1) + rest;  tensor: mass / h tridiag(-1, 2, -1) + rest h / 6 tridiag(1, 4, 1)
    if (problem_.stencil == Stencil::star) return {h * h / mass, rest * h * h / mass};
    const double off = rest * h / 6 - mass / h, diagonal = 2 * mass / h + 4 * rest * h / 6;
    if (off < 0) return clamped(-off, diagonal, rest * h);
    const LineSystem alternating = clamped(off, diagonal, 4 * mass / h + rest * h / 3);
    return {-alternating.scale, alternating.delta};
  }

 private:
  AxisMode mode(int axis, Index j) const {
    const double h = problem_.h[axis];
    const double s = std::sin(0.5 * std::numbers::pi * j / (problem_.n[axis] + 1.0));
    if (problem_.stencil == Stencil::star) return {4 * s * s / (h * h), 1};
    return {4 * s * s / h, h * (1 - 2.0 / 3 * s * s)};
  }
  /// `excess` = diagonal - 2 t. A coupling t far below the last digit is raised to there, so that 1 / t does not
  /// overflow.
  static LineSystem clamped(double t, double diagonal, double excess) {
    const double least = 1e-18 * diagonal;
    return t > least ? LineSystem{1 / t, excess / t} : LineSystem{1 / least, 1e18};
  }

  const GridProblem problem_;
  std::vector<AxisMode> modes_[2];
};

template <class Exec, class T>
class SineSolver final : public GridSolver<Exec, T> {
 public:
  using Space = typename Exec::Space;

  SineSolver(Exec& exec, const GridProblem& problem) : problem_(problem) {
    for (int axis = problem.dim; axis < 3; ++axis) problem_.n[axis] = 1;
    const auto& n = problem_.n;
    if (problem.dim > 1) transforms_.emplace_back(exec, n[0], n[1], n[2]);
    if (problem.dim > 2) transforms_.emplace_back(exec, n[0] * n[1], n[2], 1);
    double normal = 1;  // of the transforms there and back
    for (int axis = 1; axis < problem.dim; ++axis) normal *= 2.0 / (n[axis] + 1.0);

    const LineSystems systems(problem_);
    std::vector<double> deltas;
    std::vector<T> scales;
    for (Index s = 0; s < systems.count(); ++s) {
      const LineSystem system = systems[s];
      deltas.push_back(system.delta);
      // The scales of a float solve may leave its range (h^3 in 3-D): half of them before the systems, half after.
      scales.push_back(static_cast<T>(std::copysign(std::sqrt(std::abs(system.scale) * normal), system.scale)));
    }
    delta_ = to_space<Space>(deltas);
    scale_ = to_space<Space>(scales);
  }

  void solve(Exec& exec, View<const T> f, View<T> u) override {
    const RowFactors<T> none, rows{scale_, problem_.n[0]};
    const ToeplitzBatch batch{problem_.n[0], static_cast<Index>(delta_.size()), delta_, 1};
    if (transforms_.empty()) {
      multiply_rows(exec, rows, f, u);
      toeplitz_.solve(exec, batch, u, u);
      multiply_rows(exec, rows, u, u);
      return;
    }
    // g = S_z S_y f, scaled;  the systems along x;  u = S_y S_z v
    const std::size_t last = transforms_.size() - 1;
    for (std::size_t t = 0; t <= last; ++t)
      transforms_[t].apply(exec, none, t == 0 ? f : View<const T>(u), t == last ? rows : none, u);
    toeplitz_.solve(exec, batch, u, u);
    for (std::size_t t = last + 1; t-- > 0;) transforms_[t].apply(exec, t == last ? rows : none, u, none, u);
  }

  double bytes() const override {
    const double passes = 2 * (SineTransform<Exec, T>::passes * static_cast<double>(transforms_.size()) + 1);
    return passes * sizeof(T) * static_cast<double>(problem_.unknowns());
  }
  std::string describe() const override {
    if (problem_.dim == 1) return "tridiagonal cyclic reduction";
    return fmt::format("sine transforms along {} by {}, tridiagonal systems along x",
                       problem_.dim == 2 ? "y" : "y and z", std::is_same_v<Exec, Threads> ? "FFTW" : "cuFFT");
  }

 private:
  GridProblem problem_;
  std::vector<SineTransform<Exec, T>> transforms_;
  Array<double, Space> delta_;
  Array<T, Space> scale_;
  ToeplitzSolver<Exec, T> toeplitz_;
};

template <class Exec, class T>
std::unique_ptr<GridSolver<Exec, T>> make_sine_transform(Exec& exec, const GridProblem& problem,
                                                         const FastPoissonOptions&) {
  return std::make_unique<SineSolver<Exec, T>>(exec, problem);
}

}  // namespace tessera::solvers::grid
