// Steps through time: passes of explicit schemes, reactions of many nodes, exponentials of many matrices, checkpoints.
#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "bench/support/bench.hpp"
#include "bench/support/cvode_peer.hpp"
#include "bench/support/exponential_peer.hpp"
#include "output/checkpoint.hpp"
#include "physics/reaction_diffusion/reaction_table.hpp"
#include "solvers/odes/batched.hpp"
#include "solvers/time/stepper.hpp"

using namespace tessera;

namespace {

/// f = 0 in the memory of the last evaluation: what is measured are the passes of the scheme alone.
template <class Exec>
class Nothing final : public solvers::RightHandSide<Exec> {
 public:
  void evaluate(double, View<const double>, View<double>) override {}
  bool has_evaluate_onto() const override { return true; }
  void evaluate_onto(double, View<const double>, double, View<double>) override {}
  double spectral_radius(double, View<const double>) override { return 1e3; }
};

template <class Exec>
void schemes(Exec& exec, const bench::Options& options, bench::Report& report, Offset rows) {
  using Space = typename Exec::Space;
  for (const char* name :
       {"euler", "ssp_rk2", "ssp_rk3", "erk33", "rk4", "low_storage_rk45", "cash_karp", "dormand_prince", "rkc"}) {
    if (!options.takes(name)) continue;
    solvers::StepperParams params;
    params.scheme = name;
    if (params.scheme == "rkc") params.stages = 10;
    const auto stepper = solvers::make_stepper(exec, rows, params);
    Nothing<Exec> f;
    auto u = to_space<Space>(bench::random_values(rows));
    Array<double, Space> not_finite(1);
    double t = 0;
    const auto step = [&] {
      stepper->step(f, t, 1e-3, u.view(), not_finite.data());
      t += 1e-3;
    };
    step();
    const Offset before = stepper->evaluations();
    step();
    const Offset stages = stepper->evaluations() - before;
    bench::Row row;
    row.name = name;
    row.size = fmt::format("{} rows", rows);
    row.bytes = stepper->bytes_per_step(rows);
    row.items = static_cast<double>(rows * stages);
    row.item = "rows and stages";
    row.timing = bench::measure(exec, step);
    row.note = fmt::format("{} stages, {} vectors beside u", stages, stepper->vectors());
    report.add(row);
  }
}

/// A ring of n species, each of which becomes the next, and pairs that meet become one that falls apart again.
physics::reaction_diffusion::Mechanism ring(int n) {
  physics::reaction_diffusion::Mechanism mechanism;
  for (int i = 0; i < n; ++i) mechanism.species.push_back(fmt::format("A{}", i));
  for (int i = 0; i < n; ++i) {
    const std::string &a = mechanism.species[static_cast<std::size_t>(i)],
                      &b = mechanism.species[static_cast<std::size_t>((i + 1) % n)];
    mechanism.reactions.push_back(physics::reaction_diffusion::parse_reaction(a + " -> " + b, 1 + 0.5 * i));
    mechanism.reactions.push_back(physics::reaction_diffusion::parse_reaction(a + " + " + b + " -> 2 " + b, 0.3));
  }
  return mechanism;
}

/// As many nodes as a loop over them on some cores takes in seconds.
constexpr Offset most_nodes_of_peer = 1 << 18;

/// CVODE on the first nodes of a mechanism, and what it would take for all of them.
void add_peer(bench::Row& row, const physics::reaction_diffusion::Mechanism& mechanism, Offset nodes,
              const std::vector<double>& start, const std::vector<double>& ours, double dt,
              const solvers::StepTolerance& tolerance) {
  const physics::reaction_diffusion::MechanismTables<Host> tables(mechanism);
  using Reaction = physics::reaction_diffusion::MassAction<16>;
  const Reaction reaction = tables.mass_action<16>();
  const auto rates = [](const void* of, double t, const double* u, double* du) {
    static_cast<const Reaction*>(of)->rates(u, t, du);
  };
  const Offset some = std::min(nodes, most_nodes_of_peer);
  const bench::Peer peer = bench::cvode_peer({&reaction, rates, tables.species()}, some, nodes, start, ours, dt,
                                             tolerance.relative, tolerance.absolute);
  if (peer.name.empty()) return;
  row.peer = peer.name;
  row.peer_ms = peer.ms * static_cast<double>(nodes) / static_cast<double>(some);
  row.note += fmt::format(", {:.1e} from the peer's", peer.difference);
  if (some < nodes) row.note += fmt::format(", which had {} nodes", some);
}

template <class Exec>
void reactions(Exec& exec, const bench::Options& options, bench::Report& report, Offset nodes) {
  using Space = typename Exec::Space;
  struct Case {
    const char* name;
    physics::reaction_diffusion::ReactionParams reaction;
    const char* method;
    double dt;
    std::vector<double> start;
  };
  std::vector<Case> cases;
  for (const int n : {3, 9, 16}) {
    physics::reaction_diffusion::ReactionParams params;
    params.name = "mass_action";
    params.mechanism = ring(n);
    for (const char* method : {"cash_karp", "rosenbrock"})
      cases.push_back({"mechanism", params, method, 0.1, std::vector<double>(static_cast<std::size_t>(n), 1.0 / n)});
  }
  for (const char* method : {"cash_karp", "rkc"})
    cases.push_back({"gray_scott", {.name = "gray_scott"}, method, 1, {0.5, 0.25}});
  for (const char* method : {"rosenbrock", "exponential"})
    cases.push_back({"robertson", {.name = "robertson"}, method, 10, {1, 0, 0}});
  for (const Case& one : cases) {
    const std::string name = fmt::format("{}, {} species, {}", one.name, one.start.size(), one.method);
    if (!options.takes(name)) continue;
    const auto species = static_cast<Offset>(one.start.size());
    solvers::OdeOptions how;
    how.method = one.method;
    const auto step = physics::reaction_diffusion::make_reaction_step(exec, one.reaction, nodes, how);
    std::vector<double> start(static_cast<std::size_t>(species * nodes));
    const std::vector<double> noise = bench::random_values(nodes);
    for (Offset c = 0; c < species; ++c)
      for (Offset i = 0; i < nodes; ++i)
        start[static_cast<std::size_t>(c * nodes + i)] =
            one.start[static_cast<std::size_t>(c)] * (1 + 0.1 * noise[static_cast<std::size_t>(i)]);
    const auto from = to_space<Space>(start);
    Array<double, Space> u(from.size());
    solvers::OdeReport done;
    const auto run = [&] {
      step->forget();
      copy(from, u);
      done = step->advance(0, one.dt, u.view());
    };
    run();
    if (done.failed > 0) throw Error(ExitCode::internal, name + " failed at some nodes", "look at its start");
    const auto steps = static_cast<double>(done.steps + done.rejected);
    bench::Row row;
    row.name = name;
    row.size = fmt::format("{} nodes, t = {:g}", nodes, one.dt);
    row.items = steps;
    row.item = "steps of a node";
    row.timing = bench::measure(exec, run, 5);
    row.note = fmt::format("{:.1f} steps a node, at most {}", steps / static_cast<double>(nodes), done.most_steps);
    if (how.method == "cash_karp" && one.reaction.name == "mass_action")
      add_peer(row, one.reaction.mechanism, nodes, start, to_vector(u), one.dt, how.tolerance);
    report.add(row);
  }
}

/// What libraries keep of each beside ours still fits.
constexpr Offset most_matrices = 1 << 20;

template <class Exec>
void exponentials(Exec& exec, const bench::Options& options, bench::Report& report, Offset count) {
  using Space = typename Exec::Space;
  if (!options.takes("exponential of a matrix")) return;
  for (const int n : {3, 8, 16}) {
    const Offset matrices = std::min(count / (n * n), most_matrices);
    const auto a = to_space<Space>(bench::random_values(matrices * n * n));
    Array<double, Space> result(a.size()), not_finite(1);
    bench::Row row;
    row.name = fmt::format("exponential of a matrix, {} x {}", n, n);
    row.size = fmt::format("{} matrices", matrices);
    row.bytes = 16.0 * static_cast<double>(a.size());
    row.note = "a thread keeps seven matrices";
    row.timing = bench::measure(
        exec,
        [&] {
          solvers::matrix_exponentials(exec, n, matrices, 1.0, View<const double>(a.view()), result.view(),
                                       not_finite.data());
        },
        5);
    const bench::Peer peer = bench::exponential_peer(exec, n, matrices, a, result);
    row.peer = peer.name;
    row.peer_ms = peer.ms;
    row.note += fmt::format(", {:.1e} from the peer's", peer.difference);
    report.add(row);
  }
}

/// Files of a state and two vectors of a scheme, in the folder of the results: to the disk and verified when read.
void checkpoints(Threads& exec, const bench::Options& options, bench::Report& report, Offset values) {
  output::Checkpoint checkpoint;
  checkpoint.header = output::checkpoint_header("bench", "", 0, 0);
  for (const char* name : {"u", "kept_0", "kept_1"})
    checkpoint.arrays.push_back({name, 1, bench::random_values(values)});
  const std::filesystem::path path = std::filesystem::path(options.out) / "checkpoint_of_bench.tsr";
  const auto add = [&](const char* name, const std::function<void()>& work) {
    if (!options.takes(name)) return;
    bench::Row row;
    row.name = name;
    row.size = fmt::format("3 vectors of {}", values);
    row.bytes = 24.0 * static_cast<double>(values);
    row.timing = bench::measure(exec, work, 3);
    row.note = "a file beside the results, one thread";
    report.add(row);
  };
  output::write_checkpoint(path, checkpoint);
  add("checkpoint, written", [&] { output::write_checkpoint(path, checkpoint); });
  add("checkpoint, read", [&] { output::read_checkpoint(path); });
  std::filesystem::remove(path);
}

template <class Exec>
void run(Exec& exec, const bench::Options& options) {
  const bool small = options.quick || std::is_same_v<typename Exec::Space, Host>;
  const std::string device = bench::device_name(exec);
  const double copy = bench::copy_bandwidth(exec);
  bench::Report steps("time", Exec::name, device, copy), nodes("reactions", Exec::name, device, copy);
  schemes(exec, options, steps, options.quick ? 100'000 : small ? 4'000'000 : 1 << 26);
  reactions(exec, options, nodes, options.quick ? 1000 : small ? 100'000 : 4'000'000);
  exponentials(exec, options, nodes, options.quick ? 10'000 : small ? 1'000'000 : 1 << 27);
  if constexpr (std::is_same_v<typename Exec::Space, Host>)
    checkpoints(exec, options, steps, options.quick ? 100'000 : 16'000'000);
  steps.write(fmt::format("{}/time_{}.json", options.out, Exec::name));
  nodes.write(fmt::format("{}/reactions_{}.json", options.out, Exec::name));
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Options options = bench::parse_options(argc, argv);
  bench::on_backends(options, [&](auto& exec) { run(exec, options); });
}
