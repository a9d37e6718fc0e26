// Boundary conditions on the mesh.
#include "physics/scalar/problem.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/counted.hpp"
#include "base/team.hpp"
#include "physics/entry.hpp"
#include "physics/evaluate.hpp"
#include "physics/places.hpp"

namespace tessera::physics::scalar {

namespace {

std::string condition(const BoundaryParams& boundary) {
  const std::string value = "value = " + boundary.value.text();
  return boundary.type == "robin" ? "alpha = " + boundary.alpha.text() + ", " + value : value;
}

/// (facet, entry) pairs of one type of boundary; throws where a facet is in two entries with different data.
void check_contradictions(const std::vector<BoundaryParams>& boundaries, const mesh::Mesh& mesh,
                          const std::string& type) {
  std::vector<std::int32_t> claimed(static_cast<std::size_t>(mesh.facets.size()), -1);
  for (std::size_t b = 0; b < boundaries.size(); ++b) {
    if (boundaries[b].type != type) continue;
    for (const std::string& name : boundaries[b].on) {
      const mesh::Group* group = mesh.group(name, mesh.dim - 1);
      if (!group) continue;
      for (Index facet : group->entities) {
        const std::int32_t other = claimed[facet];
        if (other >= 0 && other != static_cast<std::int32_t>(b)) {
          const BoundaryParams& first = boundaries[other];
          if (type == "dirichlet" && first.value.text() == boundaries[b].value.text()) continue;
          throw Error(ExitCode::usage,
                      fmt::format("two {} boundaries contradict each other on '{}': {} in {}, {} in {}", type, name,
                                  condition(first), entry("boundary", other, first.where), condition(boundaries[b]),
                                  entry("boundary", b, boundaries[b].where)),
                      fmt::format("a facet may have one {} condition; take '{}' out of one of them", type, name),
                      boundaries[b].where);
        }
        claimed[facet] = static_cast<std::int32_t>(b);
      }
    }
  }
}

/// Where u is fixed its flux is not free: throws where a facet is in a Dirichlet entry and in a Neumann or Robin one,
/// which would have no effect there.
void check_fixed(const std::vector<BoundaryParams>& boundaries, const mesh::Mesh& mesh, GroupList list) {
  std::vector<std::int32_t> fixed(static_cast<std::size_t>(mesh.facets.size()), -1);
  for (std::size_t b = 0; b < boundaries.size(); ++b)
    if (boundaries[b].type == "dirichlet")
      for (const std::string& name : boundaries[b].on)
        if (const mesh::Group* group = mesh.group(name, mesh.dim - 1))
          for (Index facet : group->entities) fixed[facet] = static_cast<std::int32_t>(b);
  for (std::size_t b = 0; b < boundaries.size(); ++b) {
    if (boundaries[b].type == "dirichlet") continue;
    for (const std::string& name : boundaries[b].on) {
      const mesh::Group* group = mesh.group(name, mesh.dim - 1);
      if (!group) continue;
      const auto overlap =
          std::count_if(group->entities.begin(), group->entities.end(), [&](Index facet) { return fixed[facet] >= 0; });
      if (overlap == 0) continue;
      const auto first =
          std::find_if(group->entities.begin(), group->entities.end(), [&](Index facet) { return fixed[facet] >= 0; });
      const std::size_t by = static_cast<std::size_t>(fixed[*first]);
      throw Error(
          ExitCode::usage,
          fmt::format("the {} boundary on '{}' has no effect{}: {}, on '{}', fixes u there", boundaries[b].type, name,
                      list == GroupList::names
                          ? ""
                          : fmt::format(" on {} of its {}", overlap, counted(group->entities.size(), "facet")),
                      entry("boundary", by, boundaries[by].where), fmt::join(boundaries[by].on, "', '")),
          "a facet has a value or a flux, not both: take the group out of one of the entries, or name smaller groups",
          boundaries[b].where);
    }
  }
}

}  // namespace

std::vector<FacetTerm> facet_terms(const std::vector<BoundaryParams>& boundaries, const mesh::Mesh& mesh,
                                   GroupList list) {
  check_contradictions(boundaries, mesh, "neumann");
  check_contradictions(boundaries, mesh, "robin");
  check_fixed(boundaries, mesh, list);
  std::vector<FacetTerm> terms;
  for (const BoundaryParams& boundary : boundaries) {
    if (boundary.type == "dirichlet") continue;
    terms.push_back({united_groups(mesh, boundary.on, mesh.dim - 1, boundary.where, list), &boundary});
  }
  return terms;
}

DirichletData dirichlet_data(const std::vector<BoundaryParams>& boundaries, const mesh::Mesh& mesh,
                             const assembly::DofMap& dofs, std::span<const double> dof_points, GroupList list) {
  check_contradictions(boundaries, mesh, "dirichlet");
  std::vector<std::pair<Index, double>> all;
  for (const BoundaryParams& boundary : boundaries) {
    if (boundary.type != "dirichlet") continue;
    for (const std::string& name : boundary.on) {
      const std::vector<Index> on = assembly::facet_dofs(mesh, dofs, boundary_group(mesh, name, boundary.where, list));
      const std::vector<double> values = evaluate(boundary.value, dof_points, on, default_threads());
      for (std::size_t i = 0; i < on.size(); ++i) all.emplace_back(on[i], values[i]);
    }
  }
  // Stable: of several values at one dof the last entry of the deck comes last.
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  DirichletData data;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i + 1 < all.size() && all[i + 1].first == all[i].first) continue;
    data.dofs.push_back(all[i].first);
    data.values.push_back(all[i].second);
  }
  return data;
}

bool fixes_level(const MaterialParams& material) {
  return !is_zero(material.reaction) || material.source.depends_on(deck::Variable::u);
}
bool fixes_level_by_flow(const BoundaryParams& boundary) {
  return (boundary.type == "robin" && !is_zero(boundary.alpha)) || boundary.value.depends_on(deck::Variable::u);
}

void check_not_singular(const std::vector<MaterialParams>& materials, const std::vector<BoundaryParams>& boundaries,
                        const deck::Where& physics, bool modes) {
  if (std::any_of(materials.begin(), materials.end(), fixes_level)) return;
  if (std::any_of(boundaries.begin(), boundaries.end(),
                  [](const BoundaryParams& b) { return b.type == "dirichlet" || fixes_level_by_flow(b); }))
    return;
  const std::string why = boundaries.empty()
                              ? "the deck has no [[boundary]], so k du/dn = 0 holds all around"
                              : fmt::format("no boundary of the deck ({} of them) fixes u", boundaries.size());
  throw Error(
      ExitCode::usage,
      fmt::format("the problem is singular, u is fixed only up to a constant: {}, and there is no reaction", why),
      fmt::format("add a dirichlet boundary, a robin boundary with alpha > 0, or a reaction{}",
                  modes ? "; or solver.shift = 1, with which a mode may be a constant" : ""),
      boundaries.empty() ? physics : boundaries.front().where);
}

}  // namespace tessera::physics::scalar
