// Fast Poisson solvers on n^2 and n^3 grids: block cyclic reduction of radix 2 and 4, and sine transforms (cuFFT's or
// FFTW's), in one process on the same right-hand side; CUDA also beside all cores. Bytes are those of one pass over f
// and u.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "bench/support/bench.hpp"
#include "solvers/grid/fast_poisson.hpp"

using namespace tessera;
using solvers::grid::FastPoisson;
using solvers::grid::FastPoissonOptions;
using solvers::grid::GridProblem;

namespace {

GridProblem cube(int dim, Index n) {
  const double h = 1.0 / (n + 1);
  return {dim, {n, n, dim == 3 ? n : 1}, {h, h, h}};
}

template <class T>
double largest_difference(const std::vector<T>& a, const std::vector<double>& b) {
  double difference = 0, size = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference = std::max(difference, std::abs(static_cast<double>(a[i]) - b[i]));
    size = std::max(size, std::abs(b[i]));
  }
  return difference / size;
}

/// Milliseconds of radix 4 in double on threads, by size: the peer of CUDA.
using Times = std::map<std::string, double>;

template <class Exec>
struct Case {
  Exec& exec;
  bench::Report& report;
  int dim;
  Index n;
  Times& threads;
  int samples = 5;
  std::vector<double> f = {}, reference = {};  ///< reference: by sine transforms in double

  std::string size() const { return fmt::format("{}^{}", n, dim); }

  template <class T>
  bench::Row measure(const FastPoissonOptions& options) {
    using Space = typename Exec::Space;
    const GridProblem problem = cube(dim, n);
    FastPoisson<Exec, T> solver(exec, problem, options);
    const auto right = to_space<Space>(std::vector<T>(f.begin(), f.end()));
    Array<T, Space> u(right.size());
    bench::Row row;
    row.name = fmt::format("{}{}", options.method == "fft" ? "sine transforms" : fmt::format("radix {}", options.radix),
                           sizeof(T) == 4 ? ", float" : "");
    row.size = size();
    row.items = static_cast<double>(problem.unknowns());
    row.item = "unknowns";
    row.bytes = 2.0 * sizeof(T) * row.items;
    row.timing = bench::measure(
        exec, [&] { solver.solve(right, u); }, samples);
    const std::vector<T> found = to_vector(u);
    if (reference.empty())
      reference.assign(found.begin(), found.end());
    else
      row.note = fmt::format("differs by {:.1e}; moves {:.1f} times the bytes", largest_difference(found, reference),
                             solver.bytes() / row.bytes);
    return row;
  }

  void run() {
    f = bench::random_values(cube(dim, n).unknowns());
    const bench::Row fft = measure<double>({.method = "fft"});
    bench::Row two = measure<double>({.radix = 2}), four = measure<double>({.radix = 4});
    report.add(fft);
    two.peer = fft.name, two.peer_ms = fft.timing.median_ms;
    report.add(two);
    four.peer = two.name, four.peer_ms = two.timing.median_ms;
    report.add(four);
    four.peer = fft.name, four.peer_ms = fft.timing.median_ms;
    report.add(four);
    if constexpr (std::is_same_v<Exec, Threads>) {
      threads[size()] = four.timing.median_ms;
    } else if (threads.contains(size())) {
      four.peer = "radix 4, threads", four.peer_ms = threads[size()];
      report.add(four);
    }
    bench::Row single_fft = measure<float>({.method = "fft"}), single = measure<float>({.radix = 4});
    report.add(single_fft);
    single.peer = single_fft.name, single.peer_ms = single_fft.timing.median_ms;
    report.add(single);
  }
};

template <class Exec>
void run(Exec& exec, const bench::Options& options, Times& threads) {
  const bool on_gpu = std::is_same_v<Exec, Cuda>;
  bench::Report report("bcr", Exec::name, bench::device_name(exec), bench::copy_bandwidth(exec));
  const std::vector<std::pair<int, Index>> quick = {{2, 255}, {2, 1023}, {3, 63}},
                                           all = {{2, 255},  {2, 511},  {2, 1023}, {2, 2047}, {2, 4095},
                                                  {2, 8191}, {2, 1000}, {3, 63},   {3, 127},  {3, 255}};
  for (auto [dim, n] : options.quick ? quick : all) {
    if (!on_gpu && (n > 4095 || (dim == 3 && n > 127))) continue;
    if (!options.takes(fmt::format("{}^{}", n, dim))) continue;
    Case<Exec>{exec, report, dim, n, threads, on_gpu ? 5 : 3}.run();
    report.write(fmt::format("{}/bcr_{}.json", options.out, Exec::name));
  }
}

}  // namespace

int main(int argc, char** argv) {
  keep_freed_memory();
  const bench::Options options = bench::parse_options(argc, argv);
  Times threads;
  bench::on_backends(options, [&](auto& exec) { run(exec, options, threads); });
}
