#include "physics/wave/problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/counted.hpp"
#include "base/log.hpp"
#include "mesh/geometry.hpp"
#include "physics/at_time.hpp"
#include "physics/entry.hpp"
#include "physics/evaluate.hpp"
#include "physics/places.hpp"
#include "physics/wave/absorbing.hpp"
#include "physics/wave/grow.hpp"
#include "physics/wave/layers.hpp"
#include "physics/wave/media.hpp"
#include "physics/wave/sides.hpp"

namespace tessera::physics::wave {

namespace {

/// Whether an entry prescribes values: with those of the deck, or 0, as at the outside of layers.
bool is_prescribed(const BoundaryParams& boundary, Medium medium) {
  return boundary.type == "prescribed" || boundary.is_pml() ||
         boundary.type == (medium == Medium::acoustic ? "free" : "fixed");
}

/// Of a group the dofs on sides of the medium; of groups of curves and points those that the medium has.
std::vector<Index> dofs_of_group(const Problem& problem, const mesh::Group& group) {
  const mesh::Mesh& mesh = problem.space.mesh;
  if (!problem.part) return assembly::facet_dofs(mesh, problem.space.dofs, group);
  if (group.dim == mesh.dim - 1) {
    mesh::Group own = group;
    std::erase_if(own.entities, [&](Index facet) { return problem.own(mesh.facets.cell[facet]) < 0; });
    return assembly::facet_dofs(mesh, problem.space.dofs, own);
  }
  std::vector<Index> dofs = assembly::facet_dofs(mesh, problem.space.dofs, group), all = problem.cells.dofs;
  std::sort(all.begin(), all.end());
  std::erase_if(dofs, [&](Index dof) { return !std::binary_search(all.begin(), all.end(), dof); });
  return dofs;
}

/// Beside another medium: inside of the mesh a free or fixed interface would be another condition than that of both.
void refuse_inner_facets(const mesh::Mesh& mesh, const BoundaryParams& boundary, const mesh::Group& group) {
  if (group.dim != mesh.dim - 1) return;
  for (const Index facet : group.entities)
    if (!mesh.facets.exterior[static_cast<std::size_t>(facet)])
      throw Error(
          ExitCode::usage,
          fmt::format("the {} boundary '{}' has facets inside the mesh", boundary.type, fmt::join(boundary.on, "', '")),
          "what fluids and solids do to each other at their interface needs no entry: name sides of the mesh",
          boundary.where);
}

Prescribed prescribed_rows(const Problem& problem) {
  const int components = problem.components();
  Prescribed result;
  std::map<Index, std::size_t> of_row;  // of two that prescribe the later one holds
  for (const BoundaryParams& boundary : problem.params.boundaries) {
    if (!is_prescribed(boundary, problem.medium)) continue;
    // Beside a solid the unknown of a fluid is a potential: decks prescribe displacements.
    if (problem.part && problem.medium == Medium::acoustic && boundary.type == "prescribed") continue;
    std::vector<deck::Expression> values = boundary.value;
    if (boundary.type != "prescribed") values.assign(static_cast<std::size_t>(components), deck::Expression(0.0));
    if (static_cast<int>(values.size()) != components)
      throw Error(ExitCode::usage,
                  fmt::format("a prescribed value has {} component{}, the field has {}", values.size(),
                              values.size() == 1 ? "" : "s", components),
                  "give one expression a component", boundary.where);
    const std::size_t first = result.expressions.size();
    std::size_t found = 0;
    result.expressions.insert(result.expressions.end(), values.begin(), values.end());
    std::size_t of_fluids = 0;
    for (const std::string& name : boundary.on) {
      const mesh::Mesh& mesh = problem.space.mesh;
      const mesh::Group& group = boundary_group(mesh, name, boundary.where);
      if (problem.part) refuse_inner_facets(mesh, boundary, group);
      if (problem.part && group.dim == mesh.dim - 1)
        of_fluids +=
            static_cast<std::size_t>(std::count_if(group.entities.begin(), group.entities.end(), [&](Index facet) {
              return problem.own(mesh.facets.cell[facet]) < 0;
            }));
      for (const Index dof : dofs_of_group(problem, group)) {
        ++found;
        for (int c = 0; c < components; ++c) of_row[problem.row(dof, c)] = first + static_cast<std::size_t>(c);
      }
    }
    if (problem.part && !problem.space.ranks && boundary.type == "prescribed" && found == 0)
      throw Error(ExitCode::usage,
                  fmt::format("a prescribed boundary on '{}', which no solid has", fmt::join(boundary.on, "', '")),
                  "displacements are prescribed on sides of solids; a fluid is moved by sources, or by a solid",
                  boundary.where);
    if (!problem.space.ranks && boundary.type == "prescribed" && of_fluids > 0)
      warn(
          fmt::format("[[boundary]] type = \"prescribed\" on '{}': {} of its facets are sides of fluids, which stay "
                      "rigid walls; displacements are prescribed on sides of solids",
                      fmt::join(boundary.on, "', '"), of_fluids));
  }
  for (const auto& [row, value] : of_row) {
    result.rows.push_back(row);
    result.values.push_back(value);
  }
  return result;
}

}  // namespace

bool Prescribed::varies() const {
  return std::any_of(expressions.begin(), expressions.end(),
                     [](const deck::Expression& e) { return e.depends_on_time(); });
}

namespace {

/// Those of an entry, each once.
std::vector<Index> facets_of(const BoundaryParams& boundary, const mesh::Mesh& mesh) {
  std::vector<Index> facets;
  for (const std::string& name : boundary.on)
    if (const mesh::Group& group = boundary_group(mesh, name, boundary.where); group.dim == mesh.dim - 1)
      facets.insert(facets.end(), group.entities.begin(), group.entities.end());
  std::sort(facets.begin(), facets.end());
  facets.erase(std::unique(facets.begin(), facets.end()), facets.end());
  return facets;
}

}  // namespace

void warn_of_boundaries(const Params& params, const mesh::Mesh& mesh,
                        const std::function<Medium(Index)>& medium_of_cell) {
  const auto prescribes = [&](const BoundaryParams& boundary, Index facet) {
    const Medium medium = medium_of_cell(mesh.facets.cell[facet]);
    if (params.medium == Medium::coupled && medium == Medium::acoustic)
      return boundary.type == "free" || boundary.is_pml();
    return is_prescribed(boundary, medium);
  };
  std::vector<char> prescribed(static_cast<std::size_t>(mesh.facets.size()), 0), absorbed = prescribed;
  for (const bool marks : {true, false})
    for (const BoundaryParams& boundary : params.boundaries) {
      const std::vector<Index> sides = facets_of(boundary, mesh);
      std::size_t beside_values = 0, beside_absorbing = 0;
      for (const Index facet : sides) {
        const auto f = static_cast<std::size_t>(facet);
        if (marks && boundary.type == "absorbing") absorbed[f] = 1;
        if (prescribes(boundary, facet) != marks) continue;
        if (marks)
          prescribed[f] = 1;
        else if (prescribed[f])
          ++beside_values;
        else if (boundary.type == "free" && absorbed[f])
          ++beside_absorbing;
      }
      const auto say = [&](std::size_t count, const char* what) {
        if (count > 0)
          warn(fmt::format("[[boundary]] type = \"{}\" on '{}': at {} of its {} another entry {} there", boundary.type,
                           fmt::join(boundary.on, "', '"), count, counted(sides.size(), "facet"), what));
      };
      say(beside_values, "prescribes values, which hold");
      say(beside_absorbing, "lets waves out, which holds");
    }
  const bool moves = !params.point_sources.empty() || !params.plane_waves.empty() || !params.initial.empty() ||
                     !params.initial_rates.empty() ||
                     std::any_of(params.boundaries.begin(), params.boundaries.end(),
                                 [](const BoundaryParams& b) { return b.type == "prescribed"; });
  if (!moves)
    warn("nothing moves: the deck has no [[source]], no [[plane_wave]], no [[initial]] and no prescribed values");
}

void check_sources(const Params& params, const Discretisation& space,
                   const std::function<Medium(Index)>& medium_of_cell) {
  const int dim = space.mesh.dim;
  const mesh::PointLocator locator(space.mesh);
  for (std::size_t s = 0; s < params.point_sources.size(); ++s) {
    const PointSourceParams& source = params.point_sources[s];
    const auto refuse = [&](const std::string& what, const std::string& help) {
      throw Error(ExitCode::usage, fmt::format("{}: {}", entry("source", s, {}), what), help, source.where);
    };
    const auto axes = static_cast<std::size_t>(dim);
    if (source.at.size() != axes)
      refuse(fmt::format("at has {}, the mesh {}", counted(source.at.size(), "number"), counted(dim, "dimension")),
             "give one number an axis");
    if (!source.force.empty() && source.force.size() != axes)
      refuse(
          fmt::format("force has {}, the mesh {}", counted(source.force.size(), "number"), counted(dim, "dimension")),
          "give one number an axis");
    if (const std::size_t entries = axes * (axes + 1) / 2; !source.moment.empty() && source.moment.size() != entries)
      refuse(fmt::format("moment has {}, in {} there are {}", counted(source.moment.size(), "number"),
                         counted(dim, "dimension"), entries),
             dim == 2 ? "xx yy xy" : "xx yy zz xy yz xz");
    if (space.ranks) continue;
    if (const auto found = locator.find(source.point())) {
      const bool solid = medium_of_cell(found->cell) == Medium::elastic,
                 acts = !(source.force.empty() && source.moment.empty());
      if (acts && !solid && params.medium == Medium::coupled)
        refuse("a force or a moment in a fluid", "there its strength is its amplitude: leave force and moment out");
      if (!acts && solid)
        refuse("it has neither a force nor a moment, and lies in a solid", "force = [...], one number an axis");
      continue;
    }
    const mesh::BoundingBox box = mesh::bounding_box(space.mesh);
    refuse(fmt::format("({}) is in no cell of the mesh", fmt::join(source.at, ", ")),
           fmt::format("the mesh lies in ({:g}, {:g}, {:g}) to ({:g}, {:g}, {:g})", box.min[0], box.min[1], box.min[2],
                       box.max[0], box.max[1], box.max[2]));
  }
}

void warn_of_rest(std::span<const Problem* const> media) {
  if (media.front()->space.ranks) return;
  struct Largest {
    double of_all = 0, of_free = 0;
  };
  std::vector<Largest> weights(media.front()->params.point_sources.size());
  for (const Problem* const medium : media) {
    const std::vector<PointLoad> loads = point_loads(*medium);
    const std::vector<Index>& fixed = medium->prescribed.rows;
    for (std::size_t s = 0; s < loads.size(); ++s)
      for (std::size_t i = 0; i < loads[s].rows.size(); ++i) {
        const double weight = std::abs(loads[s].weights[i]);
        weights[s].of_all = std::max(weights[s].of_all, weight);
        if (!std::binary_search(fixed.begin(), fixed.end(), loads[s].rows[i]))
          weights[s].of_free = std::max(weights[s].of_free, weight);
      }
  }
  for (std::size_t s = 0; s < weights.size(); ++s) {
    const std::string which = entry("source", s, {});
    if (weights[s].of_all == 0)
      warn(which + ": its force or moment is 0, and moves nothing");
    else if (weights[s].of_free <= 1e-12 * weights[s].of_all)
      warn(which + ": it acts where values are prescribed, and moves nothing");
  }
}

void warn_of_losses(std::span<const Problem* const> media) {
  if (media.front()->space.ranks) return;
  constexpr double much = 0.1;
  double most = 0;
  for (const Problem* const medium : media) most = std::max(most, medium->media.deviation);
  if (most <= much) return;
  const AttenuationParams& of = *media.front()->params.attenuation;
  warn(fmt::format(
      "quality factors are up to {:.0f} % off in the band from {:g} to {:g} Hz, which is too wide for three "
      "standard linear solids: two to three decades are well held",
      100 * most, of.band[0], of.band[1]));
}

namespace {

void fill(Problem& problem) {
  problem.media = make_media(problem);
  problem.prescribed = prescribed_rows(problem);
  problem.absorbing = absorbing_sides(problem);
}

}  // namespace

Problem make_problem(const Params& params, const Discretisation& space) {
  if (params.medium == Medium::sh && space.mesh.dim != 2)
    throw Error(ExitCode::usage, fmt::format("physics.medium = \"sh\" on a {}-D mesh", space.mesh.dim),
                "displacements out of the plane are of 2-D meshes: choose \"elastic\"", params.physics.where);
  Problem problem{.params = params,
                  .space = space,
                  .medium = params.medium,
                  .cells = assembly::spectral::make_cells(space.mesh, space.dofs),
                  .material = material_of_cells(places(params.materials), space.mesh),
                  .media = {},
                  .prescribed = {},
                  .absorbing = {},
                  .part = {},
                  .interface = {},
                  .grown_from = grown_from(params, space)};
  fill(problem);
  check_sources(params, space, [&](Index) { return params.medium; });
  warn_of_boundaries(params, space.mesh, [&](Index) { return params.medium; });
  const std::array<const Problem*, 1> alone{&problem};
  warn_of_rest(alone);
  warn_of_losses(alone);
  if (params.has_layers() && !space.ranks) check_layers(problem);
  return problem;
}

Problem make_part(const Params& params, const Discretisation& space, Medium medium,
                  const std::vector<Index>& material) {
  using assembly::spectral::Cells;
  const Cells all = assembly::spectral::make_cells(space.mesh, space.dofs);
  Cells cells{all.dim, all.n, all.places, 0, {}};
  PartOfMesh part{.mesh = {}, .number = std::vector<Index>(static_cast<std::size_t>(all.cells), -1)};
  part.mesh.dim = space.mesh.dim;
  part.mesh.order = space.mesh.order;
  part.mesh.points = space.mesh.points;
  std::vector<Index> own_material;
  for (const mesh::CellBlock& block : space.mesh.blocks) {
    mesh::CellBlock own{block.shape, block.order, block.nodes_per_cell, {}, cells.cells};
    for (Index c = 0; c < block.cells(); ++c) {
      const Index cell = block.first_cell + c;
      const Index of = material[static_cast<std::size_t>(cell)];
      if (params.materials[static_cast<std::size_t>(of)].is_fluid() != (medium == Medium::acoustic)) continue;
      part.number[static_cast<std::size_t>(cell)] = cells.cells++;
      own.nodes.insert(own.nodes.end(), block.cell(c), block.cell(c) + block.nodes_per_cell);
      cells.dofs.insert(cells.dofs.end(), all.cell(cell), all.cell(cell) + all.places);
      own_material.push_back(of);
    }
    if (own.cells() > 0) part.mesh.blocks.push_back(std::move(own));
  }
  Problem problem{.params = params,
                  .space = space,
                  .medium = medium,
                  .cells = std::move(cells),
                  .material = std::move(own_material),
                  .media = {},
                  .prescribed = {},
                  .absorbing = {},
                  .part = std::move(part),
                  .interface = {},
                  .grown_from = grown_from(params, space)};
  fill(problem);
  return problem;
}

std::vector<double> values_at(const Problem& problem, const Prescribed& of, double t) {
  std::vector<double> result(of.rows.size());
  for (std::size_t e = 0; e < of.expressions.size(); ++e) {
    std::vector<std::size_t> which;
    std::vector<Index> dofs;
    for (std::size_t i = 0; i < of.rows.size(); ++i)
      if (of.values[i] == e) {
        which.push_back(i);
        dofs.push_back(problem.dof_of(of.rows[i]));
      }
    const std::vector<double> values =
        evaluate(at_time(of.expressions[e], t), problem.space.dof_points, dofs, problem.space.threads);
    for (std::size_t i = 0; i < which.size(); ++i) result[which[i]] = values[i];
  }
  return result;
}

Prescribed derivative_of(const Prescribed& of) {
  Prescribed result = of;
  for (deck::Expression& e : result.expressions) e = derivative(e, deck::Variable::t);
  return result;
}

}  // namespace tessera::physics::wave
