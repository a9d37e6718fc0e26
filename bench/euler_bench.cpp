// Stages of compressible flow: one look at a state and one step forward from it, low order and with convex limiting.
#include <fmt/format.h>

#include <cmath>

#include "bench/support/bench.hpp"
#include "mesh/box.hpp"
#include "physics/euler/scheme.hpp"

using namespace tessera;
using namespace tessera::physics::euler;

namespace {

/// A box of cells whose nodes are moved smoothly, so that no cell is like another.
mesh::Mesh box(const std::string& shape, int dim, int cells) {
  const auto axes = static_cast<std::size_t>(dim);
  mesh::BoxParams params;
  params.shape = shape;
  params.cells = std::vector<int>(axes, cells);
  params.min = std::vector<double>(axes, 0.0);
  params.max = std::vector<double>(axes, 1.0);
  mesh::Mesh mesh = mesh::make_box(params, 1);
  for (Index node = 0; node < mesh.nodes(); ++node) {
    double* const x = &mesh.points[3 * static_cast<std::size_t>(node)];
    const double move = 0.3 / cells * std::sin(6 * x[0]) * std::sin(5 * x[1] + 1) * std::sin(7 * x[2] + 1);
    for (int axis = 0; axis < dim; ++axis) x[axis] += move * (axis + 1) / 3;
  }
  return mesh;
}

struct Case {
  const char* name;
  Limiter limiter;
  bool consistent;
  int passes;
};

/// A smooth flow with a shock across it: some nodes are limited, most are not.
template <int dim>
std::vector<double> flow(const mesh::Mesh& mesh, const assembly::DofMap& dofs, const Gas& gas) {
  std::vector<double> u(static_cast<std::size_t>(Offset{numbers<dim>} * dofs.dofs));
  for (Index node = 0; node < mesh.nodes(); ++node) {
    const double* const x = mesh.point(node);
    Primitive<dim> w;
    w.rho = (x[0] < 0.5 ? 2 : 1) * (1 + 0.1 * std::sin(9 * x[0]) * std::cos(7 * x[1]));
    w.p = (x[0] < 0.5 ? 3 : 1) * (1 + 0.1 * std::cos(8 * x[1]));
    for (int d = 0; d < dim; ++d) w.v[d] = 0.3 * std::sin(5 * x[d]);
    double own[numbers<dim>];
    conservative<dim>(gas, w, own);
    const Index dof = dofs.vertex_dofs[static_cast<std::size_t>(node)];
    for (int c = 0; c < numbers<dim>; ++c) u[static_cast<std::size_t>(Offset{c} * dofs.dofs + dof)] = own[c];
  }
  return u;
}

template <int dim, class Exec>
void stages(Exec& exec, const bench::Options& options, bench::Report& report, const std::string& shape, int cells) {
  using Space = typename Exec::Space;
  const mesh::Mesh mesh = box(shape, dim, cells);
  const assembly::DofMap dofs = assembly::make_dof_map(mesh, 1);
  const Gas gas = make_gas(1.4);
  const std::vector<double> start = flow<dim>(mesh, dofs, gas);
  for (const Case& of :
       {Case{"low order", Limiter::none, false, 0}, Case{"convex", Limiter::convex, true, 2},
        Case{"convex, one pass", Limiter::convex, true, 1}, Case{"convex, lumped mass", Limiter::convex, false, 2}}) {
    const std::string name = fmt::format("{}, {}", of.name, shape);
    if (!options.takes(name)) continue;
    const auto scheme = make_scheme(exec, mesh, dofs,
                                    {.gas = gas,
                                     .limiter = of.limiter,
                                     .consistent_mass = of.consistent,
                                     .passes = of.passes,
                                     .relaxed = true,
                                     .viscosity_factor = 1},
                                    dofs.dofs);
    scheme->set_measure(1);
    const auto u = to_space<Space>(start);
    Array<double, Space> to(u.size());
    scheme->take(u.view(), 0);
    const double dt = 0.9 * scheme->limits(1).front().longest;
    bench::Row row;
    row.name = name;
    row.size = fmt::format("{} nodes", dofs.dofs);
    row.bytes = scheme->bytes_per_stage();
    row.items = dofs.dofs;
    row.item = "nodes";
    row.timing = bench::measure(exec, [&] {
      scheme->take(u.view(), 0);
      scheme->advance(u.view(), dt, 0.25, u.view(), to.view());
    });
    row.note = fmt::format("{:.4g} ns a node and stage", 1e6 * row.timing.median_ms / dofs.dofs);
    report.add(row);
  }
}

template <class Exec>
void run(Exec& exec, const bench::Options& options) {
  bench::Report report("euler", Exec::name, bench::device_name(exec), bench::copy_bandwidth(exec));
  constexpr bool host = std::is_same_v<typename Exec::Space, Host>;
  const int plane = options.quick ? 64 : host ? 400 : 2048, space = options.quick ? 12 : host ? 40 : 160;
  stages<2>(exec, options, report, "triangle", plane);
  stages<2>(exec, options, report, "quad", plane);
  stages<3>(exec, options, report, "tet", space);
  stages<3>(exec, options, report, "hex", space);
  report.write(fmt::format("{}/euler_{}.json", options.out, Exec::name));
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Options options = bench::parse_options(argc, argv);
  bench::on_backends(options, [&](auto& exec) { run(exec, options); });
}
