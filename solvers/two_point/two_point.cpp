#include "solvers/two_point/two_point.hpp"

#include <algorithm>
#include <cmath>

#include "base/team.hpp"
#include "solvers/two_point/two_point_impl.hpp"

namespace tessera::solvers {

template <class T>
double two_point_backward_error(double h, View<const T> f, View<const T> u, int threads) {
  const Offset n = u.size();
  struct Largest {
    double residual = 0, u = 0, d = 0;
  };
  const Largest largest = parallel_reduce(
      Threads(threads).count(), n, Largest{},
      [&](Offset first, Offset last) {
        Largest of_range;
        for (Offset i = first; i < last; ++i) {
          const double d = h * h * static_cast<double>(f[i]) * (i == 0 ? 0.5 : 1.0);
          const double here = u[i], right = i + 1 < n ? u[i + 1] : 0.0;
          const double Au = i == 0 ? here - right : (here - right) - (u[i - 1] - here);
          of_range.residual = std::max(of_range.residual, std::abs(d - Au));
          of_range.u = std::max(of_range.u, std::abs(here));
          of_range.d = std::max(of_range.d, std::abs(d));
        }
        return of_range;
      },
      [](const Largest& a, const Largest& b) {
        return Largest{std::max(a.residual, b.residual), std::max(a.u, b.u), std::max(a.d, b.d)};
      });
  const double scale = 4 * largest.u + largest.d;
  return scale > 0 ? largest.residual / scale : largest.residual;
}

template double two_point_backward_error<double>(double, View<const double>, View<const double>, int);
template double two_point_backward_error<float>(double, View<const float>, View<const float>, int);

template std::unique_ptr<TwoPointSolver<Threads, double>> make_two_point<Threads, double, double>(Threads&, Offset,
                                                                                                  SolverParams);
template std::unique_ptr<TwoPointSolver<Threads, float>> make_two_point<Threads, float, float>(Threads&, Offset,
                                                                                               SolverParams);
template std::unique_ptr<TwoPointSolver<Threads, float>> make_two_point<Threads, float, double>(Threads&, Offset,
                                                                                                SolverParams);

}  // namespace tessera::solvers
