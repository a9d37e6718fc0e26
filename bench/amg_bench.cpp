// Whole solves to 1e-8, set-up and iterations together, of Poisson problems by CG with amg, beside Jacobi-CG and, on
// CUDA where TESSERA_AMGX names its folder, the best of AMGX's configurations on the same matrix in the same run. The
// right-hand side is random; the second call counts. Fails where the residual is not met. `--only growth`: amg alone on
// finer and finer meshes.
//
// On threads, where hypre was found, set-up and solve stand beside its BoomerAMG, in turns. It works on ranks:
// `amg_bench --threads 1` compares one core with one core, and `mpirun --bind-to none -n 2 amg_bench --threads 2` two
// threads of the first rank with two ranks. Milliseconds of cores, which others on the machine disturb less, are beside
// those of the clock.
#include <fmt/format.h>

#include <chrono>
#include <ctime>
#include <functional>
#include <limits>
#include <optional>

#include "assembly/cells/assembler.hpp"
#include "assembly/space/dirichlet.hpp"
#include "base/array_memory.hpp"
#include "base/error.hpp"
#include "base/memory.hpp"
#include "base/reused_memory.hpp"
#include "bench/support/amgx_peer.hpp"
#include "bench/support/bench.hpp"
#include "bench/support/hypre_peer.hpp"
#include "bench/support/meshes.hpp"
#include "forms/diffusion.hpp"
#include "linalg/vector_ops.hpp"
#include "mesh/box.hpp"
#include "mesh/params.hpp"
#include "solvers/amg/amg.hpp"
#include "solvers/solve.hpp"

using namespace tessera;

namespace {

/// A cube with `cells` in each direction, or (0) a ball whose mesh is refined. Shape "stencil": the 7-point matrix of
/// cells^3 rows, without a mesh.
struct Case {
  std::string name;
  int cells = 0;
  std::string shape = "tet";
  double jitter = 0.15;  ///< of inner nodes, in cell sizes
  double jump = 1;       ///< k in every other block of 8^3 cells
  double aspect = 1;
  bool alone = false;  ///< only amg in double precision, without a peer: how iterations grow with the mesh
};

std::vector<Index> surface_nodes(const mesh::Mesh& mesh, double half) {
  std::vector<Index> result;
  for (Index n = 0; n < mesh.nodes(); ++n) {
    const double* x = mesh.points.data() + 3 * std::size_t(n);
    bool on = false;
    if (half > 0)
      for (int c = 0; c < 3; ++c) on |= x[c] == 0 || x[c] == 1;
    else
      on = x[0] * x[0] + x[1] * x[1] + x[2] * x[2] > 0.9999;
    if (on) result.push_back(n);
  }
  return result;
}

mesh::Mesh make_mesh(const Case& c, bool on_gpu) {
  if (c.cells == 0) return bench::ball(0.066, on_gpu ? 3 : 1, false);
  mesh::BoxParams box;
  box.cells.assign(3, c.cells);
  box.shape = c.shape;
  return mesh::make_box(box);
}

/// Moves inner nodes and stretches the mesh, whose surface stays a box.
void distort(const Case& c, const std::vector<Index>& surface, mesh::Mesh& mesh) {
  std::vector<bool> on(static_cast<std::size_t>(mesh.nodes()), false);
  for (const Index n : surface) on[static_cast<std::size_t>(n)] = true;
  const auto shift = bench::random_values(3 * Offset{mesh.nodes()}, 7);
  for (std::size_t n = 0; n < on.size(); ++n)
    for (std::size_t d = 0; d < 3; ++d) {
      double& x = mesh.points.data()[3 * n + d];
      if (!on[n]) x += c.jitter / c.cells * shift[3 * n + d];
      if (d == 0) x *= c.aspect;
    }
}

/// 0 or 1 for each cell: which block of 8^3 cells its first node lies in.
std::vector<Index> regions(const Case& c, const mesh::Mesh& mesh) {
  std::vector<Index> result;
  for (const mesh::CellBlock& block : mesh.blocks)
    for (Index cell = 0; cell < block.cells(); ++cell) {
      double centre[3] = {};
      for (int k = 0; k < block.nodes_per_cell; ++k)
        for (int d = 0; d < 3; ++d)
          centre[d] +=
              mesh.points.data()[3 * std::size_t(block.nodes[std::size_t(cell) * block.nodes_per_cell + k]) + d] /
              block.nodes_per_cell;
      int sum = 0;
      for (int d = 0; d < 3; ++d) sum += static_cast<int>(centre[d] / (d == 0 ? c.aspect : 1) * c.cells) / 8;
      result.push_back(sum % 2);
    }
  return result;
}

template <class Exec>
struct System {
  using Space = typename Exec::Space;
  linalg::Crs<Space> A;
  Array<double, Space> b, x;

  System(Exec& exec, const Case& c, int threads) {
    if (c.shape == "stencil")
      set_stencil(c.cells);
    else
      assemble(exec, c, threads);
  }

 private:
  /// u = 0 beyond the rows.
  void set_stencil(int n) {
    const Index rows = static_cast<Index>(n) * n * n, steps[3] = {1, static_cast<Index>(n), static_cast<Index>(n) * n};
    std::vector<Offset> ptr{0};
    std::vector<Index> col;
    std::vector<double> values;
    ptr.reserve(static_cast<std::size_t>(rows) + 1), col.reserve(7 * static_cast<std::size_t>(rows));
    values.reserve(col.capacity());
    const auto add = [&](Index column, double value) { col.push_back(column), values.push_back(value); };
    for (Index row = 0; row < rows; ++row) {
      const Index at[3] = {row % n, row / n % n, row / n / n};
      for (int d = 2; d >= 0; --d)
        if (at[d] > 0) add(row - steps[d], -1);
      add(row, 6);
      for (int d = 0; d < 3; ++d)
        if (at[d] + 1 < n) add(row + steps[d], -1);
      ptr.push_back(static_cast<Offset>(col.size()));
    }
    A.rows = A.cols = rows;
    A.row_ptr = to_space<Space>(ptr), A.col_ind = to_space<Space>(col), A.values = to_space<Space>(values);
    b = to_space<Space>(bench::random_values(rows, 3));
    x = Array<double, Space>(rows);
  }
  void assemble(Exec& exec, const Case& c, int threads) {
    mesh::Mesh mesh = make_mesh(c, std::is_same_v<Space, Device>);
    const auto surface = surface_nodes(mesh, c.cells);
    const assembly::DofMap dofs = assembly::make_dof_map(mesh, 1, threads);
    forms::DiffusionData data;
    data.k.values = {1.0, c.jump};
    data.region = c.jump == 1 ? std::vector<Index>{} : regions(c, mesh);
    if (data.region.empty()) data.k.values = {1.0};
    if (c.cells > 0) distort(c, surface, mesh);
    b = Array<double, Space>(dofs.dofs);
    x = Array<double, Space>(dofs.dofs);
    assembly::Assembler<Exec, forms::Diffusion> assembler(exec, mesh, dofs);
    A = assembler.make_matrix();
    assembler.assemble(data, A, b.view());
    const auto random = bench::random_values(A.rows, 3);
    b = to_space<Space>(random);
    assembly::eliminate_dirichlet(exec, A, b.view(), surface, std::vector<double>(surface.size(), 0.0));
  }
};

struct Solve {
  std::string name;
  solvers::SolverParams params;
};

/// Bytes of Arrays where the backend computes; on CUDA the peak is that since the program started.
template <class Exec>
ArrayMemory array_memory() {
  if (std::is_same_v<Exec, Threads>) return host_array_memory();
  const MemoryUse use = memory_use();
  return {use.device_now, use.device_peak};
}

template <class Exec>
void time_solve(Exec& exec, System<Exec>& system, const Solve& solve, const std::string& size,
                std::vector<bench::Row>& rows) {
  const linalg::CrsOperator<Exec> op(system.A);
  bench::Row row;
  row.name = solve.name;
  row.size = size;
  solvers::Report done;
  ArrayMemory memory;
  bool highest = false;  // whether the peak is that of this solve
  for (int call = 0; call < 2; ++call) {
    linalg::fill(exec, system.x.view(), 0.0);
    exec.synchronize();
    reset_host_array_peak();
    const auto [before, peak_before] = array_memory<Exec>();
    const auto start = std::chrono::steady_clock::now();
    solvers::LinearSolver<Exec> solver(exec, solve.params);
    solver.set_operator(op);
    done = solver.solve(system.b.view(), system.x.view());
    exec.synchronize();
    const double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    memory = array_memory<Exec>();
    highest |= memory.peak > peak_before;
    memory = {memory.now - before, memory.peak - before};
    row.timing = {ms, call == 0 ? ms : std::min(ms, row.timing.min_ms), std::max(ms, row.timing.max_ms)};
    row.timing.median_ms = std::is_same_v<Exec, Threads> ? row.timing.min_ms : ms;
    if (!done.converged) throw Error(ExitCode::solver, solve.name + ": " + done.failure, "");
  }
  row.note = fmt::format("{} iterations", done.iterations);
  if (const auto& multigrid = done.multigrid; !multigrid.levels.empty()) {
    row.note +=
        fmt::format(", set-up {:.1f} ms, cycle {:.2f} ms, operator complexity {:.2f}, rows",
                    1e3 * multigrid.set_up_seconds, 1e3 * multigrid.cycle_seconds, multigrid.operator_complexity());
    for (const auto& level : multigrid.levels) row.note += fmt::format(" {}", level.rows);
    const double matrix = system.A.row_ptr.bytes() + system.A.col_ind.bytes() + system.A.values.bytes();
    row.note +=
        fmt::format("; with the vectors of CG {:.2f} of the matrix are kept", static_cast<double>(memory.now) / matrix);
    if (highest) row.note += fmt::format(", at most {:.2f} are taken", static_cast<double>(memory.peak) / matrix);
  }
  rows.push_back(row);
}

/// The fastest of AMGX's configurations beside our rows.
template <class Exec>
void add_peer(Exec& exec, System<Exec>& system, std::vector<bench::Row>& rows) {
  for (const char* configuration : {"classical", "aggressive", "aggregation"}) {
    const auto times = bench::amgx_peer(exec, system.A, system.b.view(), configuration);
    if (!times) return;
    const double ms = times->set_up_ms + times->solve_ms;
    for (bench::Row& row : rows) {
      row.note += fmt::format("; AMGX {} {:.1f} + {:.1f} ms, {} iterations", configuration, times->set_up_ms,
                              times->solve_ms, times->iterations);
      if (row.peer_ms > 0 && row.peer_ms < ms) continue;
      row.peer = "AMGX";
      row.peer_ms = ms;
    }
  }
}

/// Set-up and solve by CG with amg, in milliseconds of the clock and of cores: the least of some rounds.
struct Ours {
  double set_up_ms = std::numeric_limits<double>::max(), solve_ms = set_up_ms;
  double set_up_core_ms = set_up_ms, solve_core_ms = set_up_ms;
  int iterations = 0;
};

double core_ms() { return 1e3 * static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

/// What a solve by an object that has no set-up yet takes more than the next one is its set-up.
void time_parts(Threads& exec, System<Threads>& system, Ours& least) {
  const linalg::CrsOperator<Threads> op(system.A);
  solvers::LinearSolver<Threads> solver(exec, {.preconditioner = "amg"});
  solver.set_operator(op);
  double ms[2] = {}, core[2] = {};
  for (int call = 0; call < 2; ++call) {
    linalg::fill(exec, system.x.view(), 0.0);
    const double before = core_ms();
    const auto start = std::chrono::steady_clock::now();
    least.iterations = solver.solve(system.b.view(), system.x.view()).iterations;
    ms[call] = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    core[call] = core_ms() - before;
  }
  least.set_up_ms = std::min(least.set_up_ms, ms[0] - ms[1]);
  least.solve_ms = std::min(least.solve_ms, ms[1]);
  least.set_up_core_ms = std::min(least.set_up_core_ms, core[0] - core[1]);
  least.solve_core_ms = std::min(least.solve_core_ms, core[1]);
}

void take_least(bench::HypreTimes& least, const bench::HypreTimes& next) {
  const auto take = [](double& value, double other) { value = value > 0 ? std::min(value, other) : other; };
  take(least.set_up_ms, next.set_up_ms);
  take(least.solve_ms, next.solve_ms);
  take(least.set_up_core_ms, next.set_up_core_ms);
  take(least.solve_core_ms, next.solve_core_ms);
  least.iterations = next.iterations;
}

/// Rounds in which each takes its turn.
constexpr int peer_rounds = 3;

/// Rows of set-up and solve beside the configuration of hypre that takes its cores least for both together.
void add_parts(Threads& exec, System<Threads>& system, const bench::HyprePeer& peer, const std::string& size,
               std::vector<bench::Row>& rows) {
  const auto configurations = bench::HyprePeer::configurations();
  std::vector<bench::HypreTimes> theirs(configurations.size());
  Ours ours;
  for (int round = 0; round < peer_rounds && !theirs.empty(); ++round) {
    if (peer.rank() == 0) time_parts(exec, system, ours);
    peer.meet();
    for (std::size_t i = 0; i < theirs.size(); ++i)
      take_least(theirs[i], peer.solve(system.A, system.b.view(), configurations[i]));
  }
  if (theirs.empty() || peer.rank() > 0) return;
  const auto total = [](const bench::HypreTimes& times) { return times.set_up_core_ms + times.solve_core_ms; };
  const auto& best = *std::min_element(theirs.begin(), theirs.end(),
                                       [&](const auto& a, const auto& b) { return total(a) < total(b); });
  bench::Row set_up, solve;
  set_up.name = "CG, amg: set-up";
  set_up.timing = {ours.set_up_ms, ours.set_up_ms, ours.set_up_ms};
  set_up.peer_ms = best.set_up_ms;
  set_up.note = fmt::format("{:.0f} ms of cores, peer {:.0f}", ours.set_up_core_ms, best.set_up_core_ms);
  solve.name = "CG, amg: solve";
  solve.timing = {ours.solve_ms, ours.solve_ms, ours.solve_ms};
  solve.peer_ms = best.solve_ms;
  solve.note = fmt::format("{:.0f} ms of cores, peer {:.0f}; {} iterations", ours.solve_core_ms, best.solve_core_ms,
                           ours.iterations);
  for (std::size_t i = 0; i < theirs.size(); ++i)
    solve.note += fmt::format("; {} {:.0f} + {:.0f} ms, of cores {:.0f} + {:.0f}, {} iterations", configurations[i],
                              theirs[i].set_up_ms, theirs[i].solve_ms, theirs[i].set_up_core_ms,
                              theirs[i].solve_core_ms, theirs[i].iterations);
  for (bench::Row* row : {&set_up, &solve}) {
    row->size = size;
    row->peer = fmt::format("hypre, {} rank{}", peer.ranks(), peer.ranks() > 1 ? "s" : "");
    rows.push_back(*row);
  }
}
/// hypre is for ranks of threads.
void add_parts(Cuda&, System<Cuda>&, const bench::HyprePeer&, const std::string&, std::vector<bench::Row>&) {}

/// Cases whose names begin so run where they are asked for: they take long.
constexpr const char* growth = "growth";

std::vector<Case> cases_of(bool on_gpu, bool quick) {
  if (quick)
    return {{"tets small", 30}, {"hexes", 30, "hex", 0}, {"growth: 7-point, n = 24", 24, "stencil", 0, 1, 1, true}};
  const int small = on_gpu ? 99 : 63, large = on_gpu ? 252 : 99;
  std::vector<Case> cases{
      {"tets small", small},
      {"tets", large},
      {"tets not jittered", large, "tet", 0},
      {"tets jumps", on_gpu ? 159 : large, "tet", 0.15, 1e4},
      {"tets stretched", small, "tet", 0.15, 1, 10},
      {"hexes", on_gpu ? 199 : large, "hex", 0},
      {"hexes stretched", small, "hex", 0, 1, 10},
      {"ball"},
  };
  for (const int n : on_gpu ? std::vector{64, 128, 256} : std::vector{32, 64}) {
    const auto name = [&](const char* of) { return fmt::format("{}: {}, n = {}", growth, of, n); };
    cases.push_back({name("7-point"), n, "stencil", 0, 1, 1, true});
    cases.push_back({name("tets"), n, "tet", 0.15, 1, 1, true});
    cases.push_back({name("tets stretched"), n, "tet", 0.15, 1, 10, true});
    cases.push_back({name("tets jumps"), n, "tet", 0.15, 1e4, 1, true});
    cases.push_back({name("hexes"), n, "hex", 0, 1, 1, true});
    cases.push_back({name("hexes stretched"), n, "hex", 0, 1, 10, true});
  }
  return cases;
}

template <class Exec>
void run_cases(Exec& exec, const bench::Options& options, const bench::HyprePeer* peer) {
  constexpr bool on_gpu = std::is_same_v<typename Exec::Space, Device>;
  const bool first = on_gpu || peer->rank() == 0;
  std::optional<bench::Report> report;
  if (first) report.emplace("amg", Exec::name, bench::device_name(exec), bench::copy_bandwidth(exec));
  for (const Case& c : cases_of(on_gpu, options.quick)) {
    if (!options.takes(c.name) || (c.alone && !options.quick && !options.only.starts_with(growth))) continue;
    const ReusedMemory<typename Exec::Space> reused;  // as in a run, which assembles with it, too
    System<Exec> system(exec, c, options.threads);
    const std::string size = fmt::format("{}: {} rows, {:.1f}/row", c.name, system.A.rows,
                                         static_cast<double>(system.A.nnz()) / system.A.rows);
    std::vector<Solve> solves = {{"CG, amg", {.preconditioner = "amg"}},
                                 {"CG, amg, mixed", {.preconditioner = "amg", .precision = "mixed"}},
                                 {"CG, Jacobi", {.max_iterations = 100000}}};
    if (c.alone) solves.resize(1);
    std::vector<bench::Row> rows;
    if (first)
      for (const Solve& solve : solves) time_solve(exec, system, solve, size, rows);
    if (!c.alone) add_peer(exec, system, rows);
    if (peer && !c.alone) add_parts(exec, system, *peer, size, rows);
    for (const bench::Row& row : rows) report->add(row);
  }
  if (report) report->write(fmt::format("{}/amg_{}.json", options.out, Exec::name));
}

template <class Exec>
void run(Exec& exec, const bench::Options& options) {
  if constexpr (std::is_same_v<typename Exec::Space, Device>) {
    run_cases(exec, options, nullptr);
  } else {
    const bench::HyprePeer peer;
    try {
      run_cases(exec, options, &peer);
    } catch (const std::exception& error) {
      peer.give_up(error.what());
      throw;
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  keep_freed_memory();  // as the program does
  const bench::Options options = bench::parse_options(argc, argv);
  bench::on_backends(options, [&](auto& exec) { run(exec, options); });
}
