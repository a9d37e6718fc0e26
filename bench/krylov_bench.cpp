// Iterations of the Krylov methods on P1 tets, against the same loop of Jacobi-PCG written with Eigen (threads) and
// cuSPARSE + cuBLAS (CUDA); then whole solves to 1e-8 of a system whose solution is known, and checked.
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <numbers>

#include "assembly/cells/assembler.hpp"
#include "base/error.hpp"
#include "bench/support/meshes.hpp"
#include "bench/support/peers.hpp"
#include "forms/diffusion.hpp"
#include "linalg/vector_ops.hpp"
#include "mesh/box.hpp"
#include "mesh/params.hpp"
#include "solvers/krylov/cg.hpp"
#include "solvers/krylov/gmres.hpp"
#include "solvers/precondition/chebyshev.hpp"
#include "solvers/precondition/ssor.hpp"
#include "solvers/solve.hpp"

using namespace tessera;

namespace {

/// u = sin(pi x) sin(pi y) sin(pi z) + x: smooth, so that the iteration counts are those of a real problem.
std::vector<double> known_solution(const mesh::Mesh& mesh) {
  const double pi = std::numbers::pi;
  std::vector<double> u(static_cast<std::size_t>(mesh.nodes()));
  for (std::size_t n = 0; n < u.size(); ++n) {
    const double* x = mesh.points.data() + 3 * n;
    u[n] = std::sin(pi * x[0]) * std::sin(pi * x[1]) * std::sin(pi * x[2]) + x[0];
  }
  return u;
}

/// K + M on a mesh; its right-hand side belongs to the known solution.
template <class Exec>
struct System {
  using Space = typename Exec::Space;
  linalg::Crs<Space> A;
  Array<double, Space> b, x;
  std::vector<double> exact;
  std::string size;

  System(Exec& exec, const mesh::Mesh& mesh, int threads) {
    const assembly::DofMap dofs = assembly::make_dof_map(mesh, 1, threads);
    b = Array<double, Space>(dofs.dofs);
    x = Array<double, Space>(dofs.dofs);
    {
      assembly::Assembler<Exec, forms::Diffusion> assembler(exec, mesh, dofs);
      A = assembler.make_matrix();
      forms::DiffusionData data;
      data.k.values = {1.0};
      data.c.values = {1.0};
      assembler.assemble(data, A, b.view());
    }
    exact = known_solution(mesh);
    const auto u = to_space<Space>(exact);
    linalg::spmv(exec, A.view(), u, b.view());
    size = fmt::format("{} rows, {:.1f}/row", A.rows, static_cast<double>(A.nnz()) / A.rows);
  }
  double nnz() const { return static_cast<double>(A.nnz()); }

  solvers::Report solve(Exec& exec, const solvers::SolverParams& params) {
    linalg::fill(exec, x.view(), 0.0);
    return solvers::solve(exec, A, View<const double>(b), x.view(), params);
  }
  /// max |x - exact| / max |exact|.
  double error() const {
    const auto found = to_vector(x);
    double worst = 0, largest = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
      worst = std::max(worst, std::abs(found[i] - exact[i]));
      largest = std::max(largest, std::abs(exact[i]));
    }
    return worst / largest;
  }
};

struct Iteration {
  const char* name;
  solvers::SolverParams params;
  double per_nonzero, per_row;  ///< declared bytes
};

std::vector<Iteration> iterations() {
  return {
      {"Jacobi-PCG", {}, 12, 108},
      {"Jacobi-PCG, single reduction", {.method = solvers::CgParams{.variant = "single_reduction"}}, 12, 112},
      {"Jacobi-PCG, float", {.precision = "float"}, 8, 60},
      {"Jacobi-PCG, mixed", {.precision = "mixed"}, 8, 60},
      {"PCG, multicolour SSOR", {.preconditioner = "multicolour_ssor"}, 24, 180},
      {"PCG, Chebyshev(2)", {.preconditioner = "chebyshev"}, 36, 330},
      {"MINRES, Jacobi", {.type = "minres"}, 12, 184},
      {"BiCGStab, Jacobi", {.type = "bicgstab"}, 24, 256},
      {"GMRES(30), Jacobi", {.type = "gmres"}, 12, 640},
  };
}

template <class Exec>
void time_iterations(Exec& exec, System<Exec>& system, bench::Report& report) {
  // The difference is iterations alone, without set-up and first residual. Threads have no launches to spread over
  // many.
  constexpr bool on_gpu = std::is_same_v<typename Exec::Space, Device>;
  constexpr int few = on_gpu ? 30 : 3, many = on_gpu ? 120 : 13;
  const bench::Peer peer = bench::cg_peer(exec, system.A, many - few);
  for (const Iteration& method : iterations()) {
    solvers::SolverParams params = method.params;
    params.tolerance = params.absolute_tolerance = 1e-300;  // never met: every call does the same number of iterations
    params.check_every = 10;
    bench::Row row;
    row.name = std::string(method.name) + " iteration";
    row.size = system.size;
    row.bytes = method.per_nonzero * system.nnz() + method.per_row * system.A.rows;
    auto time = [&](int count) {
      params.max_iterations = count;
      int done = 0;
      const bench::Timing timing = bench::measure(
          exec, [&] { done = system.solve(exec, params).iterations; }, 3);
      if (done != count) throw Error(ExitCode::differs, fmt::format("{} ended after {} iterations", method.name, done));
      return timing;
    };
    const bench::Timing short_run = time(few), long_run = time(many);
    row.timing = {(long_run.median_ms - short_run.median_ms) / (many - few),
                  (long_run.min_ms - short_run.min_ms) / (many - few),
                  (long_run.max_ms - short_run.max_ms) / (many - few)};
    row.peer = peer.name;
    row.peer_ms = peer.ms;
    row.note = fmt::format("{} iterations less {}: without set-up", many, few);
    report.add(row);
  }
}

/// Whole solves, set-up of the preconditioner included. Fails where the solution is not the known one.
template <class Exec>
void time_solves(Exec& exec, System<Exec>& system, bench::Report& report) {
  std::vector<std::pair<std::string, solvers::SolverParams>> methods = {
      {"Jacobi-PCG", {}},
      {"Jacobi-PCG, single reduction", {.method = solvers::CgParams{.variant = "single_reduction"}}},
      {"Jacobi-PCG, mixed", {.precision = "mixed"}},
      {"multicolour SSOR(1)", {.preconditioner = "multicolour_ssor"}},
      {"multicolour SSOR(1.4)",
       {.preconditioner = "multicolour_ssor", .preconditioning = solvers::SweepParams{.relaxation = 1.4}}},
      {"multicolour SSOR(1), mixed", {.preconditioner = "multicolour_ssor", .precision = "mixed"}},
      {"Chebyshev(2)", {.preconditioner = "chebyshev", .preconditioning = solvers::ChebyshevParams{.degree = 2}}},
      {"Chebyshev(4), mixed",
       {.preconditioner = "chebyshev", .preconditioning = solvers::ChebyshevParams{.degree = 4}, .precision = "mixed"}},
  };
  const bool on_gpu = std::is_same_v<typename Exec::Space, Device>;
  if (!on_gpu) methods.push_back({"SSOR(1)", {.preconditioner = "ssor"}});
  if (system.A.rows > (on_gpu ? 5'000'000 : 500'000))  // seconds each
    methods = {methods[0], methods[2], methods[3], methods[7]};
  for (auto& [name, params] : methods) {
    params.tolerance = 1e-8;
    solvers::Report done;
    bench::Row row;
    row.name = "to 1e-8: " + name;
    row.size = system.size;
    const auto start = std::chrono::steady_clock::now();
    done = system.solve(exec, params);
    exec.synchronize();
    const double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    row.timing = {ms, ms, ms};
    const double error = system.error();
    if (!done.converged || !(error < 1e-4))
      throw Error(ExitCode::differs,
                  fmt::format("{}: converged {}, error {:.3g}: {}", name, done.converged, error, done.failure));
    row.note =
        fmt::format("{} iterations, residual {:.2g}, error {:.2g}", done.iterations, done.relative_residual, error);
    report.add(row);
  }
}

/// A cube with `cells` in each direction, or a ball whose mesh is refined.
struct Case {
  const char* name;
  int cells;
  int refinements = 0;
  bool shuffled = false;
};

mesh::Mesh make_mesh(const Case& c) {
  if (c.cells == 0) return bench::ball(0.066, c.refinements, c.shuffled);
  mesh::BoxParams box;
  box.cells.assign(3, c.cells);
  return mesh::make_box(box);
}

template <class Exec>
void run(Exec& exec, const bench::Options& options) {
  const bool on_gpu = std::is_same_v<typename Exec::Space, Device>;
  bench::Report report("krylov", Exec::name, bench::device_name(exec), bench::copy_bandwidth(exec));
  std::vector<Case> cases{{"box 45", 45}, {"box 100", 100}};
  if (on_gpu) cases = {{"box 15", 15}, {"box 30", 30}, {"box 45", 45}, {"box 100", 100}, {"box 255", 255}};
  cases.push_back({"ball", 0, on_gpu ? 3 : 2});
  cases.push_back({"ball shuffled", 0, on_gpu ? 3 : 2, true});
  if (options.quick) cases = {{"box 30", 30}, {"ball", 0, 0}};
  for (const Case& c : cases) {
    if (c.cells == 0 && !options.quick ? !options.takes_by_name(c.name) : !options.takes(c.name)) continue;
    System<Exec> system(exec, make_mesh(c), options.threads);
    if (c.cells == 0) system.size += fmt::format(", {}", c.name);
    time_iterations(exec, system, report);
    time_solves(exec, system, report);
  }
  report.write(fmt::format("{}/krylov_{}.json", options.out, Exec::name));
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Options options = bench::parse_options(argc, argv);
  bench::on_backends(options, [&](auto& exec) { run(exec, options); });
}
