#pragma once
#include "base/chained.hpp"
#include "solvers/grid/nested_solver.hpp"

namespace tessera::solvers::grid {
namespace nested {

/// Coupling of neighbouring rows: at[|dy|][|dx|]. Differences have theirs in the poles.
struct Coupling {
  double at[2][2];
};

TESSERA_HD inline Coupling coupling(const Across& across, double h, double shift) {
  if (!across.plane) {
    const LineCoupling line = line_coupling({across.nx, across.hx, across.stencil}, h, shift);
    return {{{line.centre, line.side}, {0, 0}}};
  }
  // M / h - h / 6 (K + shift M) with K = K_y x M_x + M_y x K_x, M = M_y x M_x
  Coupling g;
  for (int dy = 0; dy < 2; ++dy)
    for (int dx = 0; dx < 2; ++dx) {
      const double mass_x = across.hx / (dx == 0 ? 1.5 : 6), mass_y = across.hy / (dy == 0 ? 1.5 : 6);
      const double stiff_x = (dx == 0 ? 2 : -1) / across.hx, stiff_y = (dy == 0 ? 2 : -1) / across.hy;
      g.at[dy][dx] = mass_y * mass_x * (1 / h - h / 6 * shift) - h / 6 * (stiff_y * mass_x + mass_y * stiff_x);
    }
  return g;
}

/// (g v)(i), v(i) given as a function of the place.
template <class T, class Value>
TESSERA_HD T couple(const Across& across, double h, double shift, Offset i, const Value& value) {
  if (across.stencil == Stencil::star) return value(i);
  const Coupling g = coupling(across, h, shift);
  const Offset x = i % across.nx, y = i / across.nx;
  T sum = 0;
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx) {
      const double weight = g.at[dy != 0][dx != 0];
      if (weight == 0 || x + dx < 0 || x + dx >= across.nx || y + dy < 0 || y + dy >= across.ny) continue;
      sum += static_cast<T>(weight) * value(i + dy * static_cast<Offset>(across.nx) + dx);
    }
  return sum;
}

template <class T>
struct Data {
  PlanView plan;
  Across across;
  double row_spacing;
  Index rows, slots;
  Offset size;  ///< of a row
  const double* shifts;
  const T* f;
  T* u;
  T* updated;

  TESSERA_HD const T* row_of_f(Offset system, Index row) const {
    return row >= 0 ? f + (system * rows + row) * size : updated + (system * slots - row - 1) * size;
  }
};

/// Right-hand sides [systems, problems, size] and shifts of the sub-problems of a step: a place of a group reads its
/// rows once.
template <class Exec, class T>
void form(Exec& exec, const Step& step, Index systems, const Data<T>& data, T* rhs, double* shifts) {
  const Step own = step;
  for_each_chained(exec, static_cast<Offset>(systems) * step.group_count * data.size, [=] TESSERA_HD(Offset item) {
    const PlanView& plan = data.plan;
    const Offset number = item / data.size, i = item - number * data.size, system = number / own.group_count;
    const Group group = plan.groups[own.group + static_cast<Index>(number - system * own.group_count)];
    T f[most_rows], u[most_rims];
    for (Index r = 0; r < most_rows; ++r)
      f[r] = r < group.row_count ? data.row_of_f(system, plan.sources[group.row + r])[i] : T(0);
    for (Index r = 0; r < most_rims; ++r)
      u[r] = r < group.rim_count
                 ? couple<T>(data.across, data.row_spacing, data.shifts[system], i,
                             [&](Offset at) {
                               return data.u[(system * data.rows + plan.sources[group.rim + r]) * data.size + at];
                             })
                 : T(0);
    for (Index k = 0; k < group.family_count; ++k) {
      const FamilySum family = plan.families[group.family + k];
      T F = 0, U = 0;
      for (Index r = 0; r < most_rows; ++r)
        if (r < group.row_count) F += static_cast<T>(plan.row_weight(family, r)) * f[r];
      for (Index r = 0; r < most_rims; ++r)
        if (r < group.rim_count) U += static_cast<T>(plan.rim_weight(group, family, r)) * u[r];
      const Offset first = system * own.problem_count + family.first_problem;
      for (Index j = 0; j < family.pole_count; ++j) {
        const Pole pole = plan.poles[family.pole + j];
        rhs[(first + j) * data.size + i] = static_cast<T>(pole.a) * F + static_cast<T>(pole.b) * U;
        if (i == 0) shifts[first + j] = data.shifts[system] + pole.lambda;
      }
    }
  });
}

/// Rows of u, or sums [systems, groups, size] for rows of f, from the solutions [systems, problems, size].
template <class Exec, class T>
void combine(Exec& exec, const Step& step, Index systems, const Data<T>& data, const T* solution, T* sums) {
  const PlanView plan = data.plan;
  const Step own = step;
  for_each_chained(exec, static_cast<Offset>(systems) * step.group_count * data.size, [=] TESSERA_HD(Offset item) {
    const Offset number = item / data.size, i = item % data.size, system = number / own.group_count;
    const Group& group = plan.groups[own.group + number % own.group_count];
    const T* solved = solution + system * own.problem_count * data.size;
    const auto family_sum = [&](Index k, Offset at) {
      const FamilySum& family = plan.families[group.family + k];
      T sum = 0;
      for (Index j = 0; j < family.pole_count; ++j) sum += solved[(family.first_problem + j) * data.size + at];
      return sum;
    };
    if (own.reduction) {  // one output, all weights are 1
      T sum = 0;
      for (Index k = 0; k < group.family_count; ++k) sum += family_sum(k, i);
      sums[item] = sum;
      return;
    }
    T values[most_outputs] = {};
    for (Index k = 0; k < group.family_count; ++k) {
      const T sum = family_sum(k, i);
      for (Index o = 0; o < group.output_count; ++o) values[o] += static_cast<T>(plan.output_weight(group, o, k)) * sum;
    }
    for (Index o = 0; o < group.output_count; ++o)
      data.u[(system * data.rows + plan.outputs[group.output + o].row) * data.size + i] = values[o];
  });
}

/// Rows of f: base + g sum.
template <class Exec, class T>
void update(Exec& exec, const Step& step, Index systems, const Data<T>& data, const T* sums) {
  const Step own = step;
  for_each_chained(exec, static_cast<Offset>(systems) * step.group_count * data.size, [=] TESSERA_HD(Offset item) {
    const Offset number = item / data.size, i = item % data.size, system = number / own.group_count;
    const Output output = data.plan.outputs[data.plan.groups[own.group + number % own.group_count].output];
    const T sum = couple<T>(data.across, data.row_spacing, data.shifts[system], i,
                            [&](Offset at) { return sums[number * data.size + at]; });
    data.updated[(system * data.slots + output.row) * data.size + i] = data.row_of_f(system, output.base)[i] + sum;
  });
}

/// u = s f / |t|, with s_i = (-1)^i where t < 0, turns the line into tridiag(-1, 2 + delta, -1).
template <class Exec, class T>
void to_toeplitz(Exec& exec, const Line& line, Index systems, const double* shifts, const T* f, T* u, double* delta) {
  for_each_chained(exec, static_cast<Offset>(systems) * line.n, [=] TESSERA_HD(Offset item) {
    const Offset system = item / line.n, i = item % line.n;
    const LineMatrix matrix = line_matrix(line, shifts[system]);
    const double scale = matrix.inverse_diagonal * (2 + matrix.delta);
    u[item] = static_cast<T>(!matrix.positive && i % 2 == 1 ? -scale : scale) * f[item];
    if (i == 0) delta[system] = matrix.delta;
  });
}
template <class Exec, class T>
void from_toeplitz(Exec& exec, const Line& line, Index systems, const double* shifts, T* u) {
  if (line.stencil == Stencil::star) return;
  for_each_chained(exec, static_cast<Offset>(systems) * line.n, [=] TESSERA_HD(Offset item) {
    if (item % line.n % 2 == 1 && !line_matrix(line, shifts[item / line.n]).positive) u[item] = -u[item];
  });
}

}  // namespace nested

template <class Exec, class T>
NestedSolver<Exec, T>::NestedSolver(const HostPlan& plan, const Across& across, double row_spacing, Index most_systems,
                                    std::unique_ptr<BatchSolver<Exec, T>> inner)
    : plan_(plan), across_(across), row_spacing_(row_spacing), inner_(std::move(inner)) {
  const Offset problems = static_cast<Offset>(most_systems) * plan.most_problems();
  shifts_ = Array<double, Space>(problems);
  rhs_ = Array<T, Space>(problems * across.size());
  solution_ = Array<T, Space>(problems * across.size());
  updated_ = Array<T, Space>(static_cast<Offset>(most_systems) * plan.slots * across.size());
}

template <class Exec, class T>
double NestedSolver<Exec, T>::bytes(Index systems) const {
  double sum = sizeof(T) * static_cast<double>(plan_.rows_moved) * static_cast<double>(across_.size()) * systems;
  for (const Step& step : plan_.steps)
    sum += inner_->bytes(systems * step.problem_count) +
           2.0 * sizeof(T) * step.problem_count * static_cast<double>(across_.size()) * systems;
  return sum;
}

template <class Exec, class T>
void NestedSolver<Exec, T>::solve(Exec& exec, Index systems, const double* shifts, const T* f, T* u) {
  const nested::Data<T> data{
      plan_.view(), across_, row_spacing_, plan_.rows, plan_.slots, across_.size(), shifts, f, u, updated_.data()};
  for (const Step& step : plan_.steps) {
    nested::form(exec, step, systems, data, rhs_.data(), shifts_.data());
    inner_->solve(exec, systems * step.problem_count, shifts_.data(), rhs_.data(), solution_.data());
    nested::combine(exec, step, systems, data, static_cast<const T*>(solution_.data()), rhs_.data());
    if (step.reduction) nested::update(exec, step, systems, data, static_cast<const T*>(rhs_.data()));
  }
}

template <class Exec, class T>
void LineSolver<Exec, T>::solve(Exec& exec, Index systems, const double* shifts, const T* f, T* u) {
  nested::to_toeplitz(exec, line_, systems, shifts, f, u, delta_.data());
  const View<T> lines(u, static_cast<Offset>(systems) * line_.n);
  solver_.solve(exec, {line_.n, systems, {delta_.data(), systems}}, lines, lines);
  nested::from_toeplitz(exec, line_, systems, shifts, u);
}

}  // namespace tessera::solvers::grid
