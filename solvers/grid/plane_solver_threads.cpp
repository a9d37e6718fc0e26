#include <algorithm>
#include <vector>

#include "base/parallel.hpp"
#include "solvers/grid/plane_solver.hpp"

namespace tessera::solvers::grid {
namespace {

/// Lines solved side by side, one a lane of vector registers.
constexpr int lanes = 4;
/// Poles of a chunk where one family is more than a core should do alone.
constexpr Index chunk = 16;
/// Unknowns of all sub-problems that are worth waking other cores.
constexpr Offset parallel_size = 20000;

template <class T>
struct Problem {
  Pole pole;
  const T *F, *U;  ///< U null: none
  T* sum;
};

/// The levels of `lanes` lines together, coefficients side by side.
template <class T>
struct Levels {
  struct Level {
    T alpha[lanes], inverse[lanes], last[lanes];
  };
  std::vector<Level> at;
  int stop = 0;  ///< the level that is diagonal

  void make(const Line& line, const double (&lambda)[lanes]) {
    at.clear();
    std::vector<LineState> states;
    for (double value : lambda) states.emplace_back(line_matrix(line, value), line.n);
    for (stop = 0;; ++stop) {
      Level& level = at.emplace_back();
      bool coupled = false;
      for (int l = 0; l < lanes; ++l) {
        const LineLevel<T> own = states[l].template level<T>();
        level.alpha[l] = own.alpha, level.inverse[l] = own.inverse, level.last[l] = own.last;
        coupled |= states[l].alpha() >= least_alpha<T>;
      }
      if (!coupled || line.n >> stop == 1) return;
      for (LineState& state : states) state.next(least_alpha<T>);
    }
  }
};

/// Simplified cyclic reduction in place; y is [n, lanes].
template <class T>
void solve_lines(const Levels<T>& levels, Index n, T* __restrict__ y) {
  const auto row = [&](Offset i) { return y + (i - 1) * lanes; };
  for (int r = 0; r < levels.stop; ++r) {
    const auto& level = levels.at[r];
    const Offset s = Offset{1} << r, rows = n >> r, kept = rows / 2;
    for (Offset i = 1; i < kept; ++i) {
      T *own = row(2 * i * s), *left = own - s * lanes, *right = own + s * lanes;
#pragma omp simd
      for (int l = 0; l < lanes; ++l) own[l] += level.alpha[l] * (left[l] + right[l]);
    }
    T *own = row(2 * kept * s), *left = own - s * lanes;
    for (int l = 0; l < lanes; ++l)
      own[l] += level.alpha[l] * (left[l] + (rows % 2 == 1 ? level.last[l] * own[s * lanes + l] : T(0)));
  }
  const auto& top = levels.at[levels.stop];
  const Offset top_rows = n >> levels.stop;
  for (Offset i = 1; i <= top_rows; ++i) {
    T* own = row(i << levels.stop);
    for (int l = 0; l < lanes; ++l) own[l] *= top.inverse[l] * (i == top_rows ? top.last[l] : T(1));
  }
  for (int r = levels.stop; r-- > 0;) {
    const auto& level = levels.at[r];
    const Offset s = Offset{1} << r, rows = n >> r;
    T* first = row(s);
    for (int l = 0; l < lanes; ++l) first[l] = level.inverse[l] * first[l] + level.alpha[l] * first[s * lanes + l];
    for (Offset i = 3; i < rows; i += 2) {
      T *own = row(i * s), *left = own - s * lanes, *right = own + s * lanes;
#pragma omp simd
      for (int l = 0; l < lanes; ++l) own[l] = level.inverse[l] * own[l] + level.alpha[l] * (left[l] + right[l]);
    }
    if (rows % 2 == 0) continue;
    T *own = row(rows * s), *left = own - s * lanes;
    for (int l = 0; l < lanes; ++l) own[l] = level.last[l] * (level.inverse[l] * own[l] + level.alpha[l] * left[l]);
  }
}

/// Memory of one thread.
template <class T>
struct Scratch {
  std::vector<T> rows, y;
  std::vector<Problem<T>> problems;
  Levels<T> levels;
};

/// sum += X_j (a F + b U) for all problems, `lanes` at a time.
template <class T>
void add_solutions(const Line& line, double shift, Scratch<T>& scratch) {
  const Index n = line.n;
  scratch.y.resize(static_cast<std::size_t>(n) * lanes);
  T* y = scratch.y.data();
  while (scratch.problems.size() % lanes != 0) {  // idle lanes solve for zero
    Problem<T> idle = scratch.problems.back();
    idle.pole.a = idle.pole.b = 0;
    scratch.problems.push_back(idle);
  }
  for (std::size_t first = 0; first < scratch.problems.size(); first += lanes) {
    const Problem<T>* problem = scratch.problems.data() + first;
    double lambda[lanes];
    for (int l = 0; l < lanes; ++l) lambda[l] = problem[l].pole.lambda + shift;
    scratch.levels.make(line, lambda);
    for (int l = 0; l < lanes; ++l) {
      const T a = static_cast<T>(problem[l].pole.a), b = static_cast<T>(problem[l].pole.b);
      const T *F = problem[l].F, *U = problem[l].U;
      if (U)
        for (Index i = 0; i < n; ++i) y[i * lanes + l] = a * F[i] + b * U[i];
      else
        for (Index i = 0; i < n; ++i) y[i * lanes + l] = a * F[i];
    }
    solve_lines(scratch.levels, n, y);
    const bool together = std::all_of(problem, problem + lanes, [&](const auto& p) { return p.sum == problem->sum; });
    if (together)
      for (Index i = 0; i < n; ++i)
        problem->sum[i] += (y[i * lanes] + y[i * lanes + 1]) + (y[i * lanes + 2] + y[i * lanes + 3]);
    else
      for (int l = 0; l < lanes; ++l)
        for (Index i = 0; i < n; ++i) problem[l].sum[i] += y[i * lanes + l];
  }
}

template <class T>
void couple(const LineCoupling& g, Index n, T* row) {
  if (g.side == 0) return;
  T left = 0;
  for (Index i = 0; i < n; ++i) {
    const T own = row[i], right = i + 1 < n ? row[i + 1] : T(0);
    row[i] = static_cast<T>(g.centre) * own + static_cast<T>(g.side) * (left + right);
    left = own;
  }
}

template <class T>
void add_row(T weight, const T* row, Index n, T* to) {
#pragma omp simd
  for (Index i = 0; i < n; ++i) to[i] += weight * row[i];
}

/// sum = a x + b y + sum, or without the last where it is the `first`.
template <class T>
void add_rows(bool first, T a, const T* __restrict__ x, T b, const T* __restrict__ y, Index n, T* __restrict__ sum) {
  if (first) {
#pragma omp simd
    for (Index i = 0; i < n; ++i) sum[i] = a * x[i] + b * y[i];
  } else {
#pragma omp simd
    for (Index i = 0; i < n; ++i) sum[i] += a * x[i] + b * y[i];
  }
}

/// F and U of a family; false: no U.
template <class T>
bool form_rows(const PlaneData<T>& data, Offset system, const Group& group, const FamilySum& family, T* F, T* U) {
  const Index n = data.line.n;
  const T* rows[most_rows + 1];
  T weights[most_rows + 1];
  int count = 0;
  for (Index r = 0; r < group.row_count; ++r) {
    weights[count] = static_cast<T>(data.plan.row_weight(family, r));
    rows[count] = data.row_of_f(system, data.plan.sources[group.row + r]);
    if (weights[count] != 0) ++count;
  }
  if (count % 2 == 1) rows[count] = rows[0], weights[count++] = 0;
  for (int r = 0; r < count; r += 2) add_rows(r == 0, weights[r], rows[r], weights[r + 1], rows[r + 1], n, F);
  if (group.rim_count == 0) return false;
  const auto rim = [&](Index r) { return data.row_of_u(system, data.plan.sources[group.rim + r]); };
  const Index last = group.rim_count - 1;
  add_rows(true, static_cast<T>(data.plan.rim_weight(group, family, 0)), rim(0),
           last == 0 ? T(0) : static_cast<T>(data.plan.rim_weight(group, family, last)), rim(last), n, U);
  couple(data.coupling(system), n, U);
  return true;
}

/// row = base + g sum or, in the substitution, the sum itself, which is in `sum`.
template <class T>
void write_output(const PlaneData<T>& data, Offset system, const Output& output, bool reduction, T* sum) {
  const Index n = data.line.n;
  T* to = reduction ? data.updated_row(system, output.row) : data.row_of_u(system, output.row);
  if (reduction) {
    couple(data.coupling(system), n, sum);
    const T* base = data.row_of_f(system, output.base);
    for (Index i = 0; i < n; ++i) to[i] = base[i] + sum[i];
  } else {
    std::copy_n(sum, n, to);
  }
}

/// A group with all its poles.
template <class T>
void solve_group(const PlaneData<T>& data, Offset system, const Group& group, bool reduction, Scratch<T>& scratch) {
  const Index n = data.line.n;
  scratch.rows.resize(static_cast<std::size_t>(3 * group.family_count + 1) * n);
  scratch.problems.clear();
  T *row = scratch.rows.data(), *sums = row + 2 * static_cast<Offset>(group.family_count) * n;
  std::fill_n(sums, static_cast<Offset>(group.family_count) * n, T(0));
  for (Index k = 0; k < group.family_count; ++k) {
    const FamilySum& family = data.plan.families[group.family + k];
    T *F = row + 2 * static_cast<Offset>(k) * n, *U = F + n;
    const bool rim = form_rows(data, system, group, family, F, U);
    for (Index j = 0; j < family.pole_count; ++j)
      scratch.problems.push_back(
          {data.plan.poles[family.pole + j], F, rim ? U : nullptr, sums + static_cast<Offset>(k) * n});
  }
  add_solutions(data.line, data.shifts[system], scratch);
  T* total = sums + static_cast<Offset>(group.family_count) * n;
  for (Index o = 0; o < group.output_count; ++o) {
    const Output& output = data.plan.outputs[group.output + o];
    std::fill_n(total, n, T(0));
    for (Index k = 0; k < group.family_count; ++k)
      add_row(static_cast<T>(data.plan.output_weight(group, o, k)), sums + static_cast<Offset>(k) * n, n, total);
    write_output(data, system, output, reduction, total);
  }
}

/// Poles [first, first + chunk) of a family into a partial sum.
template <class T>
void solve_chunk(const PlaneData<T>& data, Offset system, const FamilySum& family, Index first, T* partial,
                 Scratch<T>& scratch) {
  const Index n = data.line.n, last = std::min(first + chunk, family.pole_count);
  std::fill_n(partial, n, T(0));
  if (first >= last) return;
  scratch.rows.resize(2 * static_cast<std::size_t>(n));
  T *F = scratch.rows.data(), *U = F + n;
  const bool rim = form_rows(data, system, data.plan.groups[family.group], family, F, U);
  scratch.problems.clear();
  for (Index j = first; j < last; ++j)
    scratch.problems.push_back({data.plan.poles[family.pole + j], F, rim ? U : nullptr, partial});
  add_solutions(data.line, data.shifts[system], scratch);
}

}  // namespace

template <>
bool PlaneSolver<Threads, double>::fits(Index) {
  return true;
}
template <>
bool PlaneSolver<Threads, float>::fits(Index) {
  return true;
}

template <class Exec, class T>
Index PlaneSolver<Exec, T>::chunk_poles(const Step& step, Index) const {
  return step.most_group_poles > 2 * chunk ? chunk : 0;
}

template <class Exec, class T>
PlaneSolver<Exec, T>::PlaneSolver(Exec&, const HostPlan& plan, const Line& line, double row_spacing, Index most_systems)
    : plan_(plan), line_(line), row_spacing_(row_spacing), processors_(0) {
  const Offset lines = static_cast<Offset>(most_systems) * line.n;
  Offset partials = 0;
  for (const Step& step : plan.steps)
    if (const Index poles = chunk_poles(step, most_systems); poles > 0)
      partials = std::max(partials, static_cast<Offset>(step.family_count) * ((step.most_poles + poles - 1) / poles));
  updated_ = Array<T, Space>(lines * plan.slots);
  partial_ = Array<T, Space>(lines * partials);
}

template <class Exec, class T>
void PlaneSolver<Exec, T>::run(Exec& exec, const Step& step, Index systems, PlaneData<T> data) const {
  const bool large = static_cast<Offset>(systems) * step.problem_count * line_.n > parallel_size;
  const int threads = large ? exec.count() : 1;
  if (chunk_poles(step, systems) == 0) {
#pragma omp parallel num_threads(threads)
    {
      Scratch<T> scratch;
#pragma omp for schedule(static)
      for (Offset item = 0; item < static_cast<Offset>(systems) * step.group_count; ++item)
        solve_group(data, item / step.group_count, data.plan.groups[step.group + item % step.group_count],
                    step.reduction, scratch);
    }
    return;
  }
  const Index n = line_.n, chunks = (step.most_poles + chunk - 1) / chunk;
  const Offset rows = static_cast<Offset>(step.family_count) * chunks;
#pragma omp parallel num_threads(threads)
  {
    Scratch<T> scratch;
#pragma omp for schedule(static)
    for (Offset item = 0; item < systems * rows; ++item)
      solve_chunk(data, item / rows, data.plan.families[step.family + item % rows / chunks],
                  static_cast<Index>(item % chunks) * chunk, data.partial + item * n, scratch);
    std::vector<T> sum(static_cast<std::size_t>(n));
#pragma omp for schedule(static)
    for (Offset item = 0; item < static_cast<Offset>(systems) * step.group_count; ++item) {
      const Offset system = item / step.group_count;
      const Group& group = data.plan.groups[step.group + item % step.group_count];
      for (Index o = 0; o < group.output_count; ++o) {
        const Output& output = data.plan.outputs[group.output + o];
        std::fill(sum.begin(), sum.end(), T(0));
        for (Index k = 0; k < group.family_count; ++k)
          for (Index c = 0; c < chunks; ++c)
            add_row(
                static_cast<T>(data.plan.output_weight(group, o, k)),
                data.partial + (system * rows + (group.family - step.family + k) * static_cast<Offset>(chunks) + c) * n,
                n, sum.data());
        write_output(data, system, output, step.reduction, sum.data());
      }
    }
  }
}

template <class Exec, class T>
void PlaneSolver<Exec, T>::solve(Exec& exec, Index systems, const double* shifts, const T* f, T* u) {
  const PlaneData<T> data{plan_.view(),    line_,          row_spacing_, plan_.rows, plan_.slots, shifts, f, u,
                          updated_.data(), partial_.data()};
  for (const Step& step : plan_.steps) run(exec, step, systems, data);
}

template class PlaneSolver<Threads, double>;
template class PlaneSolver<Threads, float>;

}  // namespace tessera::solvers::grid
