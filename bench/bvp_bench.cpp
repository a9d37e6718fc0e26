// The two-point problem: every method's time against the least bytes and its peers, and the tables of relative errors
// of Stpiczynski & Potiopa (IMCSIT 2010), whose five variants are A1 (sequential) and A2 (divide and conquer, r = s =
// sqrt(n)) in single (S), double (D) and mixed precision (SD). Peers: cuSPARSE for the scan on CUDA, A1D on one core
// for the rest.
#include <fmt/format.h>

#include <cmath>

#include "base/reduce_pair.hpp"
#include "bench/support/gtsv_peer.hpp"
#include "solvers/two_point/square_blocked.hpp"
#include "solvers/two_point/two_point.hpp"

using namespace tessera;
using solvers::SolverParams;
using solvers::two_point::ColumnsParams;
using solvers::two_point::SquareBlockedParams;

namespace {

constexpr double pi = 3.14159265358979323846;

struct Problem {
  const char* name;
  double (*f)(double x);
  double (*u)(double x);
};
constexpr Problem problems[] = {
    {"P1", [](double x) { return pi * pi / 4 * std::cos(pi / 2 * x); }, [](double x) { return std::cos(pi / 2 * x); }},
    {"P2", [](double x) { return 20000 * std::exp(-100 * x * x) * (1 - 200 * x * x); },
     [](double x) { return 100 * std::exp(-100 * x * x) - 100 * std::exp(-100.0); }},
};

/// Relative errors of tables I and II for n = 2^20, 2^22 ... 2^28.
struct Published {
  const char *problem, *variant;
  double error[5];
};
constexpr Published published[] = {
    {"P1", "A1S", {1.732620e-04, 3.847218e-03, 2.864740e-02, 6.955456e-01, 9.801750e-01}},
    {"P1", "A1D", {1.930917e-13, 2.545430e-14, 5.558266e-14, 1.703449e-13, 1.078518e-13}},
    {"P1", "A2S", {6.381482e-07, 9.156066e-07, 3.364642e-06, 2.283507e-05, 1.238516e-05}},
    {"P1", "A2D", {1.877603e-13, 1.265400e-14, 1.419160e-15, 2.604335e-15, 4.416135e-15}},
    {"P1", "A2SD", {2.569113e-07, 2.232157e-07, 3.982652e-07, 2.496036e-06, 3.569703e-06}},
    {"P2", "A1S", {2.618970e-03, 8.263400e-03, 4.822094e-02, 1.723210e-01, 2.839243e-01}},
    {"P2", "A1D", {1.314334e-11, 9.951346e-13, 5.650246e-13, 1.884351e-12, 6.616377e-13}},
    {"P2", "A2S", {2.893085e-06, 5.194502e-06, 2.334787e-05, 6.568387e-05, 1.179028e-05}},
    {"P2", "A2D", {1.312754e-11, 8.205207e-13, 5.152762e-14, 6.961652e-15, 1.320262e-14}},
    {"P2", "A2SD", {1.341402e-07, 1.115430e-05, 1.634096e-05, 4.321754e-05, 6.531590e-06}},
};

std::string beside_published(const Problem& problem, const std::string& variant, int log2n, double error) {
  std::string text = fmt::format("relative error {:.3e}", error);
  for (const Published& row : published)
    if (row.problem == std::string(problem.name) && row.variant == variant && log2n >= 20)
      text += fmt::format(" (source {:.3e})", row.error[(log2n - 20) / 2]);
  return text;
}

/// Fills values[i] with function(i / n).
template <class T>
void evaluate(double (*function)(double), Array<T>& values) {
  const Offset n = values.size();
  parallel_for(default_threads(), n, [&](Offset i) {
    values[i] = static_cast<T>(function(static_cast<double>(i) / static_cast<double>(n)));
  });
}

template <class T>
double relative_error(const Array<T>& u, double (*exact)(double)) {
  const Offset n = u.size();
  double difference = 0, norm = 0;
  Threads exec;
  const auto squares = [&](Offset i) -> Pair {
    const double value = exact(static_cast<double>(i) / static_cast<double>(n)), d = static_cast<double>(u[i]) - value;
    return {d * d, value * value};
  };
  reduce_pair(exec, n, squares, &difference, &norm);
  return std::sqrt(difference / norm);
}

/// What is measured on one grid.
template <class Exec>
struct Case {
  Exec& exec;
  bench::Report& report;
  const Problem& problem;
  int log2n;
  double a1d_ms = 0;

  Offset n() const { return Offset{1} << log2n; }
  double h() const { return 1.0 / static_cast<double>(n()); }

  /// One variant; `variant` is its name in the tables, or a name of ours.
  template <class T, class R, class E>
  void add(E& where, const std::string& variant, const SolverParams& params) {
    using Space = typename E::Space;
    const auto solver = solvers::make_two_point<E, T, R>(where, n(), params);
    Array<T> values(n());
    evaluate(problem.f, values);
    Array<T, Space> f(n()), u(n());
    copy(values, f);
    bench::Row row;
    row.name = fmt::format("{} {}", problem.name, variant);
    row.size = fmt::format("2^{}", log2n);
    row.bytes = 3.0 * sizeof(T) * static_cast<double>(n());  // the least: f twice, u once
    row.items = static_cast<double>(n());
    row.item = "unknowns";
    row.timing = bench::measure(
        where, [&] { solver->solve(where, h(), f, u.view()); }, params.type == "sequential" ? 1 : 5);
    copy(u, values);
    row.note = beside_published(problem, variant, log2n, relative_error(values, problem.u));
    if (variant == "A1D") a1d_ms = row.timing.median_ms;
    if constexpr (std::is_same_v<E, Cuda> && std::is_same_v<T, double>) {
      if (params.type == "scan" && log2n <= 26 && &problem == problems) {  // it sees the same matrix for both
        const bench::Peer peer = bench::gtsv_nopivot_peer(where, h(), f, u);
        row.peer = peer.name;
        row.peer_ms = peer.ms;
        row.note += fmt::format(", differs from the peer by {:.1e}", peer.difference);
      }
    }
    if (row.peer.empty() && a1d_ms > 0 && variant != "A1D") {
      row.peer = "A1D, one core";
      row.peer_ms = a1d_ms;
    }
    report.add(row);
  }

  void run() {
    const SolverParams square{.type = "divide_and_conquer", .method = ColumnsParams{1 << (log2n / 2)}},
        own{.type = "divide_and_conquer"};
    const SolverParams scan{.type = "scan"}, sequential{.type = "sequential"};
    Threads host;
    add<double, double>(host, "A1D", sequential);
    add<float, float>(host, "A1S", sequential);
    add<double, double>(exec, "A2D", square);
    add<float, float>(exec, "A2S", square);
    add<float, double>(exec, "A2SD", square);
    add<double, double>(exec, "divide and conquer, double", own);
    add<float, double>(exec, "divide and conquer, mixed", own);
    if constexpr (std::is_same_v<Exec, Threads>)
      for (int block : {8, 16, 32, 64}) {
        const SolverParams blocked{.type = "square_blocked", .method = SquareBlockedParams{1 << (log2n / 2), block}};
        add<double, double>(exec, fmt::format("square blocks of {}, double", block), blocked);
      }
    add<double, double>(exec, "scan, double", scan);
    add<float, float>(exec, "scan, float", scan);
    add<float, double>(exec, "scan, mixed", scan);
  }
};

template <class Exec>
void run(Exec& exec, const bench::Options& options) {
  const bool on_gpu = std::is_same_v<Exec, Cuda>;
  bench::Report report("bvp", Exec::name, bench::device_name(exec), bench::copy_bandwidth(exec));
  const double room =
      on_gpu ? static_cast<double>(cuda_info().free_bytes) : static_cast<double>(host_bytes_available());
  for (int log2n : options.quick ? std::vector{16, 20} : std::vector{20, 22, 24, 26, 28})
    for (const Problem& problem : problems) {
      if (64.0 * static_cast<double>(Offset{1} << log2n) > room) continue;
      Case<Exec>{exec, report, problem, log2n}.run();
      report.write(fmt::format("{}/bvp_{}.json", options.out, Exec::name));
    }
}

}  // namespace

int main(int argc, char** argv) {
  keep_freed_memory();
  const bench::Options options = bench::parse_options(argc, argv);
  bench::on_backends(options, [&](auto& exec) { run(exec, options); });
}
