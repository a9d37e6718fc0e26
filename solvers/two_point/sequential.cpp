#include "solvers/two_point/sequential.hpp"

#include <fmt/format.h>

#include <cassert>

#include "base/error.hpp"

namespace tessera::solvers::two_point {

namespace {

template <class T>
class Sequential final : public TwoPointSolver<Threads, T> {
 public:
  explicit Sequential(Offset n) : n_(n) {}

  void solve(Threads&, double h, View<const T> f, View<T> u) override {
    assert(f.size() == n_ && u.size() == n_);
    const T h2 = static_cast<T>(h * h);
    // d_1 = h^2 f_1 / 2 ; d_i = h^2 f_i
    for (Offset i = 0; i < n_; ++i) u[i] = h2 * f[i];
    u[0] *= T(0.5);
    // y_1 = d_1 ; y_i = d_i + y_{i-1}
    for (Offset i = 1; i < n_; ++i) u[i] += u[i - 1];
    // u_n = y_n ; u_i = y_i + u_{i+1}
    for (Offset i = n_ - 2; i >= 0; --i) u[i] += u[i + 1];
  }

  double bytes() const override { return 6.0 * sizeof(T) * static_cast<double>(n_); }
  double workspace_bytes() const override { return 0; }
  std::string type() const override { return "sequential"; }
  Offset rows() const override { return n_; }
  Offset columns() const override { return 1; }

 private:
  Offset n_;
};

template <class T>
std::unique_ptr<TwoPointSolver<Threads, T>> make(Threads&, Offset n, const SolverParams&) {
  return make_sequential<T>(n);
}
constexpr TwoPointMakers makers{.threads = {make<double>, make<float>}};

struct NoParams {};
void refuse_mixed(const NoParams&, const SolverParams& params, const std::string&) {
  if (params.precision == "mixed")
    throw Error(ExitCode::usage,
                fmt::format("the solver '{}' has no mixed precision: it has no steps between blocks", params.type),
                "choose run.precision = \"double\" or \"float\", or another solver", params.where);
}

}  // namespace

template <class T>
std::unique_ptr<TwoPointSolver<Threads, T>> make_sequential(Offset n) {
  return std::make_unique<Sequential<T>>(n);
}

template std::unique_ptr<TwoPointSolver<Threads, double>> make_sequential(Offset);
template std::unique_ptr<TwoPointSolver<Threads, float>> make_sequential(Offset);

MethodEntry sequential_entry() {
  return {.name = "sequential",
          .help = "A1: two recurrences on one core, threads only",
          .kind = MethodKind::two_point,
          .needs = {.two_point = true},
          .bytes = [](const SolverParams&, const ProblemSize&) { return 0.0; },
          .own = Keys<NoParams>().also(refuse_mixed),
          .cuda = false,
          .two_point = &makers};
}

}  // namespace tessera::solvers::two_point
