// Numeric assembly of the diffusion operator into compressed rows: set-up and refill apart, in elements per second.
#include <fmt/format.h>

#include <chrono>

#include "assembly/assemble.hpp"
#include "bench/support/bench.hpp"
#include "mesh/box.hpp"
#include "mesh/params.hpp"

using namespace tessera;

namespace {

struct Case {
  const char* shape;
  int order;
  int cells, quick_cells;
};

template <class Exec>
void run(Exec& exec, const bench::Options& options) {
  using Space = typename Exec::Space;
  const bool on_gpu = std::is_same_v<Space, Device>;
  bench::Report report("assembly", Exec::name, bench::device_name(exec), bench::copy_bandwidth(exec));
  for (const Case& c : {Case{"tet", 1, on_gpu ? 160 : 100, 30}, Case{"triangle", 1, on_gpu ? 3000 : 1000, 200}, Case{"hex", 1, 100, 30},
                        Case{"tet", 2, on_gpu ? 80 : 40, 14}, Case{"hex", 2, on_gpu ? 64 : 32, 10}, Case{"tet", 3, on_gpu ? 40 : 20, 8}}) {
    const int n = options.quick ? c.quick_cells : c.cells;
    const bool flat = std::string(c.shape) == "triangle";
    mesh::BoxParams box;
    box.shape = c.shape;
    box.cells.assign(flat ? 2 : 3, n);
    const mesh::Mesh mesh = mesh::make_box(box);
    const assembly::DofMap dofs = assembly::make_dof_map(mesh, c.order, options.threads);
    exec.synchronize();
    const auto start = std::chrono::steady_clock::now();
    assembly::Assembler<Exec> assembler(exec, mesh, dofs);
    linalg::Crs<Space> A = assembler.make_matrix();
    exec.synchronize();
    const double setup = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    Array<double, Space> b(dofs.dofs);
    assembly::DiffusionData data;
    data.k.values = {1.5};
    data.f.values = {1.0};
    assembler.set_data(data);
    bench::Row row;
    row.name = fmt::format("refill, P{} {}", c.order, c.shape);
    row.size = fmt::format("{} cells, {} dofs", mesh.cells(), dofs.dofs);
    row.bytes = assembler.refill_bytes(A);
    row.items = mesh.cells();
    row.item = "elements";
    row.timing = bench::measure(exec, [&] { assembler.refill(A, b.view()); });
    row.note = fmt::format("set-up once {:.0f} ms, {} colours", setup, assembler.report().colours);
    report.add(row);
  }
  report.write(fmt::format("{}/assembly_{}.json", options.out, Exec::name));
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Options options = bench::parse_options(argc, argv);
  bench::on_backends(options, [&](auto& exec) { run(exec, options); });
}
