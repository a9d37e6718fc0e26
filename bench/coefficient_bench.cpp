// Coefficients as expressions, evaluated at the quadrature points of all cells on the backend. The peer on CUDA is what
// threads take for the same values and a copy to the device.
//   coefficient_bench [options of every bench]
#include <fmt/format.h>

#include <cmath>

#include "assembly/cells/coefficient_expressions.hpp"
#include "assembly/space/quadrature_points.hpp"
#include "bench/support/bench.hpp"
#include "mesh/box.hpp"

using namespace tessera;

namespace {

struct Case {
  const char* shape;
  int order;
  int cells, quick_cells;  ///< an axis
  const char* name;
  std::vector<assembly::RegionExpressions> coefficients;  ///< [coefficients][regions][components]
};

assembly::RegionExpressions one(const std::string& text) { return {{deck::Expression(text)}}; }

std::vector<Case> make_cases() {
  const auto k = one("1+x^2"), c = one("exp(-(x^2+y^2))"), f = one("sin(pi*x)*sin(pi*y)*sin(pi*z)");
  const assembly::RegionExpressions two = {{deck::Expression("1+0.5*sin(20*pi*x)*sin(20*pi*y)")},
                                           {deck::Expression("(x-0.5)^2+(y-0.5)^2 < 0.04 ? 100 : 1")}};
  // 280^3 cubes of six tets: 22 M dofs of order 1; 140^3: of order 2.
  return {{"tet", 1, 280, 20, "k", {k}},
          {"tet", 1, 280, 20, "k, c, f", {k, c, f}},
          {"tet", 1, 280, 20, "k of two", {two}},
          {"tet", 2, 140, 10, "k", {k}},
          {"tet", 2, 140, 10, "k, c, f", {k, c, f}},
          {"hex", 2, 140, 10, "k, c, f", {k, c, f}}};
}

mesh::Mesh make_mesh(const Case& c, int cells) {
  mesh::BoxParams box;
  box.min.assign(3, 0.0);
  box.max.assign(3, 1.0);
  box.cells.assign(3, cells);
  box.shape = c.shape;
  return mesh::make_box(box, 1);
}

template <class Exec>
void run(Exec& exec, const Case& c, const bench::Options& options, bench::Report& report) {
  using Space = typename Exec::Space;
  constexpr bool on_gpu = std::is_same_v<Space, Device>;
  const int cells = options.quick ? c.quick_cells : on_gpu ? c.cells : c.cells / 5;
  const std::string name = fmt::format("P{} {}, {}", c.order, c.shape, c.name);
  if (!options.takes(name)) return;
  const mesh::Mesh mesh = make_mesh(c, cells);
  const assembly::DofMap dofs = assembly::make_dof_map(mesh, c.order, options.threads);
  std::vector<Index> region;
  for (Index cell = 0; c.coefficients[0].size() > 1 && cell < mesh.cells(); ++cell)
    region.push_back(cell < mesh.cells() / 2);
  const Offset points = assembly::QuadraturePoints(mesh, dofs).before(1);
  const mesh::CellBlock& block = mesh.blocks[0];
  const auto coordinates = to_space<Space>(mesh.points);
  const auto geometry = to_space<Space>(block.nodes);
  std::vector<Array<double, Space>> arrays;
  std::vector<double*> values;
  for (std::size_t k = 0; k < c.coefficients.size(); ++k) values.push_back(arrays.emplace_back(points).data());
  assembly::CoefficientEvaluator<Exec> evaluator(exec, mesh, dofs, region, c.coefficients);
  const assembly::PlacedCells placed{coordinates.data(), geometry.data(), block.nodes_per_cell};
  bench::Row row;
  row.name = name;
  row.size = fmt::format("{} dofs, {} points", dofs.dofs, points);
  row.timing = bench::measure(
      exec, [&] { evaluator.evaluate(exec, 0, placed, 0, values); }, 7);
  // Cells, nodes and values once.
  row.bytes = 4.0 * static_cast<double>(block.nodes.size()) + 8.0 * static_cast<double>(mesh.points.size()) +
              8.0 * static_cast<double>(points) * static_cast<double>(values.size());
  row.items = static_cast<double>(points);
  row.item = "points";
  if constexpr (on_gpu) {
    Threads threads(options.threads);
    std::vector<Array<double, Host>> on_host;
    std::vector<double*> there;
    for (std::size_t k = 0; k < values.size(); ++k) there.push_back(on_host.emplace_back(points).data());
    assembly::CoefficientEvaluator<Threads> of_threads(threads, mesh, dofs, region, c.coefficients);
    const assembly::PlacedCells here{mesh.points.data(), block.nodes.data(), block.nodes_per_cell};
    row.peer = "threads and copy";
    row.peer_ms = bench::measure(
                      exec,
                      [&] {
                        of_threads.evaluate(threads, 0, here, 0, there);
                        for (std::size_t k = 0; k < arrays.size(); ++k) copy(on_host[k], arrays[k]);
                      },
                      3)
                      .median_ms;
    evaluator.evaluate(exec, 0, placed, 0, values);
    double off = 0;
    for (std::size_t k = 0; k < arrays.size(); ++k) {
      const std::vector<double> found = to_vector(arrays[k]);
      for (Offset i = 0; i < points; ++i)
        off = std::max(off, std::abs(found[static_cast<std::size_t>(i)] - on_host[k][i]));
    }
    row.note = fmt::format("differs by {:.1e}", off);
  }
  report.add(row);
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Options options = bench::parse_options(argc, argv);
  bench::on_backends(options, [&](auto& exec) {
    using Exec = std::remove_reference_t<decltype(exec)>;
    bench::Report report("coefficient", Exec::name, bench::device_name(exec), bench::copy_bandwidth(exec));
    for (const Case& c : make_cases()) run(exec, c, options, report);
    report.write(fmt::format("{}/coefficient_{}.json", options.out, Exec::name));
  });
}
