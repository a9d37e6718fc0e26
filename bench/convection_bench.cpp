// Numeric assembly with a velocity, whose matrices are not symmetric: every strategy on several elements, fewer of them
// with streamline diffusion and with coefficients at points; each result checked against colours in the same run.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "assembly/space/quadrature_points.hpp"
#include "bench/support/bench.hpp"
#include "bench/support/refill.hpp"
#include "mesh/box.hpp"
#include "mesh/params.hpp"
#include "physics/forms/convection_data.hpp"

using namespace tessera;

namespace {

struct Case {
  const char* shape;
  int order;
  int cells, quick_cells;   ///< in each direction
  bool partitions = false;  ///< also the strategies of partitions, whose set-up takes seconds
  bool supg = false;
  bool at_points = false;  ///< velocity and source vary from point to point; else constants

  int dim() const { return mesh::dimension(mesh::shape_from_name(shape)); }
  std::string name() const {
    return fmt::format("{}{} {}, {}{}", std::string(shape) == "quad" || std::string(shape) == "hex" ? "Q" : "P", order,
                       shape, supg ? "SUPG" : "Galerkin", at_points ? ", b(x)" : "");
  }
};

mesh::Mesh make_mesh(const Case& c, int cells) {
  mesh::BoxParams box;
  box.shape = c.shape;
  box.cells.assign(c.dim(), cells);
  return mesh::make_box(box);
}

/// Cell Peclet numbers about 1, where tau takes its dearest branch.
forms::ConvectionData make_data(const Case& c, const mesh::Mesh& mesh, const assembly::DofMap& dofs, int cells) {
  forms::ConvectionData data;
  data.diffusion.k.values = {0.5 / cells};
  data.velocity.components = c.dim();
  if (!c.at_points) {
    data.diffusion.f.values = {1};
    for (int d = 0; d < c.dim(); ++d) data.velocity.values.push_back(1 - 0.3 * d);
    return data;
  }
  const Offset points = assembly::QuadraturePoints(mesh, dofs).before(mesh.blocks.size());
  data.diffusion.f = {1, true, bench::random_values(points)};
  data.velocity = {c.dim(), true, bench::random_values(points * c.dim(), 2)};
  return data;
}

template <class Exec>
void run_strategy(Exec& exec, const Case& c, const mesh::Mesh& mesh, const assembly::DofMap& dofs,
                  const forms::ConvectionData& data, const std::string& strategy, bench::Reference& reference,
                  bench::Report& report) {
  assembly::Assembler<Exec, forms::Convection> assembler(exec, mesh, dofs, {.strategy = strategy}, {.supg = c.supg});
  bench::report_refill(exec, assembler, assembler.make_matrix(), data, c.name(), mesh.cells(), reference, report);
}

std::vector<Case> cases(bool on_gpu) {
  std::vector<Case> result;
  for (const Case& c : {Case{"triangle", 1, on_gpu ? 1200 : 500, 60, true}, Case{"tet", 1, on_gpu ? 80 : 36, 10},
                        Case{"quad", 1, on_gpu ? 1600 : 600, 60}, Case{"hex", 1, on_gpu ? 100 : 44, 10, true},
                        Case{"triangle", 2, on_gpu ? 600 : 250, 30}}) {
    result.push_back(c);
    result.push_back(c);
    result.back().supg = true;
    if (c.order > 1 || c.shape == std::string("quad")) continue;
    for (const bool supg : {false, true}) {
      result.push_back(result.back());
      result.back().supg = supg;
      result.back().at_points = true;
    }
  }
  return result;
}

template <class Exec>
void run(Exec& exec, const bench::Options& options) {
  bench::Report report("convection", Exec::name, bench::device_name(exec), bench::copy_bandwidth(exec));
  for (const Case& c : cases(std::is_same_v<typename Exec::Space, Device>)) {
    std::vector<std::string> strategies{"colour", "nonzeros", "atomic", "two_pass"};
    if (c.partitions) strategies.insert(strategies.end(), {"colour_blocks", "shared"});
    if (c.supg) strategies = {"colour", "atomic", "auto"};
    if (c.at_points) strategies = {"colour", "nonzeros", "two_pass"};
    std::erase_if(strategies, [&](const std::string& strategy) { return !options.takes(strategy + ", " + c.name()); });
    if (strategies.empty()) continue;
    const int cells = options.quick ? c.quick_cells : c.cells;
    const mesh::Mesh mesh = make_mesh(c, cells);
    const assembly::DofMap dofs = assembly::make_dof_map(mesh, c.order, options.threads);
    const forms::ConvectionData data = make_data(c, mesh, dofs, cells);
    bench::Reference reference;
    for (const std::string& strategy : strategies) run_strategy(exec, c, mesh, dofs, data, strategy, reference, report);
  }
  report.write(fmt::format("{}/convection_{}.json", options.out, Exec::name));
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Options options = bench::parse_options(argc, argv);
  bench::on_backends(options, [&](auto& exec) { run(exec, options); });
}
