// Stages of compressible flow: one look at a state and one step forward from it, by viscosity, limiter and time scheme,
// in double and in float, of nodes as a box has them and as a mesh from a file has them, and the rates of low order by
// rows and by edge loops. On CUDA whole steps of smaller meshes, one by one and queued ahead.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "base/error.hpp"
#include "bench/support/bench.hpp"
#include "linalg/vector_ops.hpp"
#include "mesh/box.hpp"
#include "mesh/numbering.hpp"
#include "physics/conservation/steps.hpp"
#include "physics/euler/scheme.hpp"
#include "physics/forms/euler_edges.hpp"

using namespace tessera;
using namespace tessera::physics;
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

/// The same mesh with nodes and cells in random orders, and then ordered as one from a file is.
mesh::Mesh as_from_file(mesh::Mesh mesh) {
  std::mt19937 random(5);
  const auto shuffled = [&](Index count) {
    std::vector<Index> numbers(static_cast<std::size_t>(count));
    std::iota(numbers.begin(), numbers.end(), 0);
    std::shuffle(numbers.begin(), numbers.end(), random);
    return numbers;
  };
  mesh.box_cells = {};
  mesh::renumber_nodes(mesh, shuffled(mesh.nodes()));
  mesh::renumber_cells(mesh, shuffled(mesh.blocks.front().cells()));
  mesh::renumber_rcm(mesh);
  return mesh;
}

struct Case {
  const char* name;
  SchemeParams params;
  const char* steps = nullptr;  ///< of stages that look at those before; else a stage is one of a Shu-Osher scheme
};

SchemeParams limited_by(Limiter limiter, bool consistent = true, int passes = 2) {
  return {.gas = make_gas(1.4), .limiter = limiter, .consistent_mass = consistent, .passes = passes};
}
SchemeParams in_float(SchemeParams params) {
  params.in_float = true;
  return params;
}
SchemeParams low_order(Viscosity viscosity) {
  SchemeParams params = limited_by(Limiter::none);
  params.viscosity = viscosity;
  return params;
}

std::vector<Case> cases() {
  return {{"low order", low_order(Viscosity::guaranteed)},
          {"low order, scalar viscosity", low_order(Viscosity::scalar)},
          {"low order, roe viscosity", low_order(Viscosity::roe)},
          {"low order, float", in_float(low_order(Viscosity::guaranteed))},
          {"convex", limited_by(Limiter::convex)},
          {"convex, float", in_float(limited_by(Limiter::convex))},
          {"convex, one pass", limited_by(Limiter::convex, true, 1)},
          {"convex, lumped mass", limited_by(Limiter::convex, false)},
          {"convex, erk22", limited_by(Limiter::convex), "erk22"},
          {"convex, erk33", limited_by(Limiter::convex), "erk33"},
          {"convex, float, erk33", in_float(limited_by(Limiter::convex)), "erk33"},
          {"monolithic", limited_by(Limiter::monolithic)},
          {"monolithic, float", in_float(limited_by(Limiter::monolithic))},
          {"monolithic, lumped mass", limited_by(Limiter::monolithic, false)},
          {"fct", limited_by(Limiter::fct)}};
}

std::string name_of_steps(bool ahead, const std::string& shape) {
  return fmt::format("steps, convex, ssp_rk3, {}, {}", ahead ? "ahead" : "one by one", shape);
}
/// Whether there is a row of stages of a shape to be measured.
bool takes_some(const bench::Options& options, const std::string& shape) {
  bool takes =
      options.takes("fct: correction, once a step, " + shape) || options.takes("rates of low order, rows, " + shape);
  for (const Case& of : cases()) takes = takes || options.takes(fmt::format("{}, {}", of.name, shape));
  for (const auto& entry : assembly::edge_strategies())
    takes = takes || options.takes(fmt::format("rates of low order, edges {}, {}", entry.name, shape));
  return takes;
}

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

/// The bench of one mesh.
template <int dim, class Exec>
class Flow {
 public:
  using Space = typename Exec::Space;
  using Values = Array<double, Space>;

  Flow(Exec& exec, const bench::Options& options, bench::Report& report, const std::string& shape, mesh::Mesh mesh)
      : exec_(exec),
        options_(options),
        report_(report),
        shape_(shape),
        mesh_(std::move(mesh)),
        dofs_(assembly::make_dof_map(mesh_, 1)),
        start_(flow<dim>(mesh_, dofs_, make_gas(1.4))) {}

  void run() {
    for (const Case& of : cases()) stage(of);
    rates_by_edges();
  }
  /// What the numbering of a mesh decides about.
  void run_limited() {
    for (const Case& of : cases())
      if (of.name == std::string("low order") || of.name == std::string("convex") ||
          of.name == std::string("convex, float"))
        stage(of);
  }
  /// Whole steps, of each of which the host waits for what it has found, and as runs queue them.
  void run_steps() {
    for (const bool ahead : {false, true}) whole_steps(ahead);
  }

 private:
  void stage(const Case& of) {
    const std::string name = fmt::format("{}, {}", of.name, shape_);
    if (!options_.takes(name)) return;
    const auto scheme = make_scheme(exec_, mesh_, dofs_, of.params, dofs_.dofs);
    scheme->set_measure(1);
    const Values u = to_space<Space>(start_);
    Values to(u.size()), corrected(scheme->corrects() ? u.size() : 0);
    scheme->take(u.view(), 0);
    const double dt = 0.9 * scheme->limits(1).front().longest;
    if (of.steps) return steps_of(*scheme, of, name, u, dt);
    add(name, scheme->bytes_per_stage(), 1, [&] {
      scheme->take(u.view(), 0);
      scheme->advance(u.view(), dt, 0.25, u.view(), to.view());
    });
    if (!scheme->corrects()) return;
    scheme->take(u.view(), 0);
    add(fmt::format("{}: correction, once a step, {}", of.name, shape_), 0, 1,
        [&] { scheme->correct(u.view(), dt, corrected.view()); });
  }

  /// A whole step, by its stages; each goes as far as one of ssp_rk3, and together they go that many times as far.
  /// Bytes are those of stages that look at none before.
  void steps_of(Scheme<Exec>& scheme, const Case& of, const std::string& name, const Values& u, double dt) {
    const std::vector<conservation::Stage> all = conservation::stages_of(of.steps);
    Values one(u.size()), other(u.size());
    const int count = static_cast<int>(all.size());
    add(name, count * scheme.bytes_per_stage(), count, [&] {
      View<const double> from = u.view();
      for (int s = 0; s < count; ++s) {
        Values& to = s % 2 == 0 ? one : other;
        scheme.take(from, 0);
        scheme.advance_stage(from, dt, all[static_cast<std::size_t>(s)].weights, s + 1 == count, to.view());
        from = std::as_const(to).view();
      }
    });
  }

  /// The same steps from the start, each time.
  void whole_steps(bool ahead) {
    const std::string name = name_of_steps(ahead, shape_);
    if (!options_.takes(name)) return;
    const auto scheme = make_scheme(exec_, mesh_, dofs_, limited_by(Limiter::convex), dofs_.dofs);
    scheme->set_measure(1);
    conservation::SchemeSteps<Exec> steps(exec_, *scheme, conservation::stages_of("ssp_rk3"),
                                          [](double, View<double>) {});
    const Values start = to_space<Space>(start_);
    constexpr double cfl = 0.5, any = 1e300;
    constexpr int count = 100, stages = 3;
    if (ahead) steps.go_ahead(cfl, any);
    add(name, 0, stages * count, [&] {
      linalg::copy(exec_, start.view(), steps.state());
      bool goes_on = steps.begin();
      double t = 0;
      for (int k = 0; k < count && goes_on; ++k) {
        const double dt = steps.step(t, cfl, any).dt;
        goes_on = dt > 0;
        t += dt;
      }
      if (!goes_on) throw Error(ExitCode::internal, "the bench lost its gas");
    });
  }

  /// The rates of low order alone: by rows, with the bound of the wave speed, and the longest step; and by the
  /// strategies of edge loops, with Rusanov's viscosity.
  void rates_by_edges() {
    const std::string rows = fmt::format("rates of low order, rows, {}", shape_);
    if (options_.takes(rows)) {
      const auto scheme = make_scheme(exec_, mesh_, dofs_, low_order(Viscosity::guaranteed), dofs_.dofs);
      const Values u = to_space<Space>(start_);
      add(rows, scheme->bytes_per_stage(), 1, [&] { scheme->take(u.view(), 0); });
    }
    const auto edges = assembly::make_edges(exec_, mesh_, dofs_);
    // rho, momentum, energy
    const auto nodes = static_cast<std::ptrdiff_t>(dofs_.dofs);
    std::vector<double> state(start_);
    std::rotate(state.begin() + nodes, state.begin() + 2 * nodes, state.end());
    const Values u = to_space<Space>(state);
    Values f(u.size());
    for (const auto& entry : assembly::edge_strategies()) {
      const std::string name = fmt::format("rates of low order, edges {}, {}", entry.name, shape_);
      if (!options_.takes(name)) continue;
      auto loop = assembly::make_edge_loop(exec_, edges, entry.strategy);
      add(name, assembly::edge_loop_bytes<EulerRusanov<dim>>(loop), 1,
          [&] { assembly::run_edges(exec_, loop, EulerRusanov<dim>{}, View<const double>(u), f.view()); });
    }
  }

  void add(const std::string& name, double bytes, int stages, const std::function<void()>& work) {
    bench::Row row;
    row.name = name;
    row.size = fmt::format("{} nodes", dofs_.dofs);
    row.bytes = bytes;
    row.items = static_cast<double>(stages) * dofs_.dofs;
    row.item = "nodes";
    row.timing = bench::measure(exec_, work);
    row.note = fmt::format("{:.4g} ns a node{}", 1e6 * row.timing.median_ms / row.items,
                           stages > 1 ? fmt::format(" and stage, {} stages", stages) : " and stage");
    report_.add(row);
  }

  Exec& exec_;
  const bench::Options& options_;
  bench::Report& report_;
  const std::string shape_;
  const mesh::Mesh mesh_;
  const assembly::DofMap dofs_;
  const std::vector<double> start_;  ///< [numbers, nodes]
};

template <class Exec>
void run(Exec& exec, const bench::Options& options) {
  bench::Report report("euler", Exec::name, bench::device_name(exec), bench::copy_bandwidth(exec));
  constexpr bool host = std::is_same_v<typename Exec::Space, Host>;
  const int plane = options.quick ? 64 : host ? 400 : 2048, space = options.quick ? 12 : host ? 40 : 160;
  const auto all = [&]<int dim>(const std::string& shape, int cells) {
    if (takes_some(options, shape)) Flow<dim, Exec>(exec, options, report, shape, box(shape, dim, cells)).run();
  };
  all.template operator()<2>("triangle", plane);
  all.template operator()<2>("quad", plane);
  all.template operator()<3>("tet", space);
  all.template operator()<3>("hex", space);
  const auto mixed = [&]<int dim>(const std::string& shape, int cells) {
    const std::string name = shape + ", as from a file";
    if (options.takes("low order, " + name) || options.takes("convex, " + name) ||
        options.takes("convex, float, " + name))
      Flow<dim, Exec>(exec, options, report, name, as_from_file(box(shape, dim, cells))).run_limited();
  };
  mixed.template operator()<2>("triangle", plane);
  mixed.template operator()<3>("tet", space);
  const auto steps = [&]<int dim>(const std::string& shape, int cells) {
    if (options.takes(name_of_steps(false, shape)) || options.takes(name_of_steps(true, shape)))
      Flow<dim, Exec>(exec, options, report, shape, box(shape, dim, cells)).run_steps();
  };
  if constexpr (!host) {
    for (const int cells : {100, 200, 400, 1000}) steps.template operator()<2>("triangle", options.quick ? 16 : cells);
    for (const int cells : {22, 46, 100}) steps.template operator()<3>("tet", options.quick ? 6 : cells);
  }
  report.write(fmt::format("{}/euler_{}.json", options.out, Exec::name));
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Options options = bench::parse_options(argc, argv);
  bench::on_backends(options, [&](auto& exec) { run(exec, options); });
}
