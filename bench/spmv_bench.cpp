// y = A x on finite-element matrices: ours against Eigen (threads) and cuSPARSE (CUDA) in the same process.
#include <fmt/format.h>

#include "assembly/assemble.hpp"
#include "bench/support/peers.hpp"
#include "linalg/spmv.hpp"
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
  bench::Report report("spmv", Exec::name, bench::device_name(exec), bench::copy_bandwidth(exec));
  for (const Case& c : {Case{"tet", 1, on_gpu ? 255 : 100, 40}, Case{"hex", 1, on_gpu ? 199 : 100, 30}, Case{"tet", 2, on_gpu ? 100 : 40, 16},
                        Case{"triangle", 1, on_gpu ? 3000 : 1000, 200}}) {
    const int n = options.quick ? c.quick_cells : c.cells;
    const bool flat = std::string(c.shape) == "triangle";
    mesh::BoxParams box;
    box.shape = c.shape;
    box.cells.assign(flat ? 2 : 3, n);
    const mesh::Mesh mesh = mesh::make_box(box);
    const assembly::DofMap dofs = assembly::make_dof_map(mesh, c.order, options.threads);
    linalg::Crs<Space> A;
    {
      assembly::Assembler<Exec> assembler(exec, mesh, dofs);
      A = assembler.make_matrix();
    }
    A.values = to_space<Space>(bench::random_values(A.nnz(), 1));
    auto x = to_space<Space>(bench::random_values(A.rows, 2));
    Array<double, Space> y(A.rows);
    bench::Row row;
    row.name = fmt::format("CRS, P{} {}", c.order, c.shape);
    row.size = fmt::format("{} rows, {:.1f}/row", A.rows, static_cast<double>(A.nnz()) / A.rows);
    row.bytes = 12.0 * static_cast<double>(A.nnz()) + 24.0 * A.rows;
    row.timing = bench::measure(exec, [&] { linalg::spmv(exec, A.view(), x.view(), y.view()); });
    const bench::Peer peer = bench::spmv_peer(exec, A, x, y);
    row.peer = peer.name;
    row.peer_ms = peer.ms;
    row.note = fmt::format("differs from the peer by {:.1e}", peer.difference);
    report.add(row);
  }
  report.write(fmt::format("{}/spmv_{}.json", options.out, Exec::name));
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Options options = bench::parse_options(argc, argv);
  bench::on_backends(options, [&](auto& exec) { run(exec, options); });
}
