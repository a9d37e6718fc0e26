// Relaxation of convection-diffusion: one iteration in every way of keeping coefficients, of access and of granularity
// against its declared bytes; passes of several iterations against half iterations. Peer on threads: red-black SOR on
// one core, one array.
//   lmsor_bench [options of every bench]; LMSOR_SIZES="1023 4095" chooses sizes.
#include <fmt/format.h>

#include <cmath>
#include <sstream>

#include "bench/support/bench.hpp"
#include "solvers/grid/lmsor_grid.hpp"

using namespace tessera;
using namespace tessera::solvers::grid;

namespace {

/// Random values in (-scale, scale).
std::vector<double> values(Offset count, double scale, unsigned seed) {
  std::vector<double> result = bench::repeated_values(count, seed);
  for (double& v : result) v *= scale;
  return result;
}

/// The method as one would write it down: one core, one array in the order of the grid, f, g and omega stored.
struct Sequential {
  Offset m, row;
  std::vector<double> F, G, omega, u;

  void sweep() {
    for (int colour = 0; colour < 2; ++colour)
      for (Offset j = 1; j <= m; ++j)
        for (Offset i = 1 + (j + 1 + colour) % 2; i <= m; i += 2) {
          const Offset at = i + j * row;
          const double l = 0.25 * (1 + F[at]), r = 0.25 * (1 - F[at]), t = 0.25 * (1 - G[at]), b = 0.25 * (1 + G[at]);
          const double J = l * u[at - 1] + r * u[at + 1] + t * u[at + row] + b * u[at - row];
          u[at] = (1 - omega[at]) * u[at] + omega[at] * J;
        }
  }
};

std::string text(lmsor::Recompute recompute) {
  return recompute == lmsor::Recompute::none           ? "none"
         : recompute == lmsor::Recompute::coefficients ? "coefficients"
                                                       : "all";
}
std::string text(lmsor::Access access) {
  return access == lmsor::Access::global ? "global" : access == lmsor::Access::shared ? "shared" : "texture";
}

/// One square grid on one backend.
template <class Exec>
struct Case {
  using Space = typename Exec::Space;
  Exec& exec;
  bench::Report& report;
  const bench::Options& options;
  Index m;
  double h = 1.0 / (m + 1), points = static_cast<double>(m) * m;
  std::vector<double> f = values(static_cast<Offset>(points), 1 / h, 1),
                      g = values(static_cast<Offset>(points), 1 / h, 2);
  std::vector<double> u = values((m + Offset{2}) * (m + Offset{2}), 1, 3);
  Array<double, Space> f_ = to_space<Space>(f), g_ = to_space<Space>(g), u_ = to_space<Space>(u);
  LmsorProblem problem{{m, m}, {h, h}, f_, g_, {}};
  LmsorParams params{};
  lmsor::CoefficientBounds bounds = lmsor::scan_coefficients(exec, problem, u_, lmsor::omega_of(problem, params, {}));
  double expected = 0;  ///< residual norm after a few iterations of the first variant
  double peer_ms = 0;
  std::string peer = {};

  template <class T>
  double add(const lmsor::Choices& choices, const std::string& name) {
    if (!options.takes(name)) return 0;
    auto relaxation = lmsor::make_relaxation<Exec, T>(exec, problem, lmsor::omega_of(problem, params, bounds), choices,
                                                      bounds.mixed_points > 0);
    lmsor::load(exec, relaxation, u_);
    lmsor::sweep(exec, relaxation, 4, true);
    exec.synchronize();
    const double norm = std::sqrt(to_vector(relaxation.norms)[0]);
    if (expected == 0) expected = norm;
    const int count = choices.blocking > 1 ? 2 * choices.blocking : 1;
    bench::Row row;
    row.name = name + (sizeof(T) == 4 ? ", float" : "");
    row.size = fmt::format("{0}^2", m);
    row.timing = bench::measure(
        exec, [&] { lmsor::sweep(exec, relaxation, count, false); }, 3);
    for (double* ms : {&row.timing.median_ms, &row.timing.min_ms, &row.timing.max_ms}) *ms /= count;
    row.bytes = lmsor::bytes_of(problem, choices, sizeof(T));
    row.items = points;
    row.item = "points";
    row.peer = peer;
    row.peer_ms = peer_ms;
    row.note = fmt::format("residual differs by {:.1e}", std::abs(norm - expected) / expected);
    report.add(row);
    return row.timing.median_ms;
  }

  void add_sequential() {
    Sequential s{m, m + Offset{2}, u, u, u, u};
    const lmsor::LocalOmega omega = lmsor::omega_of(problem, params, bounds);
    for (Offset j = 1; j <= m; ++j)
      for (Offset i = 1; i <= m; ++i) {
        const Offset at = i + j * s.row, from = i - 1 + (j - 1) * m;
        s.F[at] = h / 2 * f[from];
        s.G[at] = h / 2 * g[from];
        s.omega[at] = omega.at(s.F[at], s.G[at], static_cast<int>((i + j) % 2));
      }
    bench::Row row;
    row.name = "lsor, sequential, one array";
    row.size = fmt::format("{0}^2", m);
    row.timing = bench::measure(
        exec, [&] { s.sweep(); }, 3);
    row.bytes = lmsor::bytes_of(problem, {}, 8);
    row.items = points;
    row.item = "points";
    report.add(row);
    peer = "sequential";
    peer_ms = row.timing.median_ms;
  }

  void run() {
    using lmsor::Recompute;
    double halves_ms = 0;
    if constexpr (std::is_same_v<Exec, Threads>)
      if (options.takes("sequential")) add_sequential();
    for (Recompute recompute : {Recompute::none, Recompute::coefficients, Recompute::all}) {
      if constexpr (std::is_same_v<Exec, Threads>) {
        add<double>({recompute}, "lsor, " + text(recompute));
      } else {
        for (lmsor::Access access : {lmsor::Access::global, lmsor::Access::shared, lmsor::Access::texture})
          for (int granularity : {1, 2, 4, 8}) {
            const double ms = add<double>({recompute, access, granularity},
                                          fmt::format("lsor, {}, {}, {}", text(recompute), text(access), granularity));
            if (recompute != Recompute::none && ms > 0) halves_ms = halves_ms > 0 ? std::min(halves_ms, ms) : ms;
          }
      }
    }
    if constexpr (std::is_same_v<Exec, Cuda>) {
      peer = "best of halves";
      peer_ms = halves_ms;
    }
    for (Recompute recompute : {Recompute::coefficients, Recompute::all})
      for (int blocking : {2, 3, 4, 5, 6})
        add<double>({recompute, lmsor::Access::global, 4, blocking},
                    fmt::format("lsor, {}, blocking {}", text(recompute), blocking));
    peer_ms = 0;
    add<float>({Recompute::coefficients, lmsor::Access::global, 4}, "lsor, coefficients, 4");
    add<float>({Recompute::coefficients, lmsor::Access::global, 2}, "lsor, coefficients, 2");
    add<float>({Recompute::coefficients, lmsor::Access::global, 4, 4}, "lsor, coefficients, blocking 4");
  }
};

template <class Exec>
void run(Exec& exec, const bench::Options& options) {
  bench::Report report("lmsor", Exec::name, bench::device_name(exec), bench::copy_bandwidth(exec));
  std::vector<Index> sizes =
      options.quick ? std::vector<Index>{255, 511} : std::vector<Index>{1023, 2047, 4095, 8191, 16383};
  if (const char* asked = std::getenv("LMSOR_SIZES")) {
    sizes.clear();
    std::istringstream words(asked);
    for (Index m; words >> m;) sizes.push_back(m);
  }
  for (Index m : sizes) {
    Case<Exec>{exec, report, options, m}.run();
    report.write(fmt::format("{}/lmsor_{}.json", options.out, Exec::name));
  }
}

}  // namespace

int main(int argc, char** argv) {
  keep_freed_memory();
  const bench::Options options = bench::parse_options(argc, argv);
  bench::on_backends(options, [&](auto& exec) { run(exec, options); });
}
