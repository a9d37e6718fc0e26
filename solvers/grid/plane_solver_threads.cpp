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
/// Of lines of 2^31 rows.
constexpr int most_levels = 32;
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
    static_assert(lanes == 4);
    const auto state = [&](int l) { return LineState(line_matrix(line, lambda[l]), line.n); };
    LineState states[lanes] = {state(0), state(1), state(2), state(3)};
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

/// Memory of one thread: rows of F, U and sums of a group, then the lines that are being solved.
template <class T>
struct Scratch {
  Scratch(T* memory, Index n, const Step& step) : y(memory), rows(memory + static_cast<Offset>(lanes) * n) {
    problems.reserve(static_cast<std::size_t>(std::min(step.most_group_poles, 2 * chunk)) + lanes);
    levels.at.reserve(most_levels);
  }
  T *y, *rows;
  std::vector<Problem<T>> problems;
  Levels<T> levels;
};

/// sum += X_j (a F + b U) for all problems, `lanes` at a time.
template <class T>
void add_solutions(const Line& line, double shift, Scratch<T>& scratch) {
  const Index n = line.n;
  T* y = scratch.y;
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
  if (g.identity) return;
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
  scratch.problems.clear();
  T *row = scratch.rows, *sums = row + 2 * static_cast<Offset>(group.family_count) * n;
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
  T *F = scratch.rows, *U = F + n;
  const bool rim = form_rows(data, system, data.plan.groups[family.group], family, F, U);
  scratch.problems.clear();
  for (Index j = first; j < last; ++j)
    scratch.problems.push_back({data.plan.poles[family.pole + j], F, rim ? U : nullptr, partial});
  add_solutions(data.line, data.shifts[system], scratch);
}

/// The number of the first chunk of each family of a step, and that of all chunks.
std::vector<Offset> first_chunks(View<const FamilySum> families, const Step& step) {
  std::vector<Offset> first{0};
  for (Index k = 0; k < step.family_count; ++k)
    first.push_back(first.back() + (families[step.family + k].pole_count + chunk - 1) / chunk);
  return first;
}

/// Chunks of poles into partial sums, then the outputs from these.
template <class T>
void run_chunks(const PlaneData<T>& data, const Step& step, Index systems, std::vector<Scratch<T>>& scratch) {
  const Index n = data.line.n;
  const std::vector<Offset> first = first_chunks(data.plan.families, step);
  const Offset chunks = first.back();
  const int threads = static_cast<int>(scratch.size());
  parallel_for(threads, systems * chunks, [&](Offset item, int part) {
    const Offset family = std::upper_bound(first.begin(), first.end(), item % chunks) - first.begin() - 1;
    solve_chunk(data, item / chunks, data.plan.families[step.family + family],
                static_cast<Index>(item % chunks - first[family]) * chunk, data.partial + item * n,
                scratch[static_cast<std::size_t>(part)]);
  });
  parallel_for(threads, static_cast<Offset>(systems) * step.group_count, [&](Offset item, int part) {
    const Offset system = item / step.group_count;
    const Group& group = data.plan.groups[step.group + item % step.group_count];
    T* sum = scratch[static_cast<std::size_t>(part)].rows;
    for (Index o = 0; o < group.output_count; ++o) {
      std::fill_n(sum, n, T(0));
      for (Index k = 0; k < group.family_count; ++k) {
        const Offset family = group.family - step.family + k;
        for (Offset c = first[family]; c < first[family + 1]; ++c)
          add_row(static_cast<T>(data.plan.output_weight(group, o, k)), data.partial + (system * chunks + c) * n, n,
                  sum);
      }
      write_output(data, system, data.plan.outputs[group.output + o], step.reduction, sum);
    }
  });
}

/// Whether a step's families are cut into chunks of poles.
bool is_cut(const Step& step) { return step.most_group_poles > 2 * chunk; }

}  // namespace

template <class T>
PlaneSolver<Threads, T>::PlaneSolver(Threads& exec, const HostPlan& plan, const Line& line, double row_spacing,
                                     Index most_systems, bool)
    : plan_(plan), line_(line), row_spacing_(row_spacing), threads_(exec.count()) {
  Offset partials = 0;
  Index families = 1;
  for (const Step& step : plan.steps)
    if (is_cut(step)) partials = std::max(partials, first_chunks(plan_.view().families, step).back());
  for (const Group& group : plan.groups) families = std::max(families, group.family_count);
  const Offset lines = static_cast<Offset>(most_systems) * line.n;
  scratch_rows_ = 3 * families + 1 + lanes;
  updated_ = Array<T>(lines * plan.slots);
  partial_ = Array<T>(lines * partials);
  scratch_ = Array<T>(scratch_rows_ * line.n * threads_);
}

template <class T>
void PlaneSolver<Threads, T>::run(Threads& exec, const Step& step, Index systems, const PlaneData<T>& data) {
  const bool large = static_cast<Offset>(systems) * step.problem_count * line_.n > parallel_size;
  const int threads = large ? std::min(exec.count(), threads_) : 1;
  // nothing is allocated, and so nothing thrown, in the parallel regions
  std::vector<Scratch<T>> scratch;
  for (int thread = 0; thread < threads; ++thread)
    scratch.emplace_back(scratch_.data() + thread * scratch_rows_ * line_.n, line_.n, step);
  if (is_cut(step)) return run_chunks(data, step, systems, scratch);
  parallel_for(threads, static_cast<Offset>(systems) * step.group_count, [&](Offset item, int part) {
    solve_group(data, item / step.group_count, data.plan.groups[step.group + item % step.group_count], step.reduction,
                scratch[static_cast<std::size_t>(part)]);
  });
}

template <class T>
void PlaneSolver<Threads, T>::solve(Threads& exec, Index systems, const double* shifts, const T* f, T* u) {
  const PlaneData<T> data{plan_.view(),    line_,          row_spacing_, plan_.rows, plan_.slots, shifts, f, u,
                          updated_.data(), partial_.data()};
  for (const Step& step : plan_.steps) run(exec, step, systems, data);
}

template class PlaneSolver<Threads, double>;
template class PlaneSolver<Threads, float>;

}  // namespace tessera::solvers::grid
