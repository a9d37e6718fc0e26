#include "physics/elasticity/results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

#include "assembly/cells/residual.hpp"
#include "assembly/fields/nodal_mean.hpp"
#include "assembly/fields/side_loads.hpp"
#include "assembly/space/mesh_part.hpp"
#include "base/profile.hpp"
#include "physics/places.hpp"

namespace tessera::physics::elasticity {

namespace {

/// Where xx yy zz xy yz xz of VTK stand in Voigt's order xx yy zz yz xz xy.
constexpr int voigt_of_vtk[6] = {0, 1, 2, 5, 3, 4};

/// Residuals K u - f of the rows with a slot over some cells, of which a part at a time is in memory. An empty u is 0.
std::vector<double> residual(const Problem& problem, const std::vector<Index>& cells, std::span<const double> u,
                             std::span<const Index> slot, std::size_t size) {
  constexpr std::size_t most_cells = 1 << 18;
  std::vector<double> result(size, 0.0);
  for (std::size_t first = 0; first < cells.size(); first += most_cells) {
    const std::span<const Index> some(cells.data() + first, std::min(most_cells, cells.size() - first));
    const assembly::MeshPart part = assembly::part_of(problem.space.mesh, problem.space.dofs, some);
    std::vector<Index> material;
    for (const Index cell : some) material.push_back(problem.material[cell]);
    assembly::add_residual(
        part.mesh, part.dofs,
        elasticity_data(problem.params, problem.body, part.mesh, part.dofs, material, problem.space.threads),
        problem.form(), u, slot, result, problem.space.threads);
  }
  return result;
}

double von_mises(const double* s) {  // VTK's order
  const double a = s[0] - s[1], b = s[1] - s[2], c = s[2] - s[0];
  return std::sqrt(0.5 * (a * a + b * b + c * c) + 3 * (s[3] * s[3] + s[4] * s[4] + s[5] * s[5]));
}

}  // namespace

ElasticityResults::ElasticityResults(const Problem& problem, const NodalSolution& solution)
    : problem_(problem), s_(solution), reactions_(solution.u.size(), 0.0) {
  Threads exec(s_.threads);
  Scope scope(exec, "balance");
  const int m = s_.space.components;
  for (const FacetTerm& term : problem_.facets)
    loads_.push_back(assembly::facet_loads(s_.mesh, s_.space.dofs, term.group, forms::Traction{},
                                           traction_values(problem_, term).data(), s_.u, s_.threads));
  for (assembly::SideLoads& loads : loads_) s_.keep_own(loads.dofs, loads.flux);
  std::vector<Index> fixed = problem_.dirichlet.dofs;
  std::erase_if(fixed, [&](Index row) { return row >= s_.own_dofs() * m; });
  std::vector<Index> slot(s_.u.size(), -1);
  for (std::size_t i = 0; i < fixed.size(); ++i) slot[fixed[i]] = static_cast<Index>(i);
  std::vector<Index> cells;
  for (const assembly::DofBlock& block : s_.space.dofs.blocks)
    for (Index c = 0; c < block.cells(); ++c) {
      bool any = false;
      for (int k = 0; k < block.nodes * m; ++k) any |= slot[Offset{block.cell(c)[k / m]} * m + k % m] >= 0;
      if (any) cells.push_back(block.first_cell + c);
    }
  const std::vector<double> held = residual(problem_, cells, s_.u, slot, fixed.size());
  for (std::size_t i = 0; i < fixed.size(); ++i) reactions_[fixed[i]] = held[i];
  for (const assembly::SideLoads& loads : loads_)
    for (std::size_t k = 0; k < loads.dofs.size(); ++k)
      for (int c = 0; c < m; ++c)
        if (const Offset row = Offset{loads.dofs[k]} * m + c; slot[row] >= 0) reactions_[row] -= loads.flux[k * m + c];
  // Heat that bends a body without stress leaves reactions of rounding alone: the balance is related to what cancels in
  // them.
  const auto& materials = problem_.params.materials;
  if (std::any_of(materials.begin(), materials.end(), [](const auto& of) { return !of.expansion.empty(); }))
    for (const double force : residual(problem_, cells, {}, slot, fixed.size())) heat_ += std::abs(force);
}

std::vector<double> ElasticityResults::body_force() const {
  const int m = s_.space.components;
  std::vector<double> force(static_cast<std::size_t>(m), 0.0);
  const auto& materials = problem_.params.materials;
  if (std::all_of(materials.begin(), materials.end(), [](const auto& of) { return of.body_force.empty(); }))
    return force;
  // The residual of u = 0 is - f; what initial stresses add to it sums to zero.
  std::vector<Index> all(static_cast<std::size_t>(s_.mesh.cells())), slot(s_.u.size());
  for (std::size_t c = 0; c < all.size(); ++c) all[c] = static_cast<Index>(c);
  for (Index row = 0; row < static_cast<Index>(slot.size()); ++row) slot[row] = row < s_.own_dofs() * m ? row % m : -1;
  force = residual(problem_, all, {}, slot, static_cast<std::size_t>(m));
  for (double& value : force) value = -value;
  return force;
}

std::vector<double> ElasticityResults::force_of(const BoundaryParams& boundary, std::vector<char>& counted) const {
  const auto m = static_cast<std::size_t>(s_.space.components);
  std::vector<double> force(m, 0.0);
  for (std::size_t k = 0; k < problem_.facets.size(); ++k)
    if (problem_.facets[k].boundary == &boundary)
      for (Offset side = 0; side < loads_[k].sides(); ++side)
        for (std::size_t c = 0; c < m; ++c) force[c] += loads_[k].total(side, static_cast<int>(c));
  if (boundary.type != "displacement" && boundary.type != "symmetry") return force;
  for (const std::string& name : boundary.on) {
    const std::vector<char> fixed = fixed_components(problem_.space, boundary, name);
    for (const Index dof : assembly::facet_dofs(s_.mesh, s_.space.dofs, boundary_group(s_.mesh, name, boundary.where)))
      for (std::size_t c = 0; c < m; ++c)
        if (const auto row = static_cast<std::size_t>(dof) * m + c; fixed[c] && !counted[row])
          counted[row] = 1, force[c] += reactions_[row];
  }
  return force;
}

/// Forces along the radius of a body of revolution need not balance: the hoop does.
bool ElasticityResults::counts(std::size_t component) const {
  return problem_.body != Body::revolution || static_cast<int>(component) != problem_.radial();
}

/// [boundaries]: what holds a row is the last entry of the deck that fixes it.
std::vector<std::vector<double>> ElasticityResults::forces() const {
  const auto& boundaries = problem_.params.boundaries;
  std::vector<std::vector<double>> result(boundaries.size());
  std::vector<char> counted(s_.u.size(), 0);
  for (std::size_t b = boundaries.size(); b-- > 0;) result[b] = force_of(boundaries[b], counted);
  return result;
}

/// The sum of the sizes of all forces at nodes and facets, for those on one group may cancel; the source, [components];
/// and the force of each boundary, [components].
Results::Totals ElasticityResults::totals() const {
  const auto m = static_cast<std::size_t>(s_.space.components);
  double gross = heat_;
  const auto add = [&](std::size_t c, double force) { gross += counts(c) ? std::abs(force) : 0; };
  for (std::size_t row = 0; row < reactions_.size(); ++row) add(row % m, reactions_[row]);
  for (const assembly::SideLoads& loads : loads_)
    for (std::size_t k = 0; k < loads.flux.size(); ++k) add(k % m, loads.flux[k]);
  Totals totals{.sums = {gross}};
  const auto append = [&](const std::vector<double>& force) {
    totals.sums.insert(totals.sums.end(), force.begin(), force.end());
  };
  append(body_force());
  for (const std::vector<double>& force : forces()) append(force);
  return totals;
}

void ElasticityResults::report(const Totals& totals, output::Summary& summary) const {
  const auto m = static_cast<std::size_t>(s_.space.components);
  const auto shown = [&](std::span<const double> of) {
    std::vector<double> force(of.begin(), of.end());
    for (std::size_t c = 0; c < m; ++c)
      if (!counts(c)) force[c] = std::numeric_limits<double>::quiet_NaN();
    return force;
  };
  const std::span<const double> all = totals.sums, source = all.subspan(1, m);
  std::vector<double> remainder(source.begin(), source.end());
  summary.set("balance.source", shown(source));
  summary.set_json("balance.groups", nlohmann::ordered_json::object());
  std::map<std::string, int> times;
  const auto& boundaries = problem_.params.boundaries;
  for (std::size_t b = 0; b < boundaries.size(); ++b) {
    const std::span<const double> force = all.subspan(1 + (1 + b) * m, m);
    for (std::size_t c = 0; c < m; ++c) remainder[c] += force[c];
    std::string name = fmt::format("{}", fmt::join(boundaries[b].on, ", "));
    if (const int time = ++times[name]; time > 1) name += fmt::format(" ({})", time);
    summary.set_in("balance.groups", name, shown(force));
  }
  summary.set("balance.remainder", shown(remainder));
  double off = 0, gross = all.front();
  for (std::size_t c = 0; c < m; ++c)
    if (counts(c)) off += std::abs(remainder[c]), gross += std::abs(source[c]);
  if (gross > 0) summary.set("balance.relative_remainder", off / gross);
}

std::vector<double> ElasticityResults::stress_and_strain() const {
  const Body body = problem_.body;
  const int dim = s_.mesh.dim, radial = problem_.radial();
  const bool hoop = body == Body::revolution;
  const auto evaluate = [&](const assembly::PointState& node, double* out) {
    double strain[6] = {}, sigma[6], eps[6];
    for (int c = 0; c < dim; ++c)
      for (int a = 0; a < dim; ++a) strain[forms::voigt_index(dim, hoop, c, a)] += node.gradient[c * dim + a];
    // u_r / r, on the axis d u_r / d r.
    if (hoop)
      strain[2] = node.xyz[radial] <= problem_.axis_rounding ? node.gradient[radial * dim + radial]
                                                             : node.value[radial] / node.xyz[radial];
    Law::unpacked(body, node.coefficient).state(body, strain, sigma, eps);
    for (int k = 0; k < 6; ++k) {
      out[k] = sigma[voigt_of_vtk[k]];
      out[6 + k] = eps[voigt_of_vtk[k]] * (k < 3 ? 1.0 : 0.5);
    }
  };
  return assembly::nodal_mean(s_.mesh, s_.space.dofs, {s_.u, s_.space.layout()}, law_field(problem_, s_.threads), 12,
                              evaluate, s_.threads, hoop ? assembly::DerivedOf::point : assembly::DerivedOf::gradient);
}

std::vector<double> ElasticityResults::field(const std::string& name) {
  const auto nodes = static_cast<std::size_t>(s_.space.dofs.dofs);
  if (name == "reaction") {
    std::vector<double> forces(3 * nodes, 0.0);
    for (std::size_t row = 0; row < reactions_.size(); ++row)
      forces[row / s_.space.components * 3 + row % s_.space.components] = reactions_[row];
    return forces;
  }
  if (states_.empty()) states_ = stress_and_strain();
  const int first = name == "strain" ? 6 : 0, count = name == "von_mises" ? 1 : 6;
  std::vector<double> values(nodes * count);
  for (std::size_t node = 0; node < nodes; ++node)
    if (name == "von_mises")
      values[node] = von_mises(&states_[12 * node]);
    else
      std::copy_n(&states_[12 * node + first], 6, &values[6 * node]);
  return values;
}

double ElasticityResults::quantity(const QuantityParams& quantity) const {
  const auto m = static_cast<std::size_t>(s_.space.components);
  const auto c = static_cast<std::size_t>(quantity.of.back() - 'x');
  double force = 0;
  std::vector<char> counted(s_.u.size(), 0);
  std::vector<char> inside(static_cast<std::size_t>(s_.mesh.facets.size()), 0);
  for (const std::string& name : quantity.on) {
    const mesh::Group& group = boundary_group(s_.mesh, name, quantity.where);
    for (const Index dof : assembly::facet_dofs(s_.mesh, s_.space.dofs, group))
      if (const auto row = static_cast<std::size_t>(dof) * m + c; !counted[row])
        counted[row] = 1, force += reactions_[row];
    if (group.dim == s_.mesh.dim - 1)
      for (const Index facet : group.entities) inside[facet] = 1;
  }
  for (std::size_t k = 0; k < problem_.facets.size(); ++k)
    for (std::size_t f = 0; f < problem_.facets[k].group.entities.size(); ++f)
      if (inside[problem_.facets[k].group.entities[f]])
        force += loads_[k].total(static_cast<Offset>(f), static_cast<int>(c));
  return force;
}

std::vector<output::Field> ElasticityResults::cell_fields() const {
  output::Field material{"material", 1, {}, true};
  material.values.assign(problem_.material.begin(), problem_.material.end());
  return {material};
}

}  // namespace tessera::physics::elasticity
