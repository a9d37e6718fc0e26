// Numeric assembly of linear elasticity into block rows: every strategy on several elements, a refill beside the
// product with the same block rows; each result checked against colours in the same run.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "assembly/space/quadrature_points.hpp"
#include "bench/support/bench.hpp"
#include "bench/support/refill.hpp"
#include "forms/elasticity.hpp"
#include "linalg/block_ops.hpp"
#include "mesh/box.hpp"
#include "mesh/params.hpp"

using namespace tessera;

namespace {

struct Case {
  const char* shape;
  int order;
  int cells, quick_cells;  ///< in each direction
  bool all = true;         ///< every strategy; else those that auto may take
  bool axis = false;       ///< a body of revolution about x = -1

  int dim() const { return mesh::dimension(mesh::shape_from_name(shape)); }
  std::string name() const {
    return fmt::format("{}{} {}{}", std::string(shape) == "quad" || std::string(shape) == "hex" ? "Q" : "P", order,
                       shape, axis ? ", axis" : "");
  }
};

mesh::Mesh make_mesh(const Case& c, int cells) {
  mesh::BoxParams box;
  box.shape = c.shape;
  box.cells.assign(c.dim(), cells);
  return mesh::make_box(box);
}

/// values, at every point if `points` > 0: [regions, components] or [points, components].
forms::Coefficient spread(const std::vector<double>& values, Offset points) {
  forms::Coefficient result{static_cast<int>(values.size()), points > 0, {}};
  for (Offset i = 0; i < std::max<Offset>(1, points); ++i)
    result.values.insert(result.values.end(), values.begin(), values.end());
  return result;
}

/// Isotropic, lambda = 1.2 and mu = 0.8, under its own weight; of a body of revolution at points, as a run has it.
forms::ElasticityData make_data(const Case& c, const mesh::Mesh& mesh, const assembly::DofMap& dofs) {
  constexpr double lambda = 1.2, mu = 0.8;
  const int dim = c.dim(), n = forms::voigt_size(dim, c.axis), normal = c.axis ? 3 : dim;
  std::vector<double> stiffness, force(dim, 0.0), at;
  for (int i = 0; i < n; ++i)
    for (int j = i; j < n; ++j)
      stiffness.push_back((j < normal ? lambda : 0) + (i == j ? (i < normal ? 2 * mu : mu) : 0));
  force.back() = -1;
  forms::ElasticityData data;
  if (c.axis) at = assembly::cell_quadrature_points(mesh, dofs);
  const auto points = static_cast<Offset>(at.size() / 3);
  data.stiffness = spread(stiffness, points);
  data.force = spread(force, points);
  data.radius.per_point = c.axis;
  for (Offset i = 0; i < points; ++i) data.radius.values.push_back(1 + at[3 * i]);
  return data;
}

template <class Exec>
void run(Exec& exec, const bench::Options& options) {
  const bool on_gpu = std::is_same_v<typename Exec::Space, Device>;
  bench::Report report("elasticity", Exec::name, bench::device_name(exec), bench::copy_bandwidth(exec));
  for (const Case& c :
       {Case{"tet", 1, on_gpu ? 100 : 24, 10}, Case{"tet", 1, on_gpu ? 140 : 32, 12, false},
        Case{"triangle", 1, on_gpu ? 1200 : 200, 40}, Case{"triangle", 1, on_gpu ? 600 : 120, 20, false, true},
        Case{"hex", 1, on_gpu ? 80 : 20, 8}, Case{"tet", 2, on_gpu ? 40 : 10, 4}, Case{"hex", 2, on_gpu ? 28 : 7, 3}}) {
    std::vector<std::string> strategies{"colour", "nonzeros", "two_pass"};
    if (c.all) strategies = {"colour", "nonzeros", "colour_blocks", "atomic", "two_pass", "shared"};
    const int cells = options.quick ? c.quick_cells : c.cells;
    std::erase_if(strategies, [&](const std::string& strategy) {
      return !options.takes(fmt::format("{}, {} {}", strategy, c.name(), cells));
    });
    if (strategies.empty()) continue;
    const mesh::Mesh mesh = make_mesh(c, cells);
    const assembly::DofMap dofs = assembly::make_dof_map(mesh, c.order, options.threads);
    bench::Reference reference;
    for (const std::string& strategy : strategies) {
      assembly::Assembler<Exec, forms::Elasticity> assembler(exec, mesh, dofs, {.strategy = strategy});
      bench::report_refill(exec, assembler, assembler.make_block_matrix(), make_data(c, mesh, dofs), c.name(),
                           mesh.cells(), reference, report);
    }
  }
  report.write(fmt::format("{}/elasticity_{}.json", options.out, Exec::name));
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Options options = bench::parse_options(argc, argv);
  bench::on_backends(options, [&](auto& exec) { run(exec, options); });
}
