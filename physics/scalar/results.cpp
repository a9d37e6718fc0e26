#include "physics/scalar/results.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "assembly/fields/flux.hpp"
#include "assembly/fields/flux_in_simplices.hpp"
#include "assembly/fields/quantities.hpp"
#include "base/profile.hpp"
#include "base/team.hpp"

namespace tessera::physics::scalar {

namespace {

/// The sides of the facets of a flux that it leaves: those of the cells in `from`, or of the domain.
std::vector<mesh::CellSide> left_sides(const Solution& s, const mesh::Group& group, const mesh::Group* from) {
  std::vector<mesh::CellSide> sides;
  for (const mesh::SidePair& pair : mesh::sides_of(s.mesh, group.entities)) {
    const bool first = !from || std::binary_search(from->entities.begin(), from->entities.end(), pair.first.cell);
    sides.push_back(first ? pair.first : pair.second);
  }
  return sides;
}

const mesh::Group* cells_left(const QuantityParams& quantity, const Solution& s) {
  return quantity.from.empty() ? nullptr : &find_group(s.mesh, quantity.from, s.mesh.dim, quantity.where);
}

double flux_through(const QuantityParams& quantity, const Solution& s, const Fluxes& fluxes) {
  const mesh::Group all = united_groups(s.mesh, quantity.on, s.mesh.dim - 1, quantity.where);
  const mesh::Group* from = cells_left(quantity, s);
  return from ? fluxes.through(all, *from) : fluxes.through(all);
}

double gradient_flux_through(const QuantityParams& quantity, const Solution& s) {
  const mesh::Group all = united_groups(s.mesh, quantity.on, s.mesh.dim - 1, quantity.where);
  const mesh::Group group = s.own(&all);
  return assembly::gradient_flux(s.mesh, s.space.dofs, s.u, diffusivity_field(s),
                                 left_sides(s, group, cells_left(quantity, s)), s.threads);
}

/// k of materials of constants, [materials][components]; empty: it has others.
std::vector<std::vector<double>> constants_of(const std::vector<MaterialParams>& materials) {
  std::vector<std::vector<double>> constants;
  for (const MaterialParams& m : materials) {
    constants.emplace_back();
    if (!std::all_of(m.diffusivity.begin(), m.diffusivity.end(),
                     [](const deck::Expression& e) { return e.is_constant(); }))
      continue;
    for (const deck::Expression& e : m.diffusivity) constants.back().push_back(e.constant());
  }
  return constants;
}

std::size_t most_entries(const std::vector<MaterialParams>& materials) {
  std::size_t entries = 1;
  for (const MaterialParams& m : materials) entries = std::max(entries, m.diffusivity.size());
  return entries;
}

/// k [points, components] of the entries that a material has, value(entry, point): a scalar in a problem with tensors
/// is one.
template <class Value>
void complete(int dim, std::size_t components, std::size_t entries, std::size_t points, const Value& value, double* k) {
  std::fill(k, k + points * components, 0.0);
  const auto set = [&](std::size_t c, std::size_t e) {
    for (std::size_t p = 0; p < points; ++p) k[p * components + c] = value(e, p);
  };
  for (std::size_t e = 0; e < entries; ++e) set(e, e);
  if (entries == components) return;
  set(components - 1, 0);
  if (dim == 3) set(3, 0);
}

void complete(int dim, std::size_t components, const std::vector<double>& constant, std::size_t points, double* k) {
  complete(
      dim, components, constant.size(), points, [&](std::size_t e, std::size_t) { return constant[e]; }, k);
}

/// k of the materials, where all have constants.
std::optional<assembly::RegionTensors> constant_tensors(const Solution& s) {
  const std::vector<std::vector<double>> constants = constants_of(s.materials);
  if (std::any_of(constants.begin(), constants.end(), [](const auto& constant) { return constant.empty(); })) return {};
  const std::size_t components = most_entries(s.materials);
  std::vector<double> values(constants.size() * components);
  for (std::size_t m = 0; m < constants.size(); ++m)
    complete(s.mesh.dim, components, constants[m], 1, &values[m * components]);
  return assembly::RegionTensors{static_cast<int>(components), std::move(values), s.material};
}

}  // namespace

/// Evaluators belong to one thread each, so every thread has its own set.
assembly::HostTensorField diffusivity_field(const Solution& solution) {
  const std::size_t components = most_entries(solution.materials);
  struct OfThread {
    std::vector<std::vector<deck::Evaluator>> evaluators;  // [materials][components]
    std::vector<double> values;
  };
  auto pool =
      std::make_shared<std::vector<OfThread>>(static_cast<std::size_t>(std::max(default_threads(), solution.threads)));
  for (OfThread& own : *pool)
    for (const MaterialParams& m : solution.materials) {
      own.evaluators.emplace_back();
      for (const deck::Expression& e : m.diffusivity) own.evaluators.back().emplace_back(e);
    }
  const int dim = solution.mesh.dim;
  const std::vector<std::vector<double>> constants = constants_of(solution.materials);
  auto evaluate = [pool, components, dim, constants, &material = solution.material](Index cell, int count,
                                                                                    const deck::Points& at, double* k) {
    const auto of = static_cast<std::size_t>(material[cell]);
    const std::size_t points = static_cast<std::size_t>(count);
    if (const std::vector<double>& constant = constants[of]; !constant.empty())
      return complete(dim, components, constant, points, k);
    OfThread& own = (*pool)[static_cast<std::size_t>(current_part())];
    auto& evaluators = own.evaluators[of];
    own.values.resize(points * evaluators.size());
    for (std::size_t e = 0; e < evaluators.size(); ++e) evaluators[e].at(at, points, 0, &own.values[e * points]);
    complete(
        dim, components, evaluators.size(), points,
        [&](std::size_t e, std::size_t p) { return own.values[e * points + p]; }, k);
  };
  const bool of_solution = std::any_of(solution.materials.begin(), solution.materials.end(), [](const auto& m) {
    return std::any_of(m.diffusivity.begin(), m.diffusivity.end(),
                       [](const auto& e) { return e.depends_on_solution(); });
  });
  return {static_cast<int>(components), evaluate,
          [constants, &material = solution.material](Index cell) {
            return !constants[static_cast<std::size_t>(material[cell])].empty();
          },
          of_solution};
}

const ScalarResults::Flows& ScalarResults::flows() const {
  if (!flows_) {
    Threads exec(s_.threads);
    Scope scope(exec, "balance");
    flows_ = std::make_unique<const Flows>(s_);
  }
  return *flows_;
}

Results::Totals ScalarResults::totals() const { return {.sums = flows().balance.numbers()}; }

void ScalarResults::report(const Totals& totals, output::Summary& summary) const {
  report_balance(flows().balance.with(totals.sums), s_, summary);
}

double ScalarResults::quantity(const QuantityParams& quantity) const {
  if (quantity.kind == "flux") return flux_through(quantity, s_, flows().fluxes);
  return gradient_flux_through(quantity, s_);
}

std::vector<double> ScalarResults::field(const std::string& name) { return field_later(name)(s_.u, {}); }

LaterFields::Make ScalarResults::field_later(const std::string&) const {
  const mesh::Mesh& mesh = s_.mesh;
  const assembly::DofMap& dofs = s_.space.dofs;
  const int threads = s_.threads;
  if (auto k = constant_tensors(s_); k && assembly::are_linear_simplices(mesh, dofs))
    return [&mesh, &dofs, threads, k = std::move(*k)](std::span<const double> u, std::vector<double> memory) {
      return assembly::flux_in_simplices(mesh, dofs, u, k, threads, std::move(memory));
    };
  return [&mesh, &dofs, threads, k = diffusivity_field(s_)](std::span<const double> u, std::vector<double>) {
    return assembly::flux_field(mesh, dofs, u, k, threads);
  };
}

std::vector<output::Field> ScalarResults::cell_fields() const {
  output::Field material{"material", 1, {}, true};
  material.values.assign(s_.material.begin(), s_.material.end());
  return {std::move(material)};
}

}  // namespace tessera::physics::scalar
