#include "physics/conservation/sides.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "base/error.hpp"
#include "physics/at_time.hpp"
#include "physics/evaluate.hpp"
#include "physics/scalar/periodic.hpp"

namespace tessera::physics::conservation {

std::vector<Index> joined_vertices(const deck::Deck& deck, const CommonParams& params, const std::vector<Side>& others,
                                   const std::vector<Side>& periodic, const mesh::Mesh& mesh) {
  if (periodic.empty()) return {};
  scalar::Params all;
  static_cast<CommonParams&>(all) = params;
  const auto as_boundaries = [](const std::vector<Side>& from) {
    std::vector<scalar::BoundaryParams> result;
    for (const Side& side : from) {
      result.emplace_back();
      result.back().on = side.on;
      result.back().type = side.type;
      result.back().where = side.where;
    }
    return result;
  };
  all.boundaries = as_boundaries(others);
  std::vector<scalar::BoundaryParams> pairs = as_boundaries(periodic);
  pairs = scalar::take_periodic(pairs);  // for its checks
  return scalar::periodic_vertices(deck, all, pairs, mesh);
}

mesh::Group facets_of(const Side& side, const mesh::Mesh& mesh) {
  mesh::Group group = united_groups(mesh, side.on, mesh.dim - 1, side.where);
  for (const Index facet : group.entities)
    if (!mesh.facets.exterior[static_cast<std::size_t>(facet)])
      throw Error(ExitCode::usage,
                  fmt::format("the boundary '{}' has facets inside the mesh", fmt::join(side.on, "', '")),
                  "conditions hold on sides of the mesh: name one of these", side.where);
  return group;
}

std::array<double, 3> centre_of(const mesh::Mesh& mesh, Index facet) {
  const Index number = mesh.facets.cell[static_cast<std::size_t>(facet)];
  const mesh::CellBlock& cells = mesh.block_of(number);
  const mesh::Topology::Facet& side =
      mesh::topology(cells.shape).facets[static_cast<std::size_t>(mesh.facets.side[static_cast<std::size_t>(facet)])];
  std::array<double, 3> sum{};
  const int count = mesh::vertex_count(side.shape);
  for (int v = 0; v < count; ++v) {
    const double* const x =
        mesh.point(cells.cell(number - cells.first_cell)[side.vertices[static_cast<std::size_t>(v)]]);
    for (std::size_t d = 0; d < 3; ++d) sum[d] += x[d] / count;
  }
  return sum;
}

void Conditions::add_periodic(const std::vector<Side>& periodic) {
  for (const Side& side : periodic)
    for (const std::string& name : side.on)
      for (const Index facet : find_group(mesh_, name, mesh_.dim - 1, side.where).entities)
        has_[static_cast<std::size_t>(facet)] = 1;
}

void Conditions::add(const Side& side, const mesh::Group& facets) {
  for (const Index facet : facets.entities)
    if (std::exchange(has_[static_cast<std::size_t>(facet)], 1))
      throw Error(ExitCode::usage,
                  fmt::format("'{}' has facets of another [[boundary]], too", fmt::join(side.on, "', '")),
                  "a side has one condition: take the group out of one of the entries", side.where);
}

void Conditions::require_all() const {
  std::vector<std::string> names;
  std::vector<char> named(has_.size(), 0);
  const auto look = [&](const mesh::Group& group) {
    if (group.dim != mesh_.dim - 1) return;
    bool bare = false;
    for (const Index facet : group.entities) {
      const auto f = static_cast<std::size_t>(facet);
      if (!mesh_.facets.exterior[f] || has_[f]) continue;
      bare = true;
      named[f] = 1;
    }
    if (bare) names.push_back(group.name);
  };
  for (const mesh::Group& group : mesh_.groups) look(group);
  std::size_t rest = 0;
  std::array<double, 3> first{};
  for (std::size_t f = 0; f < has_.size(); ++f)
    if (mesh_.facets.exterior[f] && !has_[f] && !named[f] && rest++ == 0)
      first = centre_of(mesh_, static_cast<Index>(f));
  const std::string help = "add [[boundary]] with on = these groups, or on = [\"rest\"], and a type";
  if (!names.empty())
    throw Error(ExitCode::usage, fmt::format("no [[boundary]] for '{}'", fmt::join(names, "', '")), help);
  if (rest > 0)
    throw Error(ExitCode::usage,
                fmt::format("no [[boundary]] for {} side{} of the mesh in no group, the first at ({:.4g}, {:.4g}, "
                            "{:.4g})",
                            rest, rest == 1 ? "" : "s", first[0], first[1], first[2]),
                help);
}

std::vector<double> evaluate_all(const Discretisation& space, const std::vector<deck::Expression>& of,
                                 std::span<const Index> dofs, double t) {
  std::vector<double> all;
  for (const deck::Expression& e : of) {
    const std::vector<double> values = evaluate(at_time(e, t), space.dof_points, dofs, space.threads);
    all.insert(all.end(), values.begin(), values.end());
  }
  return all;
}

}  // namespace tessera::physics::conservation
