#include <array>
#include <cmath>
#include <vector>

#include "solvers/tridiagonal/elimination.hpp"
#include "solvers/tridiagonal/front_impl.hpp"

namespace tessera::solvers {

namespace {

struct Name {
  TridiagonalMethod method;
  const char* name;
};
constexpr std::array names{Name{TridiagonalMethod::automatic, "auto"},
                           Name{TridiagonalMethod::thomas, "thomas"},
                           Name{TridiagonalMethod::lu_pivoting, "lu_pivoting"},
                           Name{TridiagonalMethod::cyclic_reduction, "cyclic_reduction"},
                           Name{TridiagonalMethod::parallel_cyclic_reduction, "parallel_cyclic_reduction"},
                           Name{TridiagonalMethod::cr_pcr, "cr_pcr"},
                           Name{TridiagonalMethod::spike_cr, "spike_cr"},
                           Name{TridiagonalMethod::spike_pivoting, "spike_pivoting"},
                           Name{TridiagonalMethod::spike_diagonal_pivoting, "spike_diagonal_pivoting"}};

}  // namespace

const char* name_of(TridiagonalMethod method) {
  for (const Name& entry : names)
    if (entry.method == method) return entry.name;
  return "?";
}

std::vector<TridiagonalMethod> tridiagonal_methods() {
  std::vector<TridiagonalMethod> all;
  for (const Name& entry : names) all.push_back(entry.method);
  return all;
}

TridiagonalMethod tridiagonal_method(const std::string& name) {
  std::vector<std::string> all;
  for (const Name& entry : names) {
    if (name == entry.name) return entry.method;
    all.emplace_back(entry.name);
  }
  throw Error(ExitCode::usage, fmt::format("no tridiagonal method is called '{}'", name), suggest(name, all));
}

namespace tridiagonal {

std::string describe_row(Index n, Index systems, bool interleaved, Offset i) {
  if (systems == 1) return fmt::format("row {}", i);
  return fmt::format("row {} of system {}", interleaved ? i / systems : i % n, interleaved ? i % systems : i / n);
}

double Residual::backward_error(Offset rows) const {
  if (r == 0) return 0;
  return r / (A / std::sqrt(static_cast<double>(rows)) * x + b);
}

template <class T>
Offset first_bad_pivot(const Tridiagonal<T>& A, bool pivoting) {
  const Place place = place_of(A);
  const std::vector<T> zeros(static_cast<std::size_t>(A.rows()), T(0));
  auto bad = [](T pivot) { return !(std::abs(pivot) > 0) || !std::isfinite(pivot); };
  for (Index system = 0; system < A.systems; ++system) {
    Offset i = place.first(system);
    Running<T> run = start(T(0), row_at(A, zeros.data(), i, 0));
    for (Index k = 1; k < A.n; ++k, i += place.step()) {
      const Row<T> row = row_at(A, zeros.data(), i + place.step(), k);
      if (pivoting) {
        if (bad(std::max(std::abs(run.pivot), std::abs(row.lower)))) return i;
        eliminate<PivotRule::rows>(run, row);
      } else {
        if (bad(run.pivot)) return i;
        run = {T(0), row.diag - row.lower / run.pivot * run.next, row.upper, T(0), T(0), false};
      }
    }
    if (bad(run.pivot)) return i;
  }
  return -1;
}
template Offset first_bad_pivot(const Tridiagonal<double>&, bool);
template Offset first_bad_pivot(const Tridiagonal<float>&, bool);

}  // namespace tridiagonal

template class TridiagonalSolver<Threads, double>;
template class TridiagonalSolver<Threads, float>;

}  // namespace tessera::solvers
