// One iteration of Jacobi-PCG on P1 tets, against the same loop written with Eigen (threads) and cuSPARSE + cuBLAS (CUDA).
#include <fmt/format.h>

#include "assembly/assemble.hpp"
#include "assembly/dirichlet.hpp"
#include "bench/support/peers.hpp"
#include "linalg/vector_ops.hpp"
#include "mesh/box.hpp"
#include "mesh/params.hpp"
#include "solvers/solve.hpp"

using namespace tessera;

namespace {

template <class Exec>
void run(Exec& exec, const bench::Options& options) {
  using Space = typename Exec::Space;
  const bool on_gpu = std::is_same_v<Space, Device>;
  constexpr int iterations = 100;
  bench::Report report("krylov", Exec::name, bench::device_name(exec), bench::copy_bandwidth(exec));
  for (int n : on_gpu ? std::vector{45, 100, 255} : std::vector{45, 100}) {
    if (options.quick) n = std::min(n, 30);
    mesh::BoxParams box;
    box.cells.assign(3, n);
    const mesh::Mesh mesh = mesh::make_box(box);
    const assembly::DofMap dofs = assembly::make_dof_map(mesh, 1, options.threads);
    linalg::Crs<Space> A;
    Array<double, Space> b(dofs.dofs), x(dofs.dofs);
    {
      assembly::Assembler<Exec> assembler(exec, mesh, dofs);
      A = assembler.make_matrix();
      assembly::DiffusionData data;
      data.k.values = {1.0};
      data.c.values = {1.0};
      assembler.assemble(data, A, b.view());
    }
    linalg::fill(exec, b.view(), 1.0);
    solvers::SolverParams params;
    params.tolerance = 1e-300;  // never met: every call does the same number of iterations
    params.max_iterations = iterations;
    params.check_every = iterations;
    b = to_space<Space>(bench::random_values(dofs.dofs, 3));
    bench::Row row;
    row.name = "Jacobi-PCG iteration, P1 tet";
    row.size = fmt::format("{} rows, {:.1f}/row", A.rows, static_cast<double>(A.nnz()) / A.rows);
    row.bytes = 12.0 * static_cast<double>(A.nnz()) + 108.0 * A.rows;
    int done = 0;
    row.timing = bench::measure(
        exec,
        [&] {
          linalg::fill(exec, x.view(), 0.0);
          done = solvers::solve(exec, A, View<const double>(b), x.view(), params).iterations;
        },
        3);
    done = std::max(done, 1);
    row.timing = {row.timing.median_ms / done, row.timing.min_ms / done, row.timing.max_ms / done};
    const bench::Peer peer = bench::cg_peer(exec, A, iterations);
    row.peer = peer.name;
    row.peer_ms = peer.ms;
    row.note = fmt::format("{} iterations a call, its set-up and true residual included", done);
    report.add(row);
  }
  report.write(fmt::format("{}/krylov_{}.json", options.out, Exec::name));
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Options options = bench::parse_options(argc, argv);
  bench::on_backends(options, [&](auto& exec) { run(exec, options); });
}
