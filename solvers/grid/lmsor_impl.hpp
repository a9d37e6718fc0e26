#pragma once
// Set-up and sums of a relaxation, written once for both backends.
#include <algorithm>
#include <cmath>
#include <vector>

#include "base/parallel.hpp"
#include "solvers/grid/lmsor_grid.hpp"

namespace tessera::solvers::grid::lmsor {

/// A problem as kernels see it.
struct ProblemView {
  Index m1, m2;
  double half_h, half_k;  ///< h/2, k/2
  View<const double> f, g, source, u;

  TESSERA_HD double F(Offset i) const { return f.empty() ? 0 : half_h * f[i]; }
  TESSERA_HD double G(Offset i) const { return g.empty() ? 0 : half_k * g[i]; }
};
inline ProblemView view_of(const LmsorProblem& problem, View<const double> u) {
  return {problem.m[0], problem.m[1], problem.h[0] / 2, problem.h[1] / 2, problem.f, problem.g, problem.source, u};
}

TESSERA_HD inline bool is_finite(double value) { return value - value == 0; }

TESSERA_HD inline void scan_point(double F, double G, const LocalOmega& omega, CoefficientBounds& bounds) {
  const double p = fma(-F, F, 1.0), q = fma(-G, G, 1.0);
  const double x = square_root(fabs(p)), y = square_root(fabs(q));
  const double along_x = omega.mu_max_x * x, along_y = omega.mu_max_y * y;
  double real = 0, imaginary = 0;
  if (LocalOmega::is_mixed(F, G)) {
    real = p > 0 ? along_x : along_y;
    imaginary = p > 0 ? along_y : along_x;
    ++bounds.mixed_points;
  } else {
    (p >= 0 && q >= 0 ? real : imaginary) = along_x + along_y;
  }
  bounds.largest_F = fmax(bounds.largest_F, fabs(F));
  bounds.largest_G = fmax(bounds.largest_G, fabs(G));
  bounds.real = fmax(bounds.real, real);
  bounds.imaginary = fmax(bounds.imaginary, imaginary);
  bounds.least = fmin(bounds.least, fma(omega.mu_min_x, x, omega.mu_min_y * y));
  if (!omega.local) return;
  for (int colour = 0; colour < (LocalOmega::is_mixed(F, G) ? 1 : 2); ++colour) {  // mixed: one omega for both
    const double w = omega.at(F, G, colour);
    bounds.omega_min = fmin(bounds.omega_min, w);
    bounds.omega_max = fmax(bounds.omega_max, w);
  }
}

/// Rows of a column that one work item scans: few enough for caches, and many enough items on a narrow grid.
inline constexpr Index strip = 64;

/// Column i, rows `first` to `first + strip`.
TESSERA_HD inline CoefficientBounds scan_strip(const ProblemView& problem, const LocalOmega& omega, Index i,
                                               Index first) {
  CoefficientBounds bounds;
  const bool inner_column = i >= 1 && i <= problem.m1;
  const Index rows = problem.m2 + 2, last = rows - first < strip ? rows : first + strip;
  for (Index j = first; j < last && bounds.bad < 0; ++j) {
    const bool inner_row = j >= 1 && j <= problem.m2;
    if (!inner_column && !inner_row) continue;  // a corner
    if (!is_finite(problem.u[i + j * (problem.m1 + Offset{2})])) bounds.bad = 3;
    if (inner_column && inner_row) {
      const Offset at = i - 1 + (j - 1) * static_cast<Offset>(problem.m1);
      const double F = problem.F(at), G = problem.G(at);
      if (!problem.source.empty() && !is_finite(problem.source[at])) bounds.bad = 2;
      if (!is_finite(G)) bounds.bad = 1;
      if (!is_finite(F)) bounds.bad = 0;
      if (bounds.bad < 0) scan_point(F, G, omega, bounds);
    }
    bounds.bad_node[0] = i;
    bounds.bad_node[1] = j;
  }
  return bounds;
}

inline void add(CoefficientBounds& all, const CoefficientBounds& some) {
  all.largest_F = std::max(all.largest_F, some.largest_F);
  all.largest_G = std::max(all.largest_G, some.largest_G);
  all.real = std::max(all.real, some.real);
  all.imaginary = std::max(all.imaginary, some.imaginary);
  all.least = std::min(all.least, some.least);
  all.omega_min = std::min(all.omega_min, some.omega_min);
  all.omega_max = std::max(all.omega_max, some.omega_max);
  all.mixed_points += some.mixed_points;
  if (all.bad < 0 && some.bad >= 0) {
    all.bad = some.bad;
    for (int axis = 0; axis < 2; ++axis) all.bad_node[axis] = some.bad_node[axis];
  }
}

template <class Exec>
CoefficientBounds scan_coefficients(Exec& exec, const LmsorProblem& problem, View<const double> u,
                                    const LocalOmega& omega) {
  const Offset columns = problem.m[0] + Offset{2}, strips = (problem.m[1] + Offset{2} + strip - 1) / strip;
  Array<CoefficientBounds, typename Exec::Space> found(columns * strips);
  const ProblemView view = view_of(problem, u);
  const View<CoefficientBounds> out = found.view();
  for_each(exec, columns * strips, [=] TESSERA_HD(Offset item) {
    out[item] = scan_strip(view, omega, static_cast<Index>(item % columns), static_cast<Index>(item / columns * strip));
  });
  exec.synchronize();
  CoefficientBounds bounds;
  for (const CoefficientBounds& some : to_vector(found)) add(bounds, some);
  return bounds;
}

// ---- arrays ------------------------------------------------------------------------------------------------------

template <class Exec, class T>
void set_coefficients(Exec& exec, const Fields<T>& fields, const LmsorProblem& problem, Recompute recompute,
                      View<T> out, View<T> source, double D) {
  const Layout layout = fields.layout;
  const ProblemView view = view_of(problem, {});
  const T A = fields.A, B = fields.B;
  const Offset all = 2 * layout.size;
  for_each(exec, all, [=] TESSERA_HD(Offset at) {
    const Layout::Place place = layout.place(at);
    const bool inner = place.inner;
    const Offset from = inner ? place.i - 1 + (place.j - 1) * view.m1 : 0;
    const T F = inner ? static_cast<T>(view.F(from)) : T(0), G = inner ? static_cast<T>(view.G(from)) : T(0);
    if (recompute == Recompute::none) {
      const Stencil<T> c = inner ? make_stencil(A, B, F, G) : Stencil<T>{};
      out[at] = c.west;
      out[at + all] = c.east;
      out[at + 2 * all] = c.north;
      out[at + 3 * all] = c.south;
    } else {
      out[at] = F;
      out[at + all] = G;
    }
    if (!source.empty()) source[at] = inner ? static_cast<T>(view.source[from] / D) : T(0);
  });
}

template <class Exec, class T>
void set_damping(Exec& exec, Relaxation<Exec, T>& relaxation, double factor) {
  relaxation.fields.omega.damping = factor;
  const Recompute recompute = relaxation.choices.recompute;
  if (recompute == Recompute::all) return;
  const Fields<T> fields = relaxation.fields;
  const Layout layout = fields.layout;
  const Offset all = 2 * layout.size;
  const bool weights = recompute == Recompute::none;
  const View<T> c = relaxation.coefficients.view();
  const T A2 = 2 * fields.A, B2 = 2 * fields.B;
  for_each(exec, all, [=] TESSERA_HD(Offset at) {
    const Layout::Place place = layout.place(at);
    // From the weights F = (l - r)/(2 A).
    const T F = weights ? (c[at] - c[at + all]) / A2 : c[at],
            G = weights ? (c[at + 3 * all] - c[at + 2 * all]) / B2 : c[at + all];
    c[at + (weights ? 4 : 2) * all] = place.inner ? static_cast<T>(fields.omega.at(F, G, place.colour)) : T(0);
  });
}

template <class Exec, class T>
Relaxation<Exec, T> make_relaxation(Exec& exec, const LmsorProblem& problem, const LocalOmega& omega,
                                    const Choices& choices, bool has_mixed) {
  using Space = typename Exec::Space;
  const double h2 = problem.h[0] * problem.h[0], k2 = problem.h[1] * problem.h[1];
  Relaxation<Exec, T> r;
  r.choices = choices;
  Fields<T>& fields = r.fields;
  fields.layout = make_layout<T>(problem.m);
  fields.A = static_cast<T>(k2 / (2 * (h2 + k2)));
  fields.B = static_cast<T>(h2 / (2 * (h2 + k2)));
  fields.omega = omega;
  fields.has_mixed = has_mixed;
  const Offset all = 2 * fields.layout.size;
  const int arrays = choices.recompute == Recompute::none ? 5 : choices.recompute == Recompute::coefficients ? 3 : 2;
  r.u = Array<T, Space>(all);
  if (std::is_same_v<Exec, Cuda> && choices.blocking > 1) r.spare = Array<T, Space>(all);
  r.coefficients = Array<T, Space>(arrays * all);
  if (!problem.source.empty()) r.source = Array<T, Space>(all);
  r.norms = Array<double, Space>(2);
  fields.u = r.u.data();
  for (int a = 0; a < arrays; ++a) fields.coefficient[a] = r.coefficients.data() + a * all;
  fields.source = r.source.data();
  set_coefficients(exec, fields, problem, choices.recompute, r.coefficients.view(), r.source.view(), 2 / h2 + 2 / k2);
  set_damping(exec, r, 1.0);
  prepare_sweeps(exec, r);
  return r;
}

template <class Exec, class T>
void load(Exec& exec, Relaxation<Exec, T>& relaxation, View<const double> u) {
  const Layout layout = relaxation.fields.layout;
  const View<T> out = relaxation.u.view(), spare = relaxation.spare.view();
  for_each(exec, 2 * layout.size, [=] TESSERA_HD(Offset at) {
    const Layout::Place place = layout.place(at);
    const T value = place.exists ? static_cast<T>(u[place.i + place.j * (layout.m1 + Offset{2})]) : T(0);
    out[at] = value;
    if (!spare.empty()) spare[at] = value;
  });
}

template <class Exec, class T>
void store(Exec& exec, const Relaxation<Exec, T>& relaxation, View<double> u) {
  const Layout layout = relaxation.fields.layout;
  const View<const T> from = relaxation.u.view();
  for_each(exec, static_cast<Offset>(layout.m1) * layout.m2, [=] TESSERA_HD(Offset point) {
    const Offset i = point % layout.m1 + 1, j = point / layout.m1 + 1;
    u[i + j * (layout.m1 + Offset{2})] = from[(i + j) % 2 * layout.size + j * layout.pitch + i / 2];
  });
}

// ---- the residual in double ---------------------------------------------------------------------------------------

TESSERA_HD inline Pair residual_at(const ProblemView& p, double A, double B, double D, Offset point) {
  const Offset i = point % p.m1 + 1, j = point / p.m1 + 1, row = p.m1 + Offset{2}, at = i + j * row;
  const Stencil<double> c = make_stencil(A, B, p.F(point), p.G(point));
  const double west = c.west * p.u[at - 1], east = c.east * p.u[at + 1];
  const double north = c.north * p.u[at + row], south = c.south * p.u[at - row];
  const double source = p.source.empty() ? 0 : p.source[point] / D;
  const double rim = (i == 1 ? west : 0) + (i == p.m1 ? east : 0) + (j == p.m2 ? north : 0) + (j == 1 ? south : 0);
  const double r = west + east + north + south - source - p.u[at], b = rim - source;
  return {b * b, r * r};
}

template <class Exec>
Pair residual(Exec& exec, const LmsorProblem& problem, View<const double> u) {
  const double h2 = problem.h[0] * problem.h[0], k2 = problem.h[1] * problem.h[1], D = 2 / h2 + 2 / k2;
  const double A = k2 / (2 * (h2 + k2)), B = h2 / (2 * (h2 + k2));
  const ProblemView view = view_of(problem, u);
  Array<double, typename Exec::Space> sums(2);
  reduce_pair(
      exec, static_cast<Offset>(view.m1) * view.m2,
      [=] TESSERA_HD(Offset point) { return residual_at(view, A, B, D, point); }, sums.data(), sums.data() + 1);
  exec.synchronize();
  const std::vector<double> values = to_vector(sums);
  return {values[0], values[1]};
}

template <class Exec, class T>
double norm(Exec& exec, const Relaxation<Exec, T>& relaxation) {
  Array<double, typename Exec::Space> sum(1);
  const View<const T> values = relaxation.u.view();
  reduce(
      exec, values.size(), [=] TESSERA_HD(Offset i) { return static_cast<double>(values[i]) * values[i]; }, sum.data());
  exec.synchronize();
  return std::sqrt(to_vector(sum)[0]);
}

}  // namespace tessera::solvers::grid::lmsor

/// Everything above for one backend.
#define TESSERA_LMSOR_INSTANTIATE_FOR(Exec, T)                                                                       \
  template Relaxation<Exec, T> make_relaxation(Exec&, const LmsorProblem&, const LocalOmega&, const Choices&, bool); \
  template void load(Exec&, Relaxation<Exec, T>&, View<const double>);                                               \
  template void store(Exec&, const Relaxation<Exec, T>&, View<double>);                                              \
  template void set_damping(Exec&, Relaxation<Exec, T>&, double);                                                    \
  template double norm(Exec&, const Relaxation<Exec, T>&);
#define TESSERA_LMSOR_INSTANTIATE(Exec)                                                                            \
  template CoefficientBounds scan_coefficients(Exec&, const LmsorProblem&, View<const double>, const LocalOmega&); \
  template Pair residual(Exec&, const LmsorProblem&, View<const double>);                                          \
  TESSERA_LMSOR_INSTANTIATE_FOR(Exec, double)                                                                      \
  TESSERA_LMSOR_INSTANTIATE_FOR(Exec, float)
