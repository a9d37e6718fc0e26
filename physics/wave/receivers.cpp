#include "physics/wave/receivers.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tessera::physics::wave {

namespace {

using assembly::spectral::Coefficients;
using assembly::spectral::ElementPoint;
using Of = Receiver::Of;

[[noreturn]] void refuse(const ProbeParams& probe, const std::string& what, const std::string& help) {
  throw Error(ExitCode::usage, fmt::format("probe '{}': {}", probe.name, what), help, probe.where);
}

/// "a_x" is {"a", {0}}, "strain_xy" {"strain", {0, 1}}, "p" {"p", {}}.
struct Name {
  std::string of;
  std::vector<int> axes;
};
Name parse(const std::string& name) {
  const std::size_t at = name.find('_');
  if (at == std::string::npos) return {name, {}};
  Name result{name.substr(0, at), {}};
  for (std::size_t i = at + 1; i < name.size(); ++i) result.axes.push_back(name[i] - 'x');
  return result;
}

/// A number of the material at a point.
double at_point(const Problem& problem, const ElementPoint& point, const Coefficients& material, int component) {
  if (point.dofs.empty()) return 0;
  const Index cell = problem.own(point.cell);
  if (!material.at_places) return material.at(problem.cells, cell, 0, component);
  double sum = 0;
  for (std::size_t i = 0; i < point.dofs.size(); ++i) {
    const Index* const dofs = problem.cells.cell(cell);
    const auto place = static_cast<int>(std::find(dofs, dofs + problem.cells.places, point.dofs[i]) - dofs);
    sum += point.values[i] * material.at(problem.cells, cell, place, component);
  }
  return sum;
}

/// factor d u_c / d x_d
void add_slope(const Problem& problem, const ElementPoint& point, int c, int d, double factor, Receiver& to) {
  for (std::size_t i = 0; i < point.dofs.size(); ++i)
    to.weights.emplace_back(problem.row(point.dofs[i], c), factor * point.slopes[i][static_cast<std::size_t>(d)]);
}

/// "u" is m, "v" m/s, "a" m/s^2.
void take_motion(const std::string& of, Receiver& to) {
  to.of = of == "u" ? Of::field : of == "v" ? Of::rate : Of::acceleration;
  to.unit = of == "u" ? "m" : of == "v" ? "m/s" : "m/s^2";
}

Receiver of_solid(const Problem& problem, const ElementPoint& point, const Name& name) {
  Receiver result;
  if (name.of == "u" || name.of == "v" || name.of == "a") {
    take_motion(name.of, result);
    for (std::size_t i = 0; i < point.dofs.size(); ++i)
      result.weights.emplace_back(problem.row(point.dofs[i], name.axes[0]), point.values[i]);
  } else if (name.of == "strain") {
    add_slope(problem, point, name.axes[0], name.axes[1], 0.5, result);
    add_slope(problem, point, name.axes[1], name.axes[0], 0.5, result);
  } else if (name.of == "rotation") {
    const int a = (name.axes[0] + 1) % 3, b = (name.axes[0] + 2) % 3;
    add_slope(problem, point, b, a, 0.5, result);
    add_slope(problem, point, a, b, -0.5, result);
  } else {  // p = -(lambda + 2/3 mu) div u, a third of the trace of the stress
    result.unit = "Pa";
    const Coefficients& material = problem.media.stiffness;
    const double kappa = at_point(problem, point, material, 0) + 2 * at_point(problem, point, material, 1) / 3;
    for (int d = 0; d < problem.cells.dim; ++d) add_slope(problem, point, d, d, -kappa, result);
  }
  return result;
}

Receiver of_fluid(const Problem& problem, const ElementPoint& point, const Name& name) {
  const Index first = problem.space.rows();
  Receiver result;
  if (name.of == "p") {
    result.of = Of::acceleration;
    result.unit = "Pa";
    for (std::size_t i = 0; i < point.dofs.size(); ++i)
      result.weights.emplace_back(first + point.dofs[i], -point.values[i]);
    return result;
  }
  take_motion(name.of, result);
  const double by = at_point(problem, point, problem.media.stiffness, 0);
  for (std::size_t i = 0; i < point.dofs.size(); ++i)
    result.weights.emplace_back(first + point.dofs[i], by * point.slopes[i][static_cast<std::size_t>(name.axes[0])]);
  return result;
}

/// The one component of u is that across the plane: strains are half of its slopes, as is the rotation.
Receiver of_sh(const Problem& problem, const ElementPoint& point, const Name& name) {
  Receiver result;
  if (name.of == "a") {
    take_motion(name.of, result);
    for (std::size_t i = 0; i < point.dofs.size(); ++i) result.weights.emplace_back(point.dofs[i], point.values[i]);
  } else if (name.of == "strain") {
    add_slope(problem, point, 0, name.axes[0], 0.5, result);
  } else {  // of the x axis half of du/dy, of the y axis half of -du/dx
    add_slope(problem, point, 0, 1 - name.axes[0], name.axes[0] == 0 ? 0.5 : -0.5, result);
  }
  return result;
}

/// a = -grad p / rho.
Receiver of_pressure(const Problem& problem, const ElementPoint& point, const Name& name) {
  Receiver result;
  result.unit = "m/s^2";
  add_slope(problem, point, 0, name.axes[0], -at_point(problem, point, problem.media.stiffness, 0), result);
  return result;
}

/// One entry a column.
Receiver summed(Receiver receiver) {
  std::sort(receiver.weights.begin(), receiver.weights.end());
  std::vector<std::pair<Index, double>> sums;
  for (const auto& [column, weight] : receiver.weights) {
    if (sums.empty() || sums.back().first != column)
      sums.emplace_back(column, weight);
    else
      sums.back().second += weight;
  }
  receiver.weights = std::move(sums);
  return receiver;
}

bool is_own(const std::string& name, Medium medium) {
  const std::vector<std::string> names = receiver_names(medium);
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Of a medium of pressures: it has no displacements, and with a damping of slopes two of its numbers push.
void check_pressure(const Params& params, const ProbeParams& probe, const Name& name) {
  if (name.of == "u" || name.of == "v")
    refuse(probe,
           fmt::format("there is no '{}' of physics.medium = \"acoustic\", whose unknown is the pressure", probe.of),
           "there are p, p_rate and accelerations, -grad p / rho; u and v of fluids are those of "
           "physics.medium = \"coupled\", also where all materials are fluids");
  for (const MaterialParams& material : params.materials)
    if (material.rayleigh_beta)
      refuse(probe, "an acceleration of a fluid with rayleigh_beta",
             "what pushes there is the slope of p + beta p': look at p and p_rate");
}

void check(const Problem& solid, const Problem* fluid) {
  const Params& params = solid.params;
  const Discretisation& space = solid.space;
  if (params.probes.empty() || space.ranks) return;
  const mesh::PointLocator locator(space.mesh);
  for (const ProbeParams& probe : params.probes) {
    if (!is_own(probe.of, params.medium)) continue;
    const Name name = parse(probe.of);
    for (const int axis : params.medium == Medium::sh ? std::vector<int>() : name.axes)
      if (name.of == "rotation" ? space.mesh.dim == 2 && axis < 2 : axis >= space.mesh.dim)
        refuse(probe, fmt::format("there is no '{}' in {} dimensions", probe.of, space.mesh.dim),
               name.of == "rotation" ? "in the plane there is rotation_z" : "components are those of the mesh's axes");
    if (params.medium == Medium::acoustic) {
      check_pressure(params, probe, name);
      continue;
    }
    const auto found = locator.find(probe.point());
    const bool in_fluid = fluid && found && fluid->own(found->cell) >= 0;
    if (in_fluid && (name.of == "strain" || name.of == "rotation"))
      refuse(probe, fmt::format("a {} in a fluid", name.of), "of fluids there are u, v, a and p");
    if (!in_fluid && name.of == "p" && solid.media.anisotropic)
      refuse(probe, "a pressure where solids are anisotropic", "look at the components of strain");
    if (name.of == "a" && params.time && params.time->scheme != "newmark")
      refuse(probe, fmt::format("accelerations with scheme = \"{}\"", params.time->scheme),
             "choose scheme = \"newmark\"");
  }
}

}  // namespace

std::vector<std::string> receiver_names(Medium medium) {
  if (medium == Medium::acoustic) return {"a_x", "a_y", "a_z", "u_x", "u_y", "u_z", "v_x", "v_y", "v_z"};
  if (medium == Medium::sh) return {"a", "strain_xz", "strain_yz", "rotation_x", "rotation_y"};
  return {"a_x",       "a_y",       "a_z",        "strain_xx",  "strain_yy",  "strain_zz", "strain_xy",
          "strain_yz", "strain_xz", "rotation_x", "rotation_y", "rotation_z", "p"};
}

void check_receivers(const Problem& problem) { check(problem, nullptr); }
void check_receivers(const CoupledProblem& problem) { check(problem.solid, &problem.fluid); }

std::optional<Receiver> make_receiver(const Problem& problem, const mesh::PointLocator& locator,
                                      const ProbeParams& probe) {
  if (!is_own(probe.of, problem.params.medium)) return std::nullopt;
  const auto point = assembly::spectral::element_point(problem.space.mesh, problem.space.dofs, locator, probe.point());
  const auto of_medium = problem.medium == Medium::acoustic ? of_pressure
                         : problem.medium == Medium::sh     ? of_sh
                                                            : of_solid;
  // Where this rank does not see the point, the unit alone counts.
  return summed(of_medium(problem, point ? *point : ElementPoint(), parse(probe.of)));
}

std::optional<Receiver> make_receiver(const CoupledProblem& problem, const mesh::PointLocator& locator,
                                      const ProbeParams& probe) {
  const auto point = assembly::spectral::element_point(problem.space.mesh, problem.space.dofs, locator, probe.point());
  const Name name = parse(probe.of);
  // Where this rank does not see the point, the unit alone counts.
  if (!point) return of_solid(problem.solid, {}, name);
  if (problem.fluid.own(point->cell) >= 0) return summed(of_fluid(problem.fluid, *point, name));
  return summed(of_solid(problem.solid, *point, name));
}

}  // namespace tessera::physics::wave
