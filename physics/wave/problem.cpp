#include "physics/wave/problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

#include "base/collective.hpp"
#include "base/log.hpp"
#include "mesh/geometry.hpp"
#include "physics/at_time.hpp"
#include "physics/entry.hpp"
#include "physics/evaluate.hpp"
#include "physics/places.hpp"
#include "physics/wave/anisotropy.hpp"
#include "physics/wave/media.hpp"

namespace tessera::physics::wave {

namespace {

using assembly::spectral::Coefficients;
using assembly::spectral::SideNode;

/// Whether an entry prescribes values: with those of the deck, or 0.
bool is_prescribed(const BoundaryParams& boundary, Medium medium) {
  return boundary.type == "prescribed" || boundary.type == (medium == Medium::acoustic ? "free" : "fixed");
}

Prescribed prescribed_rows(const Params& params, const Discretisation& space) {
  Prescribed result;
  std::map<Index, std::size_t> of_row;  // of two that prescribe the later one holds
  for (const BoundaryParams& boundary : params.boundaries) {
    if (!is_prescribed(boundary, params.medium)) continue;
    std::vector<deck::Expression> values = boundary.value;
    if (boundary.type != "prescribed") values.assign(static_cast<std::size_t>(space.components), deck::Expression(0.0));
    if (static_cast<int>(values.size()) != space.components)
      throw Error(ExitCode::usage,
                  fmt::format("a prescribed value has {} component{}, the field has {}", values.size(),
                              values.size() == 1 ? "" : "s", space.components),
                  "give one expression a component", boundary.where);
    const std::size_t first = result.expressions.size();
    result.expressions.insert(result.expressions.end(), values.begin(), values.end());
    for (const std::string& name : boundary.on)
      for (const Index dof :
           assembly::facet_dofs(space.mesh, space.dofs, boundary_group(space.mesh, name, boundary.where)))
        for (int c = 0; c < space.components; ++c) of_row[space.row(dof, c)] = first + static_cast<std::size_t>(c);
  }
  for (const auto& [row, value] : of_row) {
    result.rows.push_back(row);
    result.values.push_back(value);
  }
  return result;
}

/// Says where an entry that prescribes nothing has facets of one that does.
void warn_of_both(const Params& params, const mesh::Mesh& mesh) {
  std::vector<char> prescribed(static_cast<std::size_t>(mesh.facets.size()), 0);
  for (const bool marks : {true, false})
    for (const BoundaryParams& boundary : params.boundaries) {
      if (is_prescribed(boundary, params.medium) != marks) continue;
      std::size_t both = 0;
      for (const std::string& name : boundary.on) {
        const mesh::Group& group = boundary_group(mesh, name, boundary.where);
        if (group.dim != mesh.dim - 1) continue;
        for (const Index facet : group.entities) {
          char& is_prescribed = prescribed[static_cast<std::size_t>(facet)];
          if (marks)
            is_prescribed = 1;
          else
            both += is_prescribed ? 1 : 0;
        }
      }
      if (both > 0)
        warn(
            fmt::format("[[boundary]] type = \"{}\" on '{}': at {} of its facets another entry prescribes values, "
                        "which hold there",
                        boundary.type, fmt::join(boundary.on, "', '"), both));
    }
}

/// Says where nothing will move, or a source cannot.
void warn_of_rest(const Params& params, const Problem& problem) {
  const bool moves = !params.point_sources.empty() || !params.initial.empty() || !params.initial_rates.empty() ||
                     std::any_of(params.boundaries.begin(), params.boundaries.end(),
                                 [](const BoundaryParams& b) { return b.type == "prescribed"; });
  if (!moves) warn("nothing moves: the deck has no [[source]], no [[initial]] and no prescribed values");
  if (problem.space.ranks) return;
  const std::vector<PointLoad> loads = point_loads(problem);
  const std::vector<Index>& fixed = problem.prescribed.rows;
  for (std::size_t s = 0; s < loads.size(); ++s) {
    bool acts = false;
    for (std::size_t i = 0; i < loads[s].rows.size(); ++i)
      acts |=
          std::abs(loads[s].weights[i]) > 1e-12 && !std::binary_search(fixed.begin(), fixed.end(), loads[s].rows[i]);
    if (!acts) warn(fmt::format("{}: it acts where values are prescribed, and moves nothing", entry("source", s, {})));
  }
}

/// Facets of absorbing entries, each once. They must be sides of the mesh: inside it there is nothing behind them.
std::vector<mesh::Group> absorbing_groups(const Params& params, const mesh::Mesh& mesh) {
  std::vector<mesh::Group> groups;
  std::vector<char> taken(static_cast<std::size_t>(mesh.facets.size()), 0);
  for (const BoundaryParams& boundary : params.boundaries) {
    mesh::Group group = united_groups(mesh, boundary.on, -1, boundary.where);
    if (boundary.type != "absorbing") continue;
    if (group.dim != mesh.dim - 1)
      throw Error(
          ExitCode::usage,
          fmt::format("an absorbing boundary on '{}', which is not made of facets", fmt::join(boundary.on, "', '")),
          "name groups of facets", boundary.where);
    for (const Index facet : group.entities)
      if (!mesh.facets.exterior[static_cast<std::size_t>(facet)])
        throw Error(
            ExitCode::usage,
            fmt::format("the absorbing boundary '{}' has facets inside the mesh", fmt::join(boundary.on, "', '")),
            "waves are let out through sides of the mesh: name one of these", boundary.where);
    std::erase_if(group.entities,
                  [&](Index facet) { return std::exchange(taken[static_cast<std::size_t>(facet)], 1); });
    groups.push_back(std::move(group));
  }
  return groups;
}

void check_sources(const Params& params, const Discretisation& space) {
  const int dim = space.mesh.dim;
  const mesh::PointLocator locator(space.mesh);
  for (std::size_t s = 0; s < params.point_sources.size(); ++s) {
    const PointSourceParams& source = params.point_sources[s];
    const auto refuse = [&](const std::string& what, const std::string& help) {
      throw Error(ExitCode::usage, fmt::format("{}: {}", entry("source", s, {}), what), help, source.where);
    };
    const auto axes = static_cast<std::size_t>(dim);
    if (source.at.size() != axes)
      refuse(fmt::format("at has {} numbers, the mesh {} dimensions", source.at.size(), dim),
             "give one number an axis");
    if (!source.force.empty() && source.force.size() != axes)
      refuse(fmt::format("force has {} numbers, the mesh {} dimensions", source.force.size(), dim),
             "give one number an axis");
    if (const std::size_t entries = axes * (axes + 1) / 2; !source.moment.empty() && source.moment.size() != entries)
      refuse(fmt::format("moment has {} numbers, in {} dimensions there are {}", source.moment.size(), dim, entries),
             dim == 2 ? "xx yy xy" : "xx yy zz xy yz xz");
    if (space.ranks || locator.find(source.point())) continue;
    const mesh::BoundingBox box = mesh::bounding_box(space.mesh);
    refuse(fmt::format("({}) is in no cell of the mesh", fmt::join(source.at, ", ")),
           fmt::format("the mesh lies in ({:g}, {:g}, {:g}) to ({:g}, {:g}, {:g})", box.min[0], box.min[1], box.min[2],
                       box.max[0], box.max[1], box.max[2]));
  }
}

/// Of xx yy xy, or xx yy zz xy yz xz.
double moment(const std::vector<double>& m, int a, int b) {
  if (a == b) return m[static_cast<std::size_t>(a)];
  if (m.size() == 3) return m[2];
  const int other = 3 - a - b;  // the axis that is not in it: xy, yz, xz
  return m[other == 2 ? 3 : other == 0 ? 4 : 5];
}

}  // namespace

bool Prescribed::varies() const {
  return std::any_of(expressions.begin(), expressions.end(),
                     [](const deck::Expression& e) { return e.depends_on_time(); });
}

Problem make_problem(const Params& params, const Discretisation& space) {
  if (params.medium == Medium::sh && space.mesh.dim != 2)
    throw Error(ExitCode::usage, fmt::format("physics.medium = \"sh\" on a {}-D mesh", space.mesh.dim),
                "displacements out of the plane are of 2-D meshes: choose \"elastic\"", params.physics.where);
  Problem problem{params, space, assembly::spectral::make_cells(space.mesh, space.dofs), {}, {}, {}, {}};
  problem.material = material_of_cells(places(params.materials), space.mesh);
  problem.media = make_media(params, space, problem.cells, problem.material);
  problem.prescribed = prescribed_rows(params, space);
  problem.absorbing = absorbing_groups(params, space.mesh);
  check_sources(params, space);
  warn_of_both(params, space.mesh);
  warn_of_rest(params, problem);
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
        dofs.push_back(problem.space.dof_of(of.rows[i]));
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

namespace {

void add_impedance(const Problem& problem, const SideNode& node, double area, std::vector<double>& block) {
  const int dim = problem.cells.dim;
  const Coefficients& stiffness = problem.media.stiffness;
  Stiffness C{dim, {}};
  for (int k = 0; k < stiffness.components; ++k)
    C.values[static_cast<std::size_t>(k)] = stiffness.at(problem.cells, node.cell, node.place, k);
  std::array<double, 3> normal = node.normal;
  for (double& n : normal) n /= area;
  const Eigen::MatrixXd Z = impedance(C, problem.media.mass.at(problem.cells, node.cell, node.place), normal);
  for (int a = 0; a < dim; ++a)
    for (int b = 0; b < dim; ++b) block[static_cast<std::size_t>(a * dim + b)] += area * Z(a, b);
}

}  // namespace

Absorbing absorbing_nodes(const Problem& problem) {
  const auto C = static_cast<std::size_t>(problem.components()), dim = static_cast<std::size_t>(problem.cells.dim);
  const Media& media = problem.media;
  std::map<Index, std::vector<double>> blocks;
  for (const mesh::Group& group : problem.absorbing)
    assembly::spectral::for_each_side_node(
        problem.space.mesh, problem.space.dofs, problem.cells, group, [&](const SideNode& node) {
          std::vector<double>& block = blocks[node.dof];
          block.resize(C * C);
          const double area = std::hypot(node.normal[0], node.normal[1], node.normal[2]);
          const double mass = media.mass.at(problem.cells, node.cell, node.place);
          const double fast = mass * media.fast.at(problem.cells, node.cell, node.place),
                       slow = mass * media.slow.at(problem.cells, node.cell, node.place);
          if (media.anisotropic) {
            add_impedance(problem, node, area, block);
            return;
          }
          for (std::size_t a = 0; a < C; ++a) {
            block[a * C + a] += area * slow;
            for (std::size_t b = 0; C == dim && b < C; ++b)
              block[a * C + b] += (fast - slow) * node.normal[a] * node.normal[b] / area;
          }
        });
  Absorbing result;
  for (const auto& [dof, block] : blocks) {
    result.dofs.push_back(dof);
    result.blocks.insert(result.blocks.end(), block.begin(), block.end());
  }
  return result;
}

std::vector<PointLoad> point_loads(const Problem& problem) {
  const Discretisation& space = problem.space;
  const int C = problem.components(), dim = space.mesh.dim;
  std::vector<PointLoad> loads;
  const mesh::PointLocator locator(space.mesh);
  for (const PointSourceParams& source : problem.params.point_sources) {
    PointLoad load{.rows = {}, .weights = {}, .function = &source.function};
    const auto point = assembly::spectral::element_point(space.mesh, space.dofs, locator, source.point());
    double cell = std::numeric_limits<double>::infinity();
    if (point) cell = space.ranks ? static_cast<double>(space.share.cell_numbers[point->cell]) : point->cell;
    const bool mine = point && (!space.ranks || cell == minimum(*space.ranks, cell));
    if (space.ranks && !point) (void)minimum(*space.ranks, cell);
    if (mine) {
      load.distance = point->distance;
      for (std::size_t i = 0; i < point->dofs.size(); ++i)
        for (int c = 0; c < C; ++c) {
          double weight = source.force.empty() ? 1 : source.force[static_cast<std::size_t>(c)];
          weight *= point->values[i];
          if (!source.moment.empty()) {
            weight = 0;
            for (int d = 0; d < dim; ++d)
              weight += moment(source.moment, c, d) * point->slopes[i][static_cast<std::size_t>(d)];
          }
          load.rows.push_back(space.row(point->dofs[i], c));
          load.weights.push_back(weight);
        }
    }
    loads.push_back(std::move(load));
  }
  return loads;
}

}  // namespace tessera::physics::wave
