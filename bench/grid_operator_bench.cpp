// y = A x of grid stencils without a matrix, against the product with the same matrix in CRS in the same process.
#include <fmt/format.h>

#include <cmath>

#include "bench/support/bench.hpp"
#include "linalg/spmv.hpp"
#include "linalg/vector_ops.hpp"
#include "solvers/grid/grid_operator.hpp"

using namespace tessera;
using solvers::grid::GridOperator;
using solvers::grid::GridProblem;
using solvers::grid::Stencil;

namespace {

/// Nodes of an axis for Cuda, Threads, and --quick.
struct Case {
  int dim;
  Stencil stencil;
  Index cuda, threads, quick;
};
constexpr Case cases[] = {
    {2, Stencil::star, 4095, 2047, 255}, {2, Stencil::star, 8191, 4095, 0}, {2, Stencil::tensor, 4095, 2047, 255},
    {3, Stencil::star, 255, 159, 31},    {3, Stencil::star, 447, 255, 0},   {3, Stencil::tensor, 255, 159, 31},
};
/// Largest matrix that is built as a peer, entries: building it on the host takes longer than measuring.
constexpr double most_entries = 1.2e8;

GridProblem problem(const Case& c, Index n) {
  const double h = 1.0 / (n + 1);
  return {c.dim, {n, n, c.dim == 3 ? n : 1}, {h, h, h}, 1, c.stencil};
}

/// The matrix of a grid; empty where it is too large.
linalg::Crs<Host> matrix(const GridProblem& grid) {
  const auto weights = solvers::grid::stencil_weights(grid);
  const Index n = grid.n[0];
  linalg::Crs<Host> A;
  const int reach = grid.dim == 3 ? 1 : 0;
  int width = 0;
  for (int place = 0; place < 8; ++place)
    if (weights[place] != 0) width += 1 << (place % 2 + place / 2 % 2 + place / 4);
  if (static_cast<double>(grid.unknowns()) * width > most_entries) return A;
  std::vector<Offset> row_ptr{0};
  std::vector<Index> col_ind;
  std::vector<double> values;
  for (Index row = 0; row < grid.unknowns(); ++row) {
    const Index i = row % n, j = row / n % n, k = row / n / n;
    for (int dz = -reach; dz <= reach; ++dz)
      for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx) {
          const double weight = weights[std::abs(dx) + 2 * std::abs(dy) + 4 * std::abs(dz)];
          if (weight == 0 || i + dx < 0 || i + dx >= n || j + dy < 0 || j + dy >= n || k + dz < 0 ||
              k + dz >= grid.n[2])
            continue;
          col_ind.push_back(row + dx + n * (dy + n * dz));
          values.push_back(weight);
        }
    row_ptr.push_back(static_cast<Offset>(col_ind.size()));
  }
  A.rows = A.cols = static_cast<Index>(grid.unknowns());
  A.row_ptr = to_space<Host>(row_ptr);
  A.col_ind = to_space<Host>(col_ind);
  A.values = to_space<Host>(values);
  return A;
}

template <class T, class Exec>
void run_case(Exec& exec, bench::Report& report, const Case& c, Index n) {
  using Space = typename Exec::Space;
  const GridProblem grid = problem(c, n);
  const GridOperator<Exec, T> A(grid);
  Array<T, Space> x(A.rows()), b(A.rows());
  linalg::fill_random(exec, x.view(), 1);
  linalg::fill_random(exec, b.view(), 2);
  Array<T, Space> y(A.rows());
  Array<double, Space> sum(1);

  bench::Row row;
  row.size = c.dim == 2 ? fmt::format("{}^2", n) : fmt::format("{}^3", n);
  row.items = A.rows();
  row.item = "nodes";
  const std::string name =
      fmt::format("{}{}", c.stencil == Stencil::star ? "star" : "tensor", sizeof(T) == 4 ? ", float" : "");
  if constexpr (std::is_same_v<T, double>) {
    if (const linalg::Crs<Host> host = matrix(grid); host.rows > 0) {
      linalg::Crs<Space> crs;
      crs.rows = crs.cols = host.rows;
      crs.row_ptr = to_space<Space>(std::span<const Offset>(host.row_ptr.begin(), host.row_ptr.end()));
      crs.col_ind = to_space<Space>(std::span<const Index>(host.col_ind.begin(), host.col_ind.end()));
      crs.values = to_space<Space>(std::span<const double>(host.values.begin(), host.values.end()));
      Array<double, Space> expected(A.rows());
      linalg::spmv(exec, crs.view(), View<const double>(x), expected.view());
      A.apply(exec, x, y);
      const std::vector<double> found = to_vector(y), right = to_vector(expected);
      double difference = 0, largest = 0;
      for (std::size_t i = 0; i < found.size(); ++i) {
        difference = std::max(difference, std::abs(found[i] - right[i]));
        largest = std::max(largest, std::abs(right[i]));
      }
      row.note = fmt::format("differs by {:.1e}", difference / largest);
      row.peer = "CRS";
      row.peer_ms = bench::measure(exec, [&] {
                      linalg::spmv(exec, crs.view(), View<const double>(x), expected.view());
                    }).median_ms;
    }
  }
  const auto add = [&](const char* what, double vectors, const std::function<void()>& work) {
    row.name = name + what;
    row.bytes = vectors * sizeof(T) * A.rows();
    row.timing = bench::measure(exec, work);
    report.add(row);
    row.peer = row.note = "";
    row.peer_ms = 0;
  };
  add(": A x", 2, [&] { A.apply(exec, x, y); });
  add(": A x and (x, A x)", 2, [&] { A.apply_dot(exec, x, y, sum.data()); });
  add(": b - A x and its norm", 3, [&] { A.residual(exec, x, b, y, sum.data()); });
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Options options = bench::parse_options(argc, argv);
  bench::on_backends(options, [&](auto& exec) {
    using Exec = std::remove_reference_t<decltype(exec)>;
    bench::Report report("grid_operator", Exec::name, bench::device_name(exec), bench::copy_bandwidth(exec));
    for (const Case& c : cases) {
      const Index n = options.quick ? c.quick : std::is_same_v<Exec, Cuda> ? c.cuda : c.threads;
      if (n == 0 || !options.takes(c.stencil == Stencil::star ? "star" : "tensor")) continue;
      run_case<double>(exec, report, c, n);
      run_case<float>(exec, report, c, n);
    }
    report.write(fmt::format("{}/grid_operator_{}.json", options.out, Exec::name));
  });
}
