#include "physics/euler/results.hpp"

#include <nlohmann/json.hpp>

#include "assembly/edge/boundary_normals.hpp"
#include "assembly/edge/list.hpp"
#include "assembly/fields/quantities.hpp"
#include "base/profile.hpp"
#include "physics/euler/limiter_field.hpp"
#include "physics/groups.hpp"

namespace tessera::physics::euler {

namespace {

/// A state of any dimension.
struct HostState {
  double rho = 1, energy = 1, kinetic = 0, p = 1;
  std::array<double, 3> m{};

  HostState(const Gas& gas, const NodalSolution& s, Index dof) {
    const auto n = static_cast<std::size_t>(s.space.components);
    const double* const u = &s.u[static_cast<std::size_t>(dof) * n];
    rho = u[density];
    energy = u[euler::energy];
    for (std::size_t d = 0; d + momentum < n; ++d) {
      m[d] = u[momentum + d];
      kinetic += 0.5 * m[d] * m[d] / rho;
    }
    p = gas.pressure(rho, energy - kinetic);
  }
};

/// |grad rho| of the projection with the lumped mass: sum_j c_ij rho_j / m_i.
std::vector<double> schlieren(const NodalSolution& s) {
  Threads exec(s.threads);
  const auto edges = assembly::make_edges(exec, s.mesh, s.space.dofs);
  const auto nodes = static_cast<std::size_t>(edges.nodes), dim = static_cast<std::size_t>(edges.dim);
  std::vector<double> gradient(nodes * 3, 0.0), result(nodes);
  const auto rho = [&](Index i) { return s.u[static_cast<std::size_t>(s.space.row(i, density))]; };
  const auto add = [&]<int d_>() {
    for (Index e = 0; e < edges.edges; ++e) {
      assembly::EdgeAt<d_> edge;
      const Index i = edges.i[e], j = edges.j[e];
      edges.coefficients.view(d_).template load<assembly::edge_data::c>(e, edge);
      for (std::size_t d = 0; d < d_; ++d) {
        gradient[static_cast<std::size_t>(i) * 3 + d] += edge.c_ij[d] * (rho(j) - rho(i));
        gradient[static_cast<std::size_t>(j) * 3 + d] += edge.c_ji[d] * (rho(i) - rho(j));
      }
    }
  };
  if (dim == 1) add.template operator()<1>();
  if (dim == 2) add.template operator()<2>();
  if (dim == 3) add.template operator()<3>();
  for (std::size_t i = 0; i < nodes; ++i)
    result[i] = std::hypot(gradient[3 * i], gradient[3 * i + 1], gradient[3 * i + 2]) /
                edges.node_lumped_mass[static_cast<Offset>(i)];
  return result;
}

}  // namespace

std::vector<FieldInfo> derived_fields() {
  return {{.name = "density", .unit = "kg/m^3"},
          {.name = "velocity", .unit = "m/s", .vector = true, .measured = true},
          {.name = "pressure", .unit = "Pa", .measured = true},
          {.name = "Mach", .measured = true},
          {.name = "entropy", .measured = true, .written = false},
          {.name = "schlieren", .unit = "kg/m^4", .measured = true, .written = false},
          {.name = "total_pressure", .unit = "Pa", .measured = true, .written = false},
          {.name = "total_pressure_loss", .measured = true, .written = false},
          {.name = "pressure_coefficient", .measured = true, .written = false},
          {.name = "limiter", .measured = true, .written = false},
          {.name = "energy", .unit = "J/m^3", .written = false},
          {.name = "momentum", .unit = "kg/(m^2 s)", .vector = true, .written = false}};
}

std::vector<double> totals_of(const NodalSolution& s) {
  const mesh::Group own = s.own(nullptr);
  std::vector<double> totals(2 + static_cast<std::size_t>(s.space.components), 0.0);
  const assembly::FieldView u{s.u, assembly::FieldLayout::by_nodes(s.space.components)};
  for (int c = 0; c < s.space.components; ++c) {
    const assembly::Moments of = assembly::moments(s.mesh, s.space.dofs, u.component(c), &own, s.threads);
    totals[0] = of.measure;
    totals[1 + static_cast<std::size_t>(c)] = of.integral;
  }
  totals.pop_back();
  return totals;
}

std::vector<double> FlowResults::field(const std::string& name) {
  if (name == "schlieren") return schlieren(s_);
  if (name == "limiter") return limiter_field(problem_, s_);
  const Gas& gas = problem_.gas;
  const ReferenceParams away = problem_.params.reference.value_or(ReferenceParams{});
  const double total_away = total_pressure(gas, away.pressure, away.speed / gas.sound(away.density, away.pressure));
  const bool vector = name == "velocity" || name == "momentum";
  const auto nodes = static_cast<std::size_t>(s_.space.dofs.dofs);
  std::vector<double> result(nodes * (vector ? 3 : 1));
  for (std::size_t i = 0; i < nodes; ++i) {
    const HostState state(gas, s_, static_cast<Index>(i));
    if (vector) {
      for (std::size_t d = 0; d < 3; ++d) result[3 * i + d] = name == "velocity" ? state.m[d] / state.rho : state.m[d];
      continue;
    }
    if (name == "density") result[i] = state.rho;
    if (name == "energy") result[i] = state.energy;
    if (name == "pressure") result[i] = state.p;
    if (name == "entropy") result[i] = (gas.gamma - 1) * (state.energy - state.kinetic) * gas.entropy_factor(state.rho);
    const double mach = std::sqrt(2 * state.kinetic / state.rho) / gas.sound(state.rho, state.p);
    if (name == "Mach") result[i] = mach;
    if (name == "total_pressure") result[i] = total_pressure(gas, state.p, mach);
    if (name == "total_pressure_loss") result[i] = 1 - total_pressure(gas, state.p, mach) / total_away;
    if (name == "pressure_coefficient") result[i] = (state.p - away.pressure) / away.dynamic_pressure();
  }
  return result;
}

double FlowResults::coefficient(const QuantityParams& quantity) const {
  const ReferenceParams& away = *problem_.params.reference;
  const double radians = away.angle * std::acos(-1.0) / 180, along = std::cos(radians), across = std::sin(radians);
  std::array<double, 3> centre{};
  std::copy(away.centre.begin(), away.centre.end(), centre.begin());
  const mesh::Group group = united_groups(s_.mesh, quantity.on, s_.mesh.dim - 1, quantity.where);
  const mesh::Group own = s_.own(&group);
  double force_x = 0, force_y = 0, moment = 0;  // the moment about z turns x towards y
  for (const assembly::FacetNormal& facet : assembly::nodal_facet_normals(s_.mesh, s_.space.dofs, own)) {
    const double* const x = &s_.dof_points[3 * static_cast<std::size_t>(facet.dof)];
    const double p = HostState(problem_.gas, s_, facet.dof).p - away.pressure;
    force_x += p * facet.n[0];
    force_y += p * facet.n[1];
    moment += p * ((x[0] - centre[0]) * facet.n[1] - (x[1] - centre[1]) * facet.n[0]);
  }
  const double unit = away.dynamic_pressure() * away.size(s_.mesh.dim);
  if (quantity.kind == "drag_coefficient") return (along * force_x + across * force_y) / unit;
  if (quantity.kind == "lift_coefficient") return (along * force_y - across * force_x) / unit;
  return -moment / (unit * away.length);
}

void FlowResults::write_tables(const std::filesystem::path& directory) {
  if (problem_.params.surfaces.empty()) return;
  Threads exec(s_.threads);
  Scope scope(exec, "output");
  for (const SurfaceParams& surface : problem_.params.surfaces)
    write_surface(
        surface, derived_fields(), s_, [this](const std::string& name) { return field(name); }, directory);
}

double FlowResults::quantity(const QuantityParams& quantity) const {
  if (needs_reference(quantity.kind)) return coefficient(quantity);
  const auto axis = static_cast<std::size_t>(quantity.kind.back() - 'x');
  const mesh::Group group = united_groups(s_.mesh, quantity.on, s_.mesh.dim - 1, quantity.where);
  const mesh::Group own = s_.own(&group);
  double sum = 0;
  for (const assembly::FacetNormal& facet : assembly::nodal_facet_normals(s_.mesh, s_.space.dofs, own))
    sum += HostState(problem_.gas, s_, facet.dof).p * facet.n[axis];
  return sum;
}

Results::Totals FlowResults::totals() const {
  Totals totals;
  totals.sums = totals_of(s_);
  totals.sums.insert(totals.sums.end(), start_.begin(), start_.end());
  return totals;
}

void FlowResults::report(const Totals& totals, output::Summary& summary) const {
  const std::size_t n = 1 + static_cast<std::size_t>(s_.space.components);
  const auto balance = [&](std::size_t first) {
    nlohmann::ordered_json of{{"mass", totals.sums[first + 1 + density]}, {"energy", totals.sums[first + 1 + energy]}};
    for (std::size_t c = momentum; c + 1 < n; ++c)
      of[std::string("momentum_") + "xyz"[c - momentum]] = totals.sums[first + 1 + c];
    return of;
  };
  nlohmann::ordered_json all{{"volume", totals.sums[0]}, {"end", balance(0)}};
  if (totals.sums.size() == 2 * n) all["start"] = balance(n);
  summary.set_json("balance", all);
}

}  // namespace tessera::physics::euler
