// Sweeps on threads: a row at a time, vectorised; several half iterations of neighbouring rows while they are in the
// cache.
#include "base/team.hpp"
#include "solvers/grid/lmsor_impl.hpp"

namespace tessera::solvers::grid::lmsor {

namespace {

/// Points of a grid that are worth another thread.
constexpr Offset worth_a_thread = 32768;

/// Points of a row whose omega are computed ahead into the first-level cache.
constexpr Offset chunk = 512;

/// Omega of `count` points of one row that begin at `at`.
template <class T>
void compute_omega(const Fields<T>& fields, Offset at, Offset count, int colour, T* omega) {
  const T *F = fields.coefficient[0] + at, *G = fields.coefficient[1] + at;
  const LocalOmega local = fields.omega;
  if (!local.local) {
    std::fill(omega, omega + count, static_cast<T>(local.at(0, 0, colour)));
    return;
  }
#pragma omp simd
  for (Offset k = 0; k < count; ++k) omega[k] = static_cast<T>(local.unmixed(F[k], G[k], colour));
  if (!fields.has_mixed) return;
  for (Offset k = 0; k < count; ++k)
    if (LocalOmega::is_mixed(F[k], G[k])) omega[k] = static_cast<T>(local.mixed(F[k], G[k]));
}

/// Relaxes `count` points of row j of one colour from `at` on. Norms are of what this half iteration adds to them.
template <Recompute recompute, bool has_source, bool with_norms, class T>
void relax_points(const Fields<T>& fields, int colour, Offset j, Offset at, Offset count, Norms& norms) {
  const Layout layout = fields.layout;
  const T* other = fields.u + (1 - colour) * layout.size;
  T* __restrict own = fields.u + colour * layout.size + at;
  const T *west = other + at - 1 + Layout::shift(j, colour), *east = west + 1;
  const T *north = other + at + layout.pitch, *south = other + at - layout.pitch;
  const Offset in = colour * layout.size + at;
  const T *c0 = fields.coefficient[0] + in, *c1 = fields.coefficient[1] + in;
  const T* c2 = recompute == Recompute::none ? fields.coefficient[2] + in : nullptr;
  const T* c3 = recompute == Recompute::none ? fields.coefficient[3] + in : nullptr;
  const T* source = has_source ? fields.source + in : nullptr;
  T computed[recompute == Recompute::all ? chunk : 1];
  const T* omega = computed;
  if constexpr (recompute == Recompute::all)
    compute_omega(fields, in, count, colour, computed);
  else
    omega = fields.coefficient[recompute == Recompute::none ? 4 : 2] + in;
  const T A = fields.A, B = fields.B;
  double defects = 0, updates = 0;
#pragma omp simd reduction(+ : defects, updates)
  for (Offset k = 0; k < count; ++k) {
    const Stencil<T> c =
        recompute == Recompute::none ? Stencil<T>{c0[k], c1[k], c2[k], c3[k]} : make_stencil(A, B, c0[k], c1[k]);
    const T e = defect(c, west[k], east[k], north[k], south[k], own[k], has_source ? source[k] : T(0));
    own[k] = std::fma(omega[k], e, own[k]);
    if constexpr (with_norms) {
      const double left =
          colour == 0 ? static_cast<double>(e) - static_cast<double>(omega[k]) * e : static_cast<double>(e);
      const double step = static_cast<double>(omega[k]) * e;
      defects += left * left;
      updates += step * step;
    }
  }
  norms.defect += defects;
  norms.update += updates;
}

template <Recompute recompute, bool has_source, class T>
Sums<2> relax_row(const Fields<T>& fields, int colour, Offset j, bool with_norms) {
  const Offset end = fields.layout.last(j, colour) + 1;
  Norms norms;
  for (Offset p = fields.layout.first(j, colour); p < end; p += chunk) {
    const Offset at = j * fields.layout.pitch + p, count = std::min(chunk, end - p);
    if (with_norms)
      relax_points<recompute, has_source, true>(fields, colour, j, at, count, norms);
    else
      relax_points<recompute, has_source, false>(fields, colour, j, at, count, norms);
  }
  return {{norms.defect, norms.update}};
}

template <class T>
using RowFunction = Sums<2> (*)(const Fields<T>&, int colour, Offset j, bool with_norms);

template <bool has_source, class T>
RowFunction<T> row_function(Recompute recompute) {
  switch (recompute) {
    case Recompute::none: return relax_row<Recompute::none, has_source, T>;
    case Recompute::coefficients: return relax_row<Recompute::coefficients, has_source, T>;
    default: return relax_row<Recompute::all, has_source, T>;
  }
}

/// `halves` half iterations of all rows in one pass over memory. Rows are dealt out in slabs. In a first step each slab
/// does half t on its rows but t at either end, a staircase of rows at a time; in a second one the wedges left between
/// slabs are filled. Each point sees exactly the neighbours that it sees without this, so the bits are the same for any
/// number of slabs.
template <class T>
struct Pass {
  const Fields<T>& fields;
  RowFunction<T> relax_row;
  int halves;
  bool with_norms;     ///< of the last two halves
  Sums<2>* row_norms;  ///< [2, m2]: red rows, black rows

  void row(int half, Offset j) const {
    const int colour = half % 2;
    const bool wanted = with_norms && half >= halves - 2;
    const Sums<2> sums = relax_row(fields, colour, j, wanted);
    if (wanted) row_norms[colour * static_cast<Offset>(fields.layout.m2) + j - 1] = sums;
  }

  /// Half t on rows [first - t, last + t) or, towards the inside, [first + t, last - t); bounds of the grid are not
  /// moved.
  void staircase(Offset first, Offset last, int direction) const {
    const Offset rows = fields.layout.m2;
    for (Offset front = first - halves; front < last + 2 * halves; ++front)
      for (int t = 0; t < halves; ++t) {
        const Offset j = front - t;
        const Offset low = first == 1 ? 1 : first + direction * t,
                     high = last == rows + 1 ? last : last - direction * t;
        if (j >= low && j < high) row(t, j);
      }
  }

  void run(int threads) const {
    const Offset rows = fields.layout.m2;
    const Offset worthwhile = 1 + rows * fields.layout.m1 / worth_a_thread;
    const Offset slabs = std::max<Offset>(1, std::min({static_cast<Offset>(threads), worthwhile, rows / (2 * halves)}));
    const auto start = [&](Offset slab) { return 1 + rows * slab / slabs; };
    const int parts = static_cast<int>(slabs);
    parallel(parts, [&](int slab) { staircase(start(slab), start(slab + 1), +1); });
    // The triangles between slabs, once both of their neighbours are done.
    if (parts > 1) parallel(parts - 1, [&](int slab) { staircase(start(slab + 1), start(slab + 1), -1); });
  }
};

/// One half iteration of all rows.
template <class T>
void half_iteration(Threads& exec, const Pass<T>& pass, int half) {
  const Offset rows = pass.fields.layout.m2;
  const bool worthwhile = rows * pass.fields.layout.m1 > worth_a_thread;
  parallel_for(worthwhile ? exec.count() : 1, rows, [&](Offset j) { pass.row(half, j + 1); });
}

}  // namespace

template <class T>
void prepare_sweeps(Threads&, Relaxation<Threads, T>& relaxation) {
  relaxation.partial = Array<Sums<2>>(2 * static_cast<Offset>(relaxation.fields.layout.m2));
}

template <class T>
void sweep(Threads& exec, Relaxation<Threads, T>& relaxation, int count, bool with_norms) {
  const Fields<T>& fields = relaxation.fields;
  const RowFunction<T> relax_row = fields.source ? row_function<true, T>(relaxation.choices.recompute)
                                                 : row_function<false, T>(relaxation.choices.recompute);
  const int blocking = relaxation.choices.blocking;
  for (int done = 0; done < count;) {
    const int iterations = std::min(blocking, count - done);
    done += iterations;
    const Pass<T> pass{fields, relax_row, 2 * iterations, with_norms && done == count, relaxation.partial.data()};
    if (blocking > 1)
      pass.run(exec.count());
    else
      for (int half = 0; half < 2; ++half) half_iteration(exec, pass, half);
  }
  if (!with_norms) return;
  Sums<2> total;
  for (const Sums<2>& sums : relaxation.partial) total += sums;
  for (int k = 0; k < 2; ++k) relaxation.norms[k] = total.value[k];
}

template void sweep<double>(Threads&, Relaxation<Threads, double>&, int, bool);
template void sweep<float>(Threads&, Relaxation<Threads, float>&, int, bool);

TESSERA_LMSOR_INSTANTIATE(Threads)

}  // namespace tessera::solvers::grid::lmsor
