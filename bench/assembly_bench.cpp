// Numeric assembly of the diffusion operator into compressed rows: every strategy on every kind of element, set-up and
// refill apart, each result checked against colours in the same run; and double atomics, whose rates decide what
// `shared` does.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "assembly/cells/assembler.hpp"
#include "bench/support/atomics.hpp"
#include "bench/support/bench.hpp"
#include "bench/support/meshes.hpp"
#include "bench/support/refill.hpp"
#include "forms/diffusion.hpp"
#include "mesh/box.hpp"
#include "mesh/params.hpp"

using namespace tessera;

namespace {

struct Case {
  const char* shape;
  int order;
  int cells, quick_cells;  ///< in each direction; of the ball, how often its mesh is refined
  bool shuffled = false;
  bool all = true;  ///< every strategy; else colour and what auto takes
};

bool is_ball(const Case& c) { return c.shape == std::string("ball"); }

std::string label(const Case& c) {
  return fmt::format("P{} {}{}", c.order, is_ball(c) ? "tet, ball" : c.shape, c.shuffled ? " shuffled" : "");
}

/// What --only looks at.
std::string case_name(const Case& c, const std::string& strategy, int cells) {
  return fmt::format("{}, {} {}", strategy, label(c), cells);
}

mesh::Mesh make_mesh(const Case& c, int cells) {
  if (is_ball(c)) return bench::ball(0.066, cells, c.shuffled);
  mesh::BoxParams box;
  box.shape = c.shape;
  box.cells.assign(std::string(c.shape) == "triangle" ? 2 : 3, cells);
  mesh::Mesh mesh = mesh::make_box(box);
  if (c.shuffled) bench::shuffle_nodes(mesh);
  return mesh;
}

template <class Exec>
void run_strategy(Exec& exec, const Case& c, const mesh::Mesh& mesh, const assembly::DofMap& dofs,
                  const assembly::AssemblyOptions& options, bench::Reference& reference, bench::Report& report) {
  assembly::Assembler<Exec, forms::Diffusion> assembler(exec, mesh, dofs, options);
  const forms::DiffusionData data{.region = {}, .k = {1, false, {1.5}}, .c = {}, .f = {1, false, {1.0}}};
  bench::report_refill(exec, assembler, assembler.make_matrix(), data, label(c), mesh.cells(), reference, report);
}

/// Partition sizes of `shared`, along the curve and by METIS, on a mesh small enough for METIS.
template <class Exec>
void sweep_partitions(Exec& exec, const bench::Options& options, bench::Report& report) {
  const Case c{"tet", 1, 48, 10};
  const mesh::Mesh mesh = make_mesh(c, options.quick ? c.quick_cells : c.cells);
  const assembly::DofMap dofs = assembly::make_dof_map(mesh, c.order, options.threads);
  bench::Reference reference;
  for (const Index size : {64, 128, 256, 512, 1024})
    run_strategy(exec, c, mesh, dofs, {.strategy = "shared", .partition_size = size, .partition = "geometric"},
                 reference, report);
  run_strategy(exec, c, mesh, dofs, {.strategy = "shared", .partition_size = 256, .partition = "metis"}, reference,
               report);
}

template <class Exec>
void run(Exec& exec, const bench::Options& options) {
  const bool on_gpu = std::is_same_v<typename Exec::Space, Device>;
  bench::Report report("assembly", Exec::name, bench::device_name(exec), bench::copy_bandwidth(exec));
  if (options.takes("atomic adds"))
    for (const bench::Row& row : bench::atomic_rows(exec)) report.add(row);
  for (const Case& c :
       {Case{"tet", 1, on_gpu ? 100 : 50, 16}, Case{"tet", 1, on_gpu ? 160 : 70, 20, false, false},
        Case{"tet", 1, on_gpu ? 80 : 40, 16, true, false}, Case{"triangle", 1, on_gpu ? 1200 : 600, 100},
        Case{"hex", 1, on_gpu ? 100 : 60, 16}, Case{"tet", 2, on_gpu ? 56 : 24, 8}, Case{"hex", 2, on_gpu ? 44 : 20, 6},
        Case{"tet", 3, on_gpu ? 32 : 14, 5}, Case{"ball", 1, on_gpu ? 2 : 1, 0, false, false},
        Case{"ball", 1, on_gpu ? 3 : 2, 0, false, false}, Case{"ball", 1, on_gpu ? 3 : 2, 0, true, false}}) {
    std::vector<std::string> strategies{"colour", "auto"};
    if (c.all) strategies = {"colour", "nonzeros", "colour_blocks", "atomic", "two_pass", "shared"};
    const int cells = options.quick ? c.quick_cells : c.cells;
    std::erase_if(strategies, [&](const std::string& strategy) {
      const std::string name = case_name(c, strategy, cells);
      return is_ball(c) ? !options.takes_by_name(name) : !options.takes(name);
    });
    if (strategies.empty()) continue;
    const mesh::Mesh mesh = make_mesh(c, cells);
    const assembly::DofMap dofs = assembly::make_dof_map(mesh, c.order, options.threads);
    bench::Reference reference;
    for (const std::string& strategy : strategies)
      run_strategy(exec, c, mesh, dofs, {.strategy = strategy}, reference, report);
  }
  if (options.takes("partitions")) sweep_partitions(exec, options, report);
  report.write(fmt::format("{}/assembly_{}.json", options.out, Exec::name));
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Options options = bench::parse_options(argc, argv);
  bench::on_backends(options, [&](auto& exec) { run(exec, options); });
}
