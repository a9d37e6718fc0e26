#pragma once
// The red-black arrays of a relaxation and its sweeps; solve_lmsor puts start, tests and damping around them.
#include <array>
#include <memory>
#include <string>

#include "base/reduce_pair.hpp"
#include "solvers/grid/lmsor.hpp"
#include "solvers/grid/lmsor_omega.hpp"

namespace tessera::solvers::grid::lmsor {

enum class Recompute { none, coefficients, all };
enum class Access { global, shared, texture };

/// What LmsorParams say, names resolved. blocking, granularity >= 1.
struct Choices {
  Recompute recompute = Recompute::coefficients;
  Access access = Access::global;
  int granularity = 1;
  int blocking = 1;
};

/// Each colour of the (m1+2) x (m2+2) nodes is an array [m2+2, pitch] of its own, of `size` entries: of row j it has
/// the columns 2 p + (j + colour) % 2, p = 0, 1 ... Neighbours of an entry (j, p) of one colour are, in the other
/// colour's array, the entries (j-1, p), (j+1, p) and (j, p-1+s), (j, p+s) with s = (j + colour) % 2. Red is colour 0.
struct Layout {
  Index m1 = 0, m2 = 0;
  Offset pitch = 0;  ///< a multiple of 128 bytes
  Offset size = 0;   ///< entries of one colour: a multiple of 512 bytes, where a texture may begin

  /// Of the entry `at` of the two arrays, one after the other.
  struct Place {
    int colour;
    Offset i, j;
    bool inner, exists;  ///< in the interior; or on the rim, corners left out
  };
  TESSERA_HD Place place(Offset at) const {
    const int colour = at >= size;
    const Offset j = (at - colour * size) / pitch, i = 2 * ((at - colour * size) % pitch) + shift(j, colour);
    const bool inner_column = i >= 1 && i <= m1, inner_row = j >= 1 && j <= m2;
    return {colour, i, j, inner_column && inner_row, (inner_column && j <= m2 + 1) || (inner_row && i <= m1 + 1)};
  }
  TESSERA_HD static int shift(Offset j, int colour) { return static_cast<int>((j + colour) & 1); }
  /// p of the first and of the last interior column.
  TESSERA_HD Offset first(Offset j, int colour) const { return 1 - shift(j, colour); }
  TESSERA_HD Offset last(Offset j, int colour) const { return (m1 - shift(j, colour)) / 2; }
};
template <class T>
Layout make_layout(const std::array<Index, 2>& m) {
  const auto round_up = [](Offset count, Offset bytes) {
    const Offset unit = bytes / static_cast<Offset>(sizeof(T));
    return (count + unit - 1) / unit * unit;
  };
  const Offset pitch = round_up((m[0] + Offset{3}) / 2, 128);
  return {m[0], m[1], pitch, round_up((m[1] + Offset{2}) * pitch, 512)};
}

/// Weights of the neighbours.
template <class T>
struct Stencil {
  T west, east, north, south;  ///< l, r, t, b
};
/// (10.3) from F = h f/2 and G = k g/2.
template <class T>
TESSERA_HD Stencil<T> make_stencil(T A, T B, T F, T G) {
  using std::fma;  // of T, not always of double
  return {fma(A, F, A), fma(-A, F, A), fma(-B, G, B), fma(B, G, B)};
}
/// J u - s/D - u, the residual of a point in units of u. The one place of the arithmetic: every kernel gets the same
/// bits.
template <class T>
TESSERA_HD T defect(const Stencil<T>& c, T west, T east, T north, T south, T here, T source) {
  using std::fma;
  return fma(c.south, south, fma(c.north, north, fma(c.east, east, c.west * west))) - source - here;
}

/// All that a sweep reads and writes; arrays of points are [2, m2+2, pitch].
template <class T>
struct Fields {
  Layout layout;
  T* u = nullptr;
  /// l r t b omega | F G omega | F G, by Recompute. Outside the interior F = G = omega = 0.
  const T* coefficient[5] = {};
  const T* source = nullptr;  ///< s/D; null: 0
  T A = 0, B = 0;
  LocalOmega omega;
  bool has_mixed = false;  ///< some points are of the mixed case
};

/// Sums over the points of an iteration, in units of u: of the squared residual between its two half sweeps, which is
/// exact and comes for nothing (a red point keeps 1 - omega of its defect), and of the squared update.
struct Norms {
  double defect = 0, update = 0;
};

/// From one pass over a problem.
struct CoefficientBounds {
  double largest_F = 0, largest_G = 0;  ///< of |h f/2| and |k g/2|
  double real = 0, imaginary = 0;       ///< largest |Re mu|, |Im mu|
  double least = 2;                     ///< least (10.11)
  double omega_min = 2, omega_max = 0;
  Offset mixed_points = 0;
  int bad = -1;                ///< a value that is not finite: 0 f, 1 g, 2 source, 3 u
  Index bad_node[2] = {0, 0};  ///< and its node
};

template <class Exec, class T>
struct Relaxation {
  using Space = typename Exec::Space;
  Choices choices;
  Fields<T> fields;
  Array<T, Space> u, coefficients, source;
  Array<T, Space> spare;                                       ///< a second u for passes of several iterations on CUDA
  Array<Sums<2>, Space> partial;                               ///< sums of the norms by row or block, red before black
  Array<double, Space> norms;                                  ///< [2]: Norms
  std::array<std::shared_ptr<unsigned long long>, 2> texture;  ///< over the colours of u, where CUDA reads them so
};

/// One pass over a problem, whose u has its rim.
template <class Exec>
CoefficientBounds scan_coefficients(Exec& exec, const LmsorProblem& problem, View<const double> u,
                                    const LocalOmega& omega);
/// Sums of squares over the points, in double and in units of u: of the right side with the rim's share, and of the
/// residual.
template <class Exec>
Pair residual(Exec& exec, const LmsorProblem& problem, View<const double> u);

/// Arrays of T for a problem whose views hold finite values. `omega`: as omega_of() makes it.
template <class Exec, class T>
Relaxation<Exec, T> make_relaxation(Exec& exec, const LmsorProblem& problem, const LocalOmega& omega,
                                    const Choices& choices, bool has_mixed);
/// u with its rim, [m2+2, m1+2], to and from the arrays.
template <class Exec, class T>
void load(Exec& exec, Relaxation<Exec, T>& relaxation, View<const double> u);
template <class Exec, class T>
void store(Exec& exec, const Relaxation<Exec, T>& relaxation, View<double> u);
/// All omega times `factor`, counted from the undamped ones.
template <class Exec, class T>
void set_damping(Exec& exec, Relaxation<Exec, T>& relaxation, double factor);

/// 2-norm of u and its rim.
template <class Exec, class T>
double norm(Exec& exec, const Relaxation<Exec, T>& relaxation);

/// `count` iterations; with_norms: `norms` are those of the last one. Only queues work on CUDA.
template <class T>
void sweep(Threads& exec, Relaxation<Threads, T>& relaxation, int count, bool with_norms);
template <class T>
void sweep(Cuda& exec, Relaxation<Cuda, T>& relaxation, int count, bool with_norms);
/// Makes what else sweeps of the choices need: `partial`, textures.
template <class T>
void prepare_sweeps(Threads& exec, Relaxation<Threads, T>& relaxation);
template <class T>
void prepare_sweeps(Cuda& exec, Relaxation<Cuda, T>& relaxation);

/// Omega by the names of `params`; estimates come from `bounds`.
LocalOmega omega_of(const LmsorProblem& problem, const LmsorParams& params, const CoefficientBounds& bounds);
/// Choices by the names of `params`, "auto" and 0 resolved for a grid.
Choices choices_of(const LmsorProblem& problem, const LmsorParams& params, const std::string& backend);
/// Declared bytes of one iteration of m1 x m2 points, T of `size` bytes: docs/methods/lmsor.md.
double bytes_of(const LmsorProblem& problem, const Choices& choices, int size);

}  // namespace tessera::solvers::grid::lmsor
