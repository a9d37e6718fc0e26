// Tridiagonal systems, one and many: ours against cuSPARSE (CUDA), LAPACK and Thomas (threads) in the same process.
// Bytes are 5 entries a row: lower, diag, upper and right-hand side read, solution written.
#include <fmt/format.h>

#include "bench/support/peers_tridiagonal.hpp"
#include "linalg/vector_ops.hpp"
#include "solvers/tridiagonal/methods.hpp"
#include "solvers/tridiagonal/toeplitz.hpp"

using namespace tessera;
using solvers::TridiagonalCheck;
using solvers::TridiagonalLayout;
using solvers::TridiagonalMethod;

namespace {

/// Entries for all rows of the largest case; smaller ones use the front. Dominant, with zeros where systems of n rows
/// end.
template <class Space, class T>
struct Data {
  Array<T, Space> lower, diag, upper, rhs, x;

  Data(Index n, Index systems, TridiagonalLayout layout) : x(static_cast<Offset>(n) * systems) {
    const Offset rows = x.size();
    std::vector<double> a = bench::random_values(rows, 1), c = bench::random_values(rows, 2),
                        b = bench::random_values(rows, 3);
    for (Offset i = 0; i < rows; ++i) {
      const Offset k = layout == TridiagonalLayout::contiguous ? i % n : i / systems;
      if (k == 0) a[i] = 0;
      if (k == n - 1) c[i] = 0;
      b[i] = std::copysign(std::abs(a[i]) + std::abs(c[i]) + 0.1 * std::abs(b[i]), b[i]);
    }
    lower = place(a), diag = place(b), upper = place(c), rhs = place(bench::random_values(rows, 4));
  }
  static Array<T, Space> place(const std::vector<double>& values) {
    return to_space<Space>(std::vector<T>(values.begin(), values.end()));
  }
  solvers::Tridiagonal<T> matrix(Index n, Index systems,
                                 TridiagonalLayout layout = TridiagonalLayout::contiguous) const {
    const Offset rows = static_cast<Offset>(n) * systems;
    return {lower.view().part(0, rows), diag.view().part(0, rows), upper.view().part(0, rows), n, systems, layout};
  }
};

/// One method on one case, timed and its backward error formed.
template <class Exec, class T>
bench::Row measure_method(Exec& exec, TridiagonalMethod method, const solvers::Tridiagonal<T>& A, View<const T> rhs,
                          View<T> x) {
  solvers::TridiagonalSolver<Exec, T> solver({method, TridiagonalCheck::none});
  bench::Row row;
  row.name = fmt::format("{}{}{}", name_of(method), A.layout == TridiagonalLayout::interleaved ? ", interleaved" : "",
                         sizeof(T) == 4 ? ", float" : "");
  row.size = A.systems == 1 ? fmt::format("{} rows", A.n) : fmt::format("{} x {} rows", A.systems, A.n);
  row.bytes = 5.0 * sizeof(T) * static_cast<double>(A.rows());
  row.items = static_cast<double>(A.rows());
  row.item = "rows";
  row.timing = bench::measure(
      exec, [&] { solver.solve(exec, A, rhs, x); }, 7);
  solvers::tridiagonal::Workspace<typename Exec::Space> workspace;
  row.note =
      fmt::format("backward error {:.1e}",
                  solvers::tridiagonal::residual(exec, workspace, A, rhs, View<const T>(x)).backward_error(A.rows()));
  return row;
}

void add_peer(bench::Row& row, const bench::Peer& peer) {
  row.peer = peer.name;
  row.peer_ms = peer.ms;
  row.note += fmt::format(", differs from the peer by {:.1e}", peer.difference);
}

/// tridiag(-1, 2 + delta, -1), a shift a system as fast Poisson solvers have them; 2 entries a row: g read, v written.
template <class Space, class T>
struct ToeplitzData {
  std::vector<double> shifts;
  Array<double, Space> delta;
  Array<T, Space> g, v;

  ToeplitzData(Index n, Index systems) : v(static_cast<Offset>(n) * systems) {
    for (const double r : bench::random_values(systems, 5)) shifts.push_back(1e-4 + 4 * (r + 1));
    delta = to_space<Space>(shifts);
    g = Data<Space, T>::place(bench::random_values(v.size(), 4));
  }
};

template <class Exec, class T>
bench::Row measure_toeplitz(Exec& exec, ToeplitzData<typename Exec::Space, T>& data, Index n) {
  const Index systems = static_cast<Index>(data.shifts.size());
  solvers::ToeplitzSolver<Exec, T> solver;
  bench::Row row;
  row.name = fmt::format("toeplitz{}", sizeof(T) == 4 ? ", float" : "");
  row.size = fmt::format("{} x {} rows", systems, n);
  row.bytes = 2.0 * sizeof(T) * static_cast<double>(data.v.size());
  row.items = static_cast<double>(data.v.size());
  row.item = "rows";
  row.timing = bench::measure(exec, [&] {
    solver.solve(exec, {n, systems, data.delta.view()}, View<const T>(data.g.view()), data.v.view());
  });
  return row;
}

/// The same systems with their coefficients in memory, as general solvers want them.
template <class Space>
struct ExplicitToeplitz {
  Array<double, Space> lower, diag, upper;
  solvers::Tridiagonal<double> matrix;

  ExplicitToeplitz(const std::vector<double>& shifts, Index n) {
    const Index systems = static_cast<Index>(shifts.size());
    std::vector<double> a(static_cast<std::size_t>(n) * systems, -1.0), b(a), c(a);
    for (std::size_t i = 0; i < a.size(); ++i) {
      b[i] = 2 + shifts[i / n];
      if (i % n == 0) a[i] = 0;
      if (i % n == static_cast<std::size_t>(n - 1)) c[i] = 0;
    }
    lower = to_space<Space>(a), diag = to_space<Space>(b), upper = to_space<Space>(c);
    matrix = {lower.view(), diag.view(), upper.view(), n, systems};
  }
};

// Templates, so that builds without CUDA have none of them.

template <class Exec>
void one_system(Exec& exec, bench::Report& report, Index largest) {
  Data<Device, double> data(largest, 1, TridiagonalLayout::contiguous);
  for (const Index n : {largest / 4, largest}) {
    const auto A = data.matrix(n, 1);
    const View<const double> rhs = data.rhs.view().part(0, n);
    const View<double> x = data.x.view().part(0, n);
    bench::Row row = measure_method(exec, TridiagonalMethod::spike_cr, A, rhs, x);
    add_peer(row, bench::gtsv2_peer(exec, A, rhs, x, false));
    report.add(row);
    row = measure_method(exec, TridiagonalMethod::spike_pivoting, A, rhs, x);
    const bench::Peer pivoting = bench::gtsv2_peer(exec, A, rhs, x, true);
    add_peer(row, pivoting);
    report.add(row);
    row = measure_method(exec, TridiagonalMethod::spike_diagonal_pivoting, A, rhs, x);
    add_peer(row, pivoting);
    report.add(row);
  }
  const Index n = largest / 4;
  for (const auto method :
       {TridiagonalMethod::cyclic_reduction, TridiagonalMethod::cr_pcr, TridiagonalMethod::parallel_cyclic_reduction})
    report.add(measure_method(exec, method, data.matrix(n, 1), View<const double>(data.rhs.view().part(0, n)),
                              data.x.view().part(0, n)));
}

template <class Exec>
void one_system_in_float(Exec& exec, bench::Report& report, Index n) {
  Data<Device, float> data(n, 1, TridiagonalLayout::contiguous);
  for (const auto method : {TridiagonalMethod::spike_cr, TridiagonalMethod::spike_pivoting})
    report.add(measure_method(exec, method, data.matrix(n, 1), View<const float>(data.rhs.view()), data.x.view()));
}

template <class Exec>
void batch(Exec& exec, bench::Report& report, Index n, Index systems) {
  Data<Device, double> data(n, systems, TridiagonalLayout::contiguous);
  const auto A = data.matrix(n, systems);
  bench::Row row =
      measure_method(exec, TridiagonalMethod::spike_cr, A, View<const double>(data.rhs.view()), data.x.view());
  add_peer(row, bench::gtsv2_batch_peer(exec, A, data.rhs.view(), data.x.view()));
  report.add(row);
  report.add(
      measure_method(exec, TridiagonalMethod::spike_pivoting, A, View<const double>(data.rhs.view()), data.x.view()));
}

template <class Exec>
void toeplitz_batch(Exec& exec, bench::Report& report, Index n) {
  ToeplitzData<Device, double> data(n, n);
  bench::Row row = measure_toeplitz(exec, data, n);
  const ExplicitToeplitz<Device> matrices(data.shifts, n);
  add_peer(row, bench::gtsv2_batch_peer(exec, matrices.matrix, data.g.view(), data.v.view()));
  const double copy =
      bench::measure(exec, [&] { linalg::copy(exec, View<const double>(data.g.view()), data.v.view()); }).median_ms;
  row.note +=
      fmt::format(", {:.2f} of a copy of g to v", copy / row.timing.median_ms);  // small batches stay in the cache
  report.add(row);
  if (n == 4095) {
    ToeplitzData<Device, float> single(n, n);
    report.add(measure_toeplitz(exec, single, n));
  }
}

template <class Exec>
void interleaved(Exec& exec, bench::Report& report, Index n, Index systems) {
  Data<Device, double> data(n, systems, TridiagonalLayout::interleaved);
  const auto A = data.matrix(n, systems, TridiagonalLayout::interleaved);
  for (const bool pivoting : {false, true}) {
    bench::Row row = measure_method(exec, pivoting ? TridiagonalMethod::lu_pivoting : TridiagonalMethod::thomas, A,
                                    View<const double>(data.rhs.view()), data.x.view());
    add_peer(row, bench::gtsv_interleaved_peer(exec, A, data.rhs.view(), data.x.view(), pivoting));
    report.add(row);
  }
}

/// --only: "one system", "one system, float", "batch", "toeplitz", "interleaved".
template <class Exec>
void run_on_gpu(Exec& exec, const bench::Options& options) {
  bench::Report report("tridiagonal", "cuda", bench::device_name(exec), bench::copy_bandwidth(exec));
  const bool quick = options.quick;
  if (options.takes("one system")) one_system(exec, report, quick ? 1 << 20 : 1 << 26);
  if (options.takes("one system, float")) one_system_in_float(exec, report, quick ? 1 << 18 : 1 << 24);
  for (const auto& [n, systems] : {std::pair{1023, 1023}, {4095, 4095}, {64, 65536}})
    if (options.takes("batch") && !(quick && n > 2000)) batch(exec, report, n, systems);
  for (const Index n : {255, 1023, 4095, 8191})
    if (options.takes("toeplitz") && !(quick && n > 2000)) toeplitz_batch(exec, report, n);
  if (options.takes("interleaved")) interleaved(exec, report, 512, quick ? 4096 : 65536);
  report.write(fmt::format("{}/tridiagonal_cuda.json", options.out));
}

void run_on_host(Threads& exec, const bench::Options& options) {
  bench::Report report("tridiagonal", "threads", bench::device_name(exec), bench::copy_bandwidth(exec));
  for (const auto& [n, systems] :
       {std::pair{options.quick ? 1 << 18 : 1 << 22, 1}, {1023, options.quick ? 127 : 4095}}) {
    Data<Host, double> data(n, systems, TridiagonalLayout::contiguous);
    const auto A = data.matrix(n, systems);
    const View<const double> rhs = data.rhs.view();
    bench::Row thomas = measure_method(exec, TridiagonalMethod::thomas, A, rhs, data.x.view());
    report.add(thomas);
    bench::Row row = measure_method(exec, TridiagonalMethod::spike_cr, A, rhs, data.x.view());
    row.peer = "thomas";
    row.peer_ms = thomas.timing.median_ms;
    report.add(row);
    row = measure_method(exec, TridiagonalMethod::spike_pivoting, A, rhs, data.x.view());
    if (const auto peer = bench::dgtsv_peer(exec, A, rhs, data.x.view())) add_peer(row, *peer);
    report.add(row);
  }
  {
    const Index n = 1023, systems = options.quick ? 127 : 4095;
    ToeplitzData<Host, double> data(n, systems);
    bench::Row row = measure_toeplitz(exec, data, n);
    const ExplicitToeplitz<Host> matrices(data.shifts, n);
    if (const auto peer = bench::dgtsv_peer(exec, matrices.matrix, data.g.view(), data.v.view())) add_peer(row, *peer);
    report.add(row);
  }
  report.write(fmt::format("{}/tridiagonal_threads.json", options.out));
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Options options = bench::parse_options(argc, argv);
  bench::on_backends(options, [&](auto& exec) {
    if constexpr (std::is_same_v<decltype(exec), Cuda&>)
      run_on_gpu(exec, options);
    else
      run_on_host(exec, options);
  });
}
