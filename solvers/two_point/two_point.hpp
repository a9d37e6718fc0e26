#pragma once
// The two-point boundary value problem -u'' = f on (a, b), u'(a) = 0, u(b) = 0, as an almost Toeplitz tridiagonal
// system.
//
// Grid: h = (b - a)/n, unknowns u_i at x_i = a + (i - 1) h, i = 1 .. n; u_{n+1} = u(b) = 0 is not stored.
// System: A u = d, d_1 = h^2 f_1 / 2, d_i = h^2 f_i, A = tridiag(-1, 2, -1) but A_11 = 1, which is L R with unit
// bidiagonal L and R: two linear recurrences, y_i = d_i + y_{i-1} forward and u_i = y_i + u_{i+1} backward.
// Sources: [BVP10] Stpiczynski, Potiopa, Solving a kind of BVP for ODEs on heterogeneous CPU + CUDA-enabled GPU
// systems, IMCSIT 2010; [BVP08] Stpiczynski, Solving a kind of BVP for second-order ODEs using novel data formats for
// dense matrices, IMCSIT 2008. docs/methods/two_point_bvp.md.
#include <memory>
#include <string>

#include "base/array.hpp"
#include "base/backend.hpp"
#include "base/on_cuda.hpp"
#include "solvers/params.hpp"

namespace tessera::solvers {

/// One method for n unknowns on one backend, with its workspace. T: numbers of f, u and the parallel steps.
template <class Exec, class T>
class TwoPointSolver {
 public:
  virtual ~TwoPointSolver() = default;

  /// u from f, both [n] in the order of the grid, u[i] at a + i h; they may be the same array. h > 0. Values of f that
  /// are not finite make u[0] not finite. Repeatable bitwise; on threads independent of their number.
  virtual void solve(Exec& exec, double h, View<const T> f, View<T> u) = 0;

  /// Bytes that one solve moves between memory and processor, the transfers to the host left out. The least that any
  /// method can do given f is 3 sizeof(T) an unknown: u_1 needs all of f before the first u can be written.
  virtual double bytes() const = 0;
  /// Bytes of the workspace beside f and u.
  virtual double workspace_bytes() const = 0;
  /// The method's name, never "auto".
  virtual std::string type() const = 0;
  /// s and r of the s x r array of unknowns that the method works on; the first column may be shorter.
  virtual Offset rows() const = 0;
  virtual Offset columns() const = 0;
};

/// The method that `params` names, for n >= 1 unknowns. R: numbers of the recurrences between blocks; R = T, or T =
/// float with R = double (mixed). Throws Error(usage) at the key of the deck for an unknown name or one that is no
/// method of two-point problems, a method that the backend or the precision lacks, n < 1, or numbers out of range.
template <class Exec, class T, class R = T>
std::unique_ptr<TwoPointSolver<Exec, T>> make_two_point(Exec& exec, Offset n, SolverParams params);

template <class Exec, class T>
using MakeTwoPoint = std::unique_ptr<TwoPointSolver<Exec, T>> (*)(Exec&, Offset n, const SolverParams&);
template <class Exec>
struct TwoPointPrecisions {
  MakeTwoPoint<Exec, double> in_double = nullptr;
  MakeTwoPoint<Exec, float> in_float = nullptr, mixed = nullptr;
};
/// What a row of the table of methods has for two-point problems; nullptr where backend or precision lacks it.
struct TwoPointMakers {
  TwoPointPrecisions<Threads> threads = {};
  TwoPointPrecisions<Cuda> cuda = {};
};
/// Those of a method that every backend has in every precision: make is a template of Exec, T and R.
#define TESSERA_TWO_POINT_MAKERS(make)                                                                               \
  {                                                                                                                  \
    .threads = {make<Threads, double, double>, make<Threads, float, float>, make<Threads, float, double>}, .cuda = { \
      TESSERA_ON_CUDA(make<Cuda, double, double>),                                                                   \
      TESSERA_ON_CUDA(make<Cuda, float, float>),                                                                     \
      TESSERA_ON_CUDA(make<Cuda, float, double>)                                                                     \
    }                                                                                                                \
  }

/// Normwise backward error of a computed u: max |d - A u| / (4 max |u| + max |d|), in double. Within a few units of
/// rounding of T for a stable method, whatever n.
template <class T>
double two_point_backward_error(double h, View<const T> f, View<const T> u, int threads = 0);

}  // namespace tessera::solvers
