// Edge loops in every strategy: the Laplacian, and the low-order Euler residual. Set-up and loop apart; results are
// checked against a product with the assembled matrix, or against the strategy `nodes`.
#include <fmt/format.h>

#include <chrono>
#include <cmath>

#include "assembly/edge/functions.hpp"
#include "assembly/space/sparsity.hpp"
#include "base/error.hpp"
#include "bench/support/bench.hpp"
#include "linalg/spmv.hpp"
#include "mesh/box.hpp"
#include "mesh/numbering.hpp"
#include "mesh/params.hpp"
#include "physics/forms/euler_edges.hpp"

using namespace tessera;

namespace {

using assembly::EdgeStrategy;

template <class Work>
double seconds_of(Work work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

mesh::Mesh make_box(const char* shape, int cells) {
  mesh::BoxParams box;
  box.shape = shape;
  box.cells.assign(static_cast<std::size_t>(mesh::dimension(mesh::shape_from_name(shape))), cells);
  return mesh::make_box(box);
}

/// Gas near rest: density about 1, velocity small, pressure about 2.
std::vector<double> gas(Index nodes, int dim) {
  std::vector<double> u = bench::random_values(Offset{nodes} * (dim + 2), 7);
  for (double& v : u) v *= 0.2;
  for (Index n = 0; n < nodes; ++n) {
    u[static_cast<std::size_t>(n)] += 1;
    u[static_cast<std::size_t>(Offset{nodes} * (dim + 1) + n)] += 5;
  }
  return u;
}

/// Stops the program where two results differ by more than round-off.
void check(const std::vector<double>& a, const std::vector<double>& b, const std::string& what) {
  double size = 0, difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    size = std::max(size, std::abs(b[i]));
    difference = std::max(difference, std::abs(a[i] - b[i]));
  }
  if (!(difference <= 1e-12 * size))
    throw Error(ExitCode::internal, fmt::format("{}: results differ by {:.1e} of {:.1e}", what, difference, size));
}

template <class Exec>
struct Bench {
  using Space = typename Exec::Space;
  Exec& exec;
  bench::Report& report;
  std::string size;
  const assembly::EdgeList<Space>& edges;

  /// Rows of one function: `expected` (empty: the first strategy's result) is what each result is checked against.
  template <class F>
  void vector(assembly::EdgeLoop<Space>& loop, double setup, const char* what, const F& function,
              const std::vector<double>& u, std::vector<double>& expected) {
    const auto there = to_space<Space>(u);
    Array<double, Space> f(Offset{edges.nodes} * F::outputs);
    bench::Row row;
    row.name = fmt::format("{}, {}", what, assembly::name(loop.strategy));
    row.size = size;
    row.bytes = assembly::edge_loop_bytes<F>(loop);
    row.items = edges.nodes;
    row.item = "nodes";
    row.timing =
        bench::measure(exec, [&] { assembly::run_edges(exec, loop, function, View<const double>(there), f.view()); });
    exec.synchronize();
    std::vector<double> result = to_vector(f);
    if (expected.empty())
      expected = std::move(result);
    else
      check(result, expected, row.name);
    row.note = fmt::format("{:.0f} B a node, set-up {:.2f} s", row.bytes / edges.nodes, setup);
    if (loop.colours()) row.note += fmt::format(", {} colours", loop.colours());
    report.add(row);
  }

  template <class G>
  void matrix(assembly::EdgeLoop<Space>& loop, const char* what, const G& function, const std::vector<double>& u,
              linalg::Crs<Space>& A) {
    const auto there = to_space<Space>(u);
    bench::Row row;
    row.name = fmt::format("{}, {}", what, assembly::name(loop.strategy));
    row.size = size;
    row.bytes = assembly::edge_matrix_bytes<G>(loop);
    row.items = edges.nodes;
    row.item = "nodes";
    row.timing =
        bench::measure(exec, [&] { assembly::assemble_edges(exec, loop, function, View<const double>(there), A); });
    row.note = fmt::format("{:.0f} B a node", row.bytes / edges.nodes);
    report.add(row);
  }
};

template <int dim, class Exec>
void run_mesh(Exec& exec, bench::Report& report, const mesh::Mesh& mesh, const std::string& label) {
  using Space = typename Exec::Space;
  const assembly::DofMap map = assembly::make_dof_map(mesh, 1);
  assembly::EdgeList<Space> edges;
  const double setup = seconds_of([&] {
    edges = assembly::make_edges(exec, mesh, map);
    exec.synchronize();
  });
  fmt::print("{}: {} nodes, {} edges, made in {:.2f} s, {:.0f} B a node\n", label, edges.nodes, edges.edges, setup,
             edges.bytes() / edges.nodes);
  linalg::Crs<Space> A = assembly::make_sparsity(exec, map);
  Bench<Exec> bench{exec, report, fmt::format("{}, {:.1f} M nodes", label, edges.nodes / 1e6), edges};
  const std::vector<double> u = bench::random_values(map.dofs, 3), state = gas(map.dofs, dim);
  const std::vector<double> velocity = bench::random_values(Offset{map.dofs} * dim, 5);
  std::vector<double> product, residual;
  for (const auto& entry : assembly::edge_strategies()) {
    assembly::EdgeLoop<Space> loop;
    const double seconds = seconds_of([&] { loop = assembly::make_edge_loop(exec, edges, entry.strategy); });
    bench.matrix(loop, "upwind matrix", assembly::DiscreteUpwinding<dim>{}, velocity, A);
    if (product.empty()) {  // S u by the matrix that the edges write
      assembly::assemble_edges(exec, loop, assembly::StiffnessMatrix<dim>{}, View<const double>(), A);
      const auto x = to_space<Space>(u);
      Array<double, Space> y(map.dofs);
      linalg::spmv(exec, std::as_const(A).view(), View<const double>(x), y.view());
      exec.synchronize();
      product = to_vector(y);
    }
    bench.vector(loop, seconds, "Laplacian", assembly::Laplacian<dim, 1>{}, u, product);
    bench.vector(loop, seconds, fmt::format("Euler {}-D", dim).c_str(), physics::euler::EulerRusanov<dim>{}, state,
                 residual);
  }
}

template <class Exec>
void run(Exec& exec, const bench::Options& options) {
  const bool small = options.quick || std::is_same_v<typename Exec::Space, Host>;
  bench::Report report("edge", Exec::name, bench::device_name(exec), bench::copy_bandwidth(exec));
  run_mesh<2>(exec, report, make_box("triangle", options.quick ? 100 : small ? 700 : 2828), "triangles");
  mesh::Mesh tets = make_box("tet", options.quick ? 20 : small ? 80 : 160);
  run_mesh<3>(exec, report, tets, "tets");
  report.write(fmt::format("{}/edge_{}.json", options.out, Exec::name));
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Options options = bench::parse_options(argc, argv);
  bench::on_backends(options, [&](auto& exec) { run(exec, options); });
}
