// Decks that multigrid solves, from the assembled system to the solution: elements of higher order without a matrix,
// elasticity, convection, modes; with the preconditioners that are the alternative. A deck is run twice in this
// process and the second run counts: its phases "lower orders" and "solve", set-up included. A row says where a
// solution fails, and the rest goes on; the program then ends with exit code 1.
#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/error.hpp"
#include "base/memory.hpp"
#include "base/muted.hpp"
#include "base/profile.hpp"
#include "bench/support/bench.hpp"
#include "output/results.hpp"
#include "physics/registry.hpp"

using namespace tessera;

namespace {

/// A deck but for its preconditioner.
struct Case {
  std::string name, text;
  std::vector<const char*> preconditioners;
};

std::string box(const std::string& max, const std::string& cells, const char* shape) {
  return fmt::format("[mesh]\nbox = {{ max = [{}], cells = [{}], shape = \"{}\" }}\n", max, cells, shape);
}
std::string cube(int n, const char* shape) { return box("1, 1, 1", fmt::format("{0}, {0}, {0}", n), shape); }

/// -div((1 + x) grad u) = f with a rough source, u = 0 on one side.
std::string poisson(int order, const char* more) {
  return fmt::format(
      "[physics]\ntype = \"poisson\"\norder = {}\n[[material]]\ndiffusivity = \"1 + x\"\n"
      "source = \"sin(13*x + 7*y)*cos(29*x*y + 3)\"\n[[boundary]]\non = [\"left\"]\ntype = \"dirichlet\"\nvalue = "
      "0\n{}",
      order, more);
}
/// A clamped beam under its weight.
std::string elasticity(double poisson) {
  return fmt::format(
      "[physics]\ntype = \"elasticity\"\n[[material]]\nyoung = 1\npoisson = {}\nbody_force = [\"0\", \"0\", \"-1\"]\n"
      "[[boundary]]\non = [\"left\"]\ntype = \"displacement\"\nvalue = [\"0\", \"0\", \"0\"]\n[solver]\ntype = "
      "\"cg\"\n",
      poisson);
}
/// A flow of this velocity, of diffusion 1, u = 0 all around.
std::string convection(const std::string& velocity, const std::string& sides) {
  return fmt::format(
      "[physics]\ntype = \"convection_diffusion\"\n[[material]]\ndiffusivity = 1\nvelocity = [{}]\n"
      "source = \"sin(13*x + 7*y)*cos(29*x*y + 3)\"\n[[boundary]]\non = [{}]\ntype = \"dirichlet\"\nvalue = 0\n"
      "[solver]\ntype = \"bicgstab\"\nmax_iterations = 20000\n",
      velocity, sides);
}

std::vector<Case> orders(bool large) {
  constexpr const char* by_cg =
      "[assembly]\nstrategy = \"matrix_free\"\n[solver]\ntype = \"cg\"\nmax_iterations = 20000\n";
  return {
      {"Q4 hexes, no matrix", cube(large ? 64 : 10, "hex") + poisson(4, by_cg), {"pmg", "jacobi"}},
      {"Q8 hexes, no matrix", cube(large ? 32 : 5, "hex") + poisson(8, by_cg), {"pmg", "jacobi"}},
      {"P2 tets", cube(large ? 60 : 14, "tet") + poisson(2, "[solver]\ntype = \"cg\"\n"), {"pmg", "amg", "jacobi"}}};
}
std::vector<Case> beams(bool large) {
  const std::string tets = box("4, 1, 1", large ? "176, 44, 44" : "40, 10, 10", "tet"),
                    hexes = box("4, 1, 1", large ? "176, 44, 44" : "40, 10, 10", "hex");
  return {{"elasticity, P1 tets, nu = 0.3", tets + elasticity(0.3), {"amg", "block_jacobi"}},
          {"elasticity, P1 tets, nu = 0.4", tets + elasticity(0.4), {"amg", "block_jacobi"}},
          {"elasticity, Q1 hexes, nu = 0.3", hexes + elasticity(0.3), {"amg", "block_jacobi"}}};
}
std::vector<Case> flows(bool large) {
  std::vector<Case> result;
  const auto square = [](int n, const char* shape) { return box("1, 1", fmt::format("{0}, {0}", n), shape); };
  const std::string all = "\"left\", \"right\", \"bottom\", \"top\"";
  for (const int n : large ? std::vector{256, 512, 1024, 2048} : std::vector{128})
    for (const char* speed : {"10", "1e3", "1e5"})
      result.push_back({fmt::format("flow across a square of {}^2, speed {}", n, speed),
                        square(n, "triangle") + convection(fmt::format("{0}, \"0.7*{0}\"", speed), all),
                        {"amg", "jacobi"}});
  for (const int n : large ? std::vector{512, 1024} : std::vector{128})
    result.push_back({fmt::format("flow around in a square of {}^2", n),
                      square(n, "quad") + convection("\"200*(y - 0.5)\", \"-200*(x - 0.5)\"", all),
                      {"amg", "jacobi"}});
  for (const int n : large ? std::vector{100, 200} : std::vector{16})
    for (const char* speed : {"10", "1e3"})
      result.push_back({fmt::format("flow across a cube of {}^3, speed {}", n, speed),
                        cube(n, "tet") + convection(fmt::format("{0}, \"0.7*{0}\", \"0.3*{0}\"", speed),
                                                    all + ", \"back\", \"front\""),
                        {"amg", "jacobi"}});
  return result;
}
std::vector<Case> modes(bool large) {
  constexpr const char* ten = "[solver]\ntype = \"eigen\"\nmodes = 10\ntolerance = 1e-8\n";
  const std::string laplace =
      "[physics]\ntype = \"poisson\"\n[[boundary]]\non = [\"left\", \"right\", \"bottom\", \"top\", \"back\", "
      "\"front\"]\ntype = \"dirichlet\"\nvalue = 0\n";
  const std::string plate =
      "[physics]\ntype = \"elasticity\"\norder = 2\n[[material]]\nyoung = 1\npoisson = 0.3\ndensity = 1\n[[boundary]]\n"
      "on = [\"left\", \"right\", \"bottom\", \"top\"]\ntype = \"displacement\"\nvalue = [\"0\", \"0\", \"0\"]\n";
  return {{"10 modes of a cube, P1 tets", cube(large ? 99 : 20, "tet") + laplace + ten, {"amg"}},
          {"10 modes of a clamped plate, Q2 hexes",
           box("1, 1, 0.02", large ? "230, 230, 1" : "24, 24, 1", "hex") + plate + ten,
           {"amg"}}};
}

/// Of phases with these names so far.
using Seconds = std::map<std::string, double>;
Seconds seconds_so_far() {
  Seconds result;
  for (const Phase& phase : profile().phases()) result[phase.name] += phase.seconds;
  return result;
}

/// What one run without files took, and what it said.
struct Run {
  Seconds seconds;
  nlohmann::ordered_json said;

  double ms(const std::string& phase) const {
    const auto found = seconds.find(phase);
    return found == seconds.end() ? 0 : 1e3 * found->second;
  }
};
Run run_deck(const bench::Options& options, const char* backend, const std::string& text) {
  const deck::Deck deck = deck::Deck::parse(text);
  const auto module = physics::make_module(deck);
  output::Summary summary;
  physics::Context context{.deck = deck,
                           .backend = backend,
                           .threads = options.threads,
                           .output_directory = std::filesystem::temp_directory_path(),
                           .summary = summary,
                           .quiet = true,
                           .stop = {},
                           .progress = {}};
  const Muted quietly;
  const Seconds before = seconds_so_far();
  if (module->run(context) != ExitCode::ok) throw Error(ExitCode::solver, "a solution did not converge", text);
  Run result{seconds_so_far(), summary.json()};
  for (const auto& [phase, seconds] : before) result.seconds[phase] -= seconds;
  return result;
}

/// "13 iterations, set-up 20.1 ms; lower orders 40.0 ms (spaces 10.0, systems 20.0, transfers 9.0)" of the last run.
std::string note_of(const Run& run) {
  const auto& solver = run.said["solver"];
  std::string note = fmt::format("{} iterations", solver.value("iterations", 0));
  if (solver.contains("multigrid"))
    note += fmt::format(", set-up {:.1f} ms", 1e3 * solver["multigrid"]["set_up_seconds"].get<double>());
  if (run.ms("lower orders") > 0)
    note += fmt::format("; lower orders {:.1f} ms (spaces {:.1f}, systems {:.1f}, transfers {:.1f})",
                        run.ms("lower orders"), run.ms("lower spaces"), run.ms("lower systems"), run.ms("transfers"));
  return note;
}

bench::Row row_of(const bench::Options& options, const char* backend, const Case& c, const std::string& with) {
  const std::string text =
      c.text + fmt::format("preconditioner = \"{}\"\n[run]\nbackend = \"{}\"\n[output]\nformats = []\n", with, backend);
  bench::Row row;
  row.name = fmt::format("{}, {}", c.name, with);
  try {
    for (int call = 0; call < 2; ++call) {
      const Run run = run_deck(options, backend, text);
      const double ms = run.ms("solve") + run.ms("lower orders");
      row.timing = {ms, call == 0 ? ms : std::min(ms, row.timing.min_ms), std::max(ms, row.timing.max_ms)};
      row.size = fmt::format("{} dofs", run.said["space"]["dofs"].get<Offset>());
      row.note = note_of(run);
    }
  } catch (const Error& error) {
    row.failed = true;
    row.timing = {};
    row.note = fmt::format("failed: {}", error.what());
  }
  return row;
}

/// Returns whether all solutions converged.
template <class Exec>
bool run(Exec& exec, const bench::Options& options) {
  bool all = true;
  const bool large = std::is_same_v<typename Exec::Space, Device> && !options.quick;
  bench::Report report("multigrid", Exec::name, bench::device_name(exec), bench::copy_bandwidth(exec));
  for (const auto& cases : {orders(large), beams(large), flows(large), modes(large)})
    for (const Case& c : cases) {
      if (!options.takes(c.name)) continue;
      bench::Row first;
      first.failed = true;
      for (const char* with : c.preconditioners) {
        bench::Row row = row_of(options, Exec::name, c, with);
        all = all && !row.failed;
        if (!row.failed && !first.failed)
          row.note += fmt::format("; {:.2f} times the first", row.timing.median_ms / first.timing.median_ms);
        if (with == c.preconditioners.front()) first = row;
        report.add(row);
      }
    }
  report.write(fmt::format("{}/multigrid_{}.json", options.out, Exec::name));
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Options options = bench::parse_options(argc, argv);
  keep_freed_memory();  // as the program does
  bool all = true;
  bench::on_backends(options, [&](auto& exec) { all = run(exec, options) && all; });
  return all ? 0 : 1;
}
