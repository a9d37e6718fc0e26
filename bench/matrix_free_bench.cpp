// y = A x without an assembled matrix: hexes and quads of order 1 to 8 by sum factorisation, dofs a second; where an
// assembled matrix fits, its product in the format that "auto" takes stands beside it. Inner nodes are moved, so no
// cell is a parallelepiped.
#include <fmt/format.h>

#include <cmath>

#include "assembly/cells/assembler.hpp"
#include "assembly/matrix_free/operator.hpp"
#include "base/error.hpp"
#include "bench/support/bench.hpp"
#include "forms/diffusion.hpp"
#include "linalg/formats.hpp"
#include "mesh/box.hpp"
#include "mesh/params.hpp"

using namespace tessera;

namespace {

struct Case {
  const char* shape;
  int order;
  int cells;  ///< an axis
  int quick_cells;
  bool assembled;  ///< whether the matrix is measured too
};

mesh::Mesh make_mesh(const char* shape, int cells) {
  const int dim = mesh::dimension(mesh::shape_from_name(shape));
  mesh::BoxParams box;
  box.shape = shape;
  box.cells.assign(static_cast<std::size_t>(dim), cells);
  box.min.resize(static_cast<std::size_t>(dim));
  box.max.resize(static_cast<std::size_t>(dim));
  mesh::Mesh mesh = mesh::make_box(box);
  for (Index n = 0; n < mesh.nodes(); ++n) {
    double* x = mesh.points.data() + 3 * static_cast<std::size_t>(n);
    double bump = 0.1;
    for (int d = 0; d < dim; ++d) bump *= std::sin(3.14159265358979 * x[d]);
    for (int d = 0; d < dim; ++d) x[d] += bump * (d + 1) * 0.5;
  }
  return mesh;
}

double difference(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0, size = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    largest = std::max(largest, std::abs(a[i] - b[i]));
    size = std::max(size, std::abs(b[i]));
  }
  return largest / size;
}

template <class Exec>
struct Bench {
  using Space = typename Exec::Space;
  Exec& exec;
  bench::Report& report;
  const mesh::Mesh& mesh;
  const assembly::DofMap& dofs;
  std::string cells;  ///< "Q2 hexes"
  forms::DiffusionData data;
  Array<double, Space> x, y, b;
  std::vector<double> reference;  ///< A x by the first path measured

  Bench(Exec& e, bench::Report& r, const mesh::Mesh& m, const assembly::DofMap& d)
      : exec(e),
        report(r),
        mesh(m),
        dofs(d),
        cells(fmt::format("Q{} {}", d.order, m.dim == 3 ? "hexes" : "quads")),
        x(to_space<Space>(bench::random_values(d.dofs, 2))),
        y(d.dofs),
        b(d.dofs) {
    data.k.values = {1.0};
  }

  /// Against the first path; against round-off: A 1 = 0.
  std::string check(const linalg::Operator<Exec>& A) {
    A.apply(exec, x.view(), y.view());
    const std::vector<double> first = to_vector(y);
    A.apply(exec, x.view(), y.view());
    if (first != to_vector(y)) throw Error(ExitCode::internal, "two applications differ");
    double size = 0;
    for (const double value : first) size = std::max(size, std::abs(value));
    const auto ones = to_space<Space>(std::vector<double>(static_cast<std::size_t>(dofs.dofs), 1.0));
    A.apply(exec, ones.view(), y.view());
    double of_ones = 0;
    for (const double value : to_vector(y)) of_ones = std::max(of_ones, std::abs(value));
    if (of_ones > 1e-11 * size)
      throw Error(ExitCode::internal, fmt::format("A 1 = {:.1e}, A x = {:.1e}", of_ones, size));
    if (reference.empty()) {
      reference = first;
      return fmt::format("A 1 = {:.1e} of A x", of_ones / size);
    }
    const double off = difference(first, reference);
    if (off > 1e-11) throw Error(ExitCode::internal, fmt::format("differs from the first path by {:.1e}", off));
    return fmt::format("differs from the first path by {:.1e}", off);
  }

  void measure(const std::string& name, const linalg::Operator<Exec>& A, const std::string& note, double peer_ms = 0) {
    bench::Row row;
    row.name = fmt::format("{}, {}", name, cells);
    row.size = fmt::format("{} dofs", dofs.dofs);
    row.bytes = A.bytes();
    row.items = dofs.dofs;
    row.item = "dofs";
    row.note = note;
    if (peer_ms > 0) row.peer = "assembled", row.peer_ms = peer_ms;
    row.timing = bench::measure(exec, [&] { A.apply(exec, x.view(), y.view()); });
    report.add(row);
  }

  void run(const std::string& name, const assembly::MatrixFreeOptions& options, double assembled_ms,
           bool with_float = false) {
    assembly::MatrixFree<Exec, forms::Diffusion> A(exec, mesh, dofs, options);
    A.assemble(exec, data, {}, b.view());
    measure(name, A, check(A), assembled_ms);
    if (with_float) run_float(name, *A.to_float(exec));
  }

  /// Milliseconds of the assembled matrix in the format that "auto" takes.
  double run_assembled() {
    assembly::Assembler<Exec, forms::Diffusion> assembler(exec, mesh, dofs);
    linalg::Crs<Space> A = assembler.make_matrix();
    assembler.assemble(data, A, b.view());
    const auto product = linalg::make_operator(exec, A, "auto");
    measure(fmt::format("assembled, {}", product->format()), *product, check(*product));
    return bench::measure(exec, [&] { product->apply(exec, x.view(), y.view()); }).median_ms;
  }

  void run_float(const std::string& name, const linalg::Operator<Exec, float>& A) {
    const std::vector<double> values = bench::random_values(dofs.dofs, 2);
    const auto xf = to_space<Space>(std::vector<float>(values.begin(), values.end()));
    Array<float, Space> yf(dofs.dofs);
    A.apply(exec, xf.view(), yf.view());
    const std::vector<float> result = to_vector(yf);
    const double off = difference({result.begin(), result.end()}, reference);
    if (off > 1e-4) throw Error(ExitCode::internal, fmt::format("float differs by {:.1e}", off));
    bench::Row row;
    row.name = fmt::format("{}, float, {}", name, cells);
    row.size = fmt::format("{} dofs", dofs.dofs);
    row.bytes = A.bytes();
    row.items = dofs.dofs;
    row.item = "dofs";
    row.note = fmt::format("differs by {:.1e}", off);
    row.timing = bench::measure(exec, [&] { A.apply(exec, xf.view(), yf.view()); });
    report.add(row);
  }
};

template <class Exec>
void run(Exec& exec, const bench::Options& options) {
  const bool on_gpu = std::is_same_v<typename Exec::Space, Device>;
  bench::Report report("matrix_free", Exec::name, bench::device_name(exec), bench::copy_bandwidth(exec));
  std::vector<Case> cases = {{"hex", 1, on_gpu ? 200 : 64, 12, !on_gpu}, {"hex", 2, on_gpu ? 100 : 32, 8, !on_gpu},
                             {"hex", 3, on_gpu ? 80 : 21, 6, !on_gpu},   {"hex", 4, on_gpu ? 64 : 16, 4, !on_gpu},
                             {"hex", 6, on_gpu ? 42 : 12, 3, false},     {"hex", 8, on_gpu ? 32 : 9, 2, false}};
  for (int order = 1; order <= 8; ++order)
    cases.push_back({"quad", order, (on_gpu ? 2400 : 500) / order, 24 / order, order <= 4});
  for (const Case& c : cases) {
    if (!options.takes(fmt::format("Q{} {}", c.order, c.shape))) continue;
    const mesh::Mesh mesh = make_mesh(c.shape, options.quick ? c.quick_cells : c.cells);
    const assembly::DofMap dofs = assembly::make_dof_map(mesh, c.order, options.threads);
    Bench<Exec> bench(exec, report, mesh, dofs);
    const double assembled_ms = c.assembled ? bench.run_assembled() : 0;
    bench.run("sum factorisation", {.method = "sum_factorisation"}, assembled_ms, true);
    bench.run("sum factorisation, stored tensors", {.method = "sum_factorisation", .geometry = "stored"}, assembled_ms);
    if (c.order <= 2) bench.run("element matrices", {.method = "local_matrices", .geometry = "auto"}, assembled_ms);
  }
  report.write(fmt::format("{}/matrix_free_{}.json", options.out, Exec::name));
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Options options = bench::parse_options(argc, argv);
  bench::on_backends(options, [&](auto& exec) { run(exec, options); });
}
