#include "physics/scalar/periodic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/log.hpp"
#include "mesh/periodic.hpp"
#include "physics/entry.hpp"

namespace tessera::physics::scalar {

namespace {

/// A facet of a periodic side has no other condition: it lies inside of the domain.
void check_sides(const std::vector<BoundaryParams>& periodic, const std::vector<BoundaryParams>& others,
                 const mesh::Mesh& mesh) {
  std::vector<std::int32_t> claimed(static_cast<std::size_t>(mesh.facets.size()), -1);
  const auto claim = [&](const BoundaryParams& boundary, std::int32_t number) {
    for (const std::string& name : boundary.on) {
      const mesh::Group* group = mesh.group(name, mesh.dim - 1);
      if (!group) continue;
      for (const Index facet : group->entities) {
        if (claimed[facet] >= 0)
          throw Error(ExitCode::usage,
                      fmt::format("'{}' has a facet that the periodic side '{}' has, too", name,
                                  periodic[static_cast<std::size_t>(claimed[facet])].on.front()),
                      "a facet of a periodic side has no other condition, and is on one side only", boundary.where);
        if (number >= 0) claimed[facet] = number;
      }
    }
  };
  for (std::size_t p = 0; p < periodic.size(); ++p) claim(periodic[p], static_cast<std::int32_t>(p));
  for (const BoundaryParams& boundary : others) claim(boundary, -1);
}

}  // namespace

std::vector<BoundaryParams> take_periodic(std::vector<BoundaryParams>& boundaries) {
  std::vector<BoundaryParams> periodic;
  for (const BoundaryParams& boundary : boundaries) {
    if (boundary.type != "periodic") continue;
    if (boundary.on.size() != 2 || boundary.on[0] == boundary.on[1])
      throw Error(ExitCode::usage, "a periodic boundary names the two sides that are one",
                  "write on = [\"left\", \"right\"]; one entry for each pair", boundary.where);
    if (!is_zero(boundary.value))
      throw Error(ExitCode::usage, "a periodic boundary has no value: u is the same on both sides", "leave value out",
                  boundary.where);
    periodic.push_back(boundary);
  }
  std::erase_if(boundaries, [](const BoundaryParams& boundary) { return boundary.type == "periodic"; });
  return periodic;
}

std::vector<Index> periodic_vertices(const deck::Deck& deck, const Params& params,
                                     const std::vector<BoundaryParams>& periodic, const mesh::Mesh& mesh) {
  const std::filesystem::path file =
      params.mesh.file.empty() ? std::filesystem::path() : deck.resolve(params.mesh.file);
  if (periodic.empty()) {
    if (mesh::has_periodic_section(file))
      warn(fmt::format(
          "{} has sides that are periodic ($Periodic), but no [[boundary]] of the deck makes them so: add type = "
          "\"periodic\", on = [\"one side\", \"the other\"]",
          file.string()));
    return {};
  }
  const std::vector<mesh::AffineMap> maps = mesh::periodic_maps(file);
  std::vector<Index> same(static_cast<std::size_t>(mesh.nodes()));
  std::iota(same.begin(), same.end(), 0);
  for (const BoundaryParams& boundary : periodic) {
    const mesh::Group& from = find_group(mesh, boundary.on[0], mesh.dim - 1, boundary.where);
    const mesh::Group& to = find_group(mesh, boundary.on[1], mesh.dim - 1, boundary.where);
    try {
      mesh::join_sides(mesh, from, to, maps, same);
    } catch (const Error& error) {
      throw Error(error.code(), error.what(), error.help(), boundary.where);
    }
  }
  check_sides(periodic, params.boundaries, mesh);
  try {
    mesh::check_joined(mesh, same, params.physics.order);
  } catch (const Error& error) {
    throw Error(error.code(), error.what(), error.help(), periodic.front().where);
  }
  return same;
}

DirichletData fold(const Unfolded& unfolded, Index dofs, const DirichletData& dirichlet,
                   const std::vector<BoundaryParams>& boundaries) {
  std::vector<Index> first(static_cast<std::size_t>(dofs), -1);  // position in `dirichlet`
  double largest = 0;
  for (const double value : dirichlet.values) largest = std::max(largest, std::abs(value));
  for (std::size_t i = 0; i < dirichlet.dofs.size(); ++i) {
    Index& known = first[unfolded.became[dirichlet.dofs[i]]];
    if (known < 0) known = static_cast<Index>(i);
    if (std::abs(dirichlet.values[known] - dirichlet.values[i]) <= 1e-9 * largest + 1e-14) continue;
    const auto place = [&](Index at) {
      const double* x = &unfolded.dof_points[3 * static_cast<std::size_t>(dirichlet.dofs[at])];
      return fmt::format("{:g} at ({:g}, {:g}, {:g})", dirichlet.values[at], x[0], x[1], x[2]);
    };
    const auto fixes = std::find_if(boundaries.begin(), boundaries.end(),
                                    [](const BoundaryParams& boundary) { return boundary.type == "dirichlet"; });
    throw Error(ExitCode::usage,
                fmt::format("dirichlet values contradict a periodic boundary: {}, but {}, and u is the same at both",
                            place(known), place(static_cast<Index>(i))),
                "give values that are periodic, too", fixes == boundaries.end() ? deck::Where{} : fixes->where);
  }
  DirichletData result;
  for (Index dof = 0; dof < dofs; ++dof)
    if (first[dof] >= 0) {
      result.dofs.push_back(dof);
      result.values.push_back(dirichlet.values[first[dof]]);
    }
  return result;
}

}  // namespace tessera::physics::scalar
