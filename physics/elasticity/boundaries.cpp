// Boundary conditions on the mesh.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "assembly/facets/integrals.hpp"
#include "mesh/geometry.hpp"
#include "physics/elasticity/problem.hpp"
#include "physics/entry.hpp"
#include "physics/evaluate.hpp"
#include "physics/places.hpp"
#include "physics/scalar/axis.hpp"

namespace tessera::physics::elasticity {

namespace {

/// The axis along which the normals of a group are. Throws where they are not along one.
int normal_axis(const Discretisation& space, const BoundaryParams& boundary, const std::string& name) {
  constexpr double rounding = 1e-6;
  const mesh::Group& group = find_group(space.mesh, name, space.mesh.dim - 1, boundary.where);
  const std::vector<double> normals = assembly::facet_normals(space.mesh, space.dofs, group, space.threads);
  for (int axis = 0; axis < space.mesh.dim; ++axis) {
    bool all = true;
    for (std::size_t q = 0; q < normals.size(); q += 3) all &= std::abs(std::abs(normals[q + axis]) - 1) < rounding;
    if (all) return axis;
  }
  throw Error(ExitCode::usage,
              fmt::format("'{}' is not a plane normal to a coordinate axis, so it is no plane of symmetry", name),
              "turn the geometry so that it is, or hold it by a spring with normal_stiffness", boundary.where);
}

/// What an entry fixes: an expression for each component that it does.
std::vector<std::optional<deck::Expression>> fixed_by(const Discretisation& space, const BoundaryParams& boundary,
                                                      const std::string& name) {
  std::vector<std::optional<deck::Expression>> fixed(static_cast<std::size_t>(space.components));
  if (boundary.type == "symmetry")
    fixed[static_cast<std::size_t>(normal_axis(space, boundary, name))] = deck::Expression(0.0);
  if (boundary.type == "displacement")
    for (int c = 0; c < space.components; ++c) fixed[static_cast<std::size_t>(c)] = boundary.component(c);
  return fixed;
}

bool is_fixing(const BoundaryParams& boundary) {
  return boundary.type == "displacement" || boundary.type == "symmetry";
}

void check_components(const Params& params, int dim) {
  for (const BoundaryParams& b : params.boundaries) {
    const auto many = static_cast<int>(b.value.size());
    if (b.type != "pressure" && many > 0 && many != dim)
      throw Error(ExitCode::usage,
                  fmt::format("value has {} component{}, a {}-D mesh has {} ax{}s", many, many == 1 ? "" : "s", dim,
                              dim, dim == 1 ? "i" : "e"),
                  "give one an axis, or value_x, value_y, value_z for some of them", b.where);
    if ((b.value_y && dim < 2) || (b.value_z && dim < 3))
      throw Error(ExitCode::usage, fmt::format("a {}-D mesh has no displacement along {}", dim, b.value_z ? "z" : "y"),
                  "leave it out", b.where);
    if (const auto springs = static_cast<int>(b.stiffness.size()); springs > 1 && springs != dim)
      throw Error(ExitCode::usage, fmt::format("stiffness has {} values, a {}-D mesh has {} axes", springs, dim, dim),
                  "give one for all directions, or one an axis", b.where);
  }
}

bool are_same(const deck::Expression& a, const deck::Expression& b) {
  return a.is_constant() && b.is_constant() ? a.constant() == b.constant() : a.text() == b.text();
}

/// Which entry fixes the components of the displacement along which a load acts on a facet; -1: none fixes them all.
/// `by` has the entry that fixes a component on a facet.
std::int32_t what_makes_useless(const Params& params, const BoundaryParams& load,
                                const std::vector<std::vector<std::int32_t>>& by, std::size_t facet) {
  const auto acts_along = [&](std::size_t c) {
    if (load.type != "traction") return true;
    const auto value = load.component(static_cast<int>(c));
    return value && !is_zero(*value);
  };
  bool acts = false;
  for (std::size_t c = 0; c < by.size(); ++c) acts |= acts_along(c);
  std::int32_t other = -1;
  for (std::size_t c = 0; c < by.size(); ++c) {
    const std::int32_t fixed = by[c][facet];
    // A pressure acts along the normal, and so does a symmetry.
    if (fixed >= 0 && load.type == "pressure" && params.boundaries[static_cast<std::size_t>(fixed)].type == "symmetry")
      return fixed;
    if (acts && !acts_along(c)) continue;  // of a traction that is zero all components count
    if (fixed < 0) return -1;
    other = fixed;
  }
  return other;
}

/// "boundary 2 (deck.toml:14)".
std::string entry_of(const Params& params, std::int32_t b) {
  return entry("boundary", static_cast<std::size_t>(b), params.boundaries[static_cast<std::size_t>(b)].where);
}

/// Which entry fixes a component on a facet, [components][facets]; -1: none. Throws where two do with different values.
std::vector<std::vector<std::int32_t>> fixing_entries(const Params& params, const Discretisation& space) {
  const mesh::Mesh& mesh = space.mesh;
  const auto facets = static_cast<std::size_t>(mesh.facets.size());
  std::vector<std::vector<std::int32_t>> by(static_cast<std::size_t>(space.components),
                                            std::vector<std::int32_t>(facets, -1));
  for (std::size_t b = 0; b < params.boundaries.size(); ++b) {
    const BoundaryParams& boundary = params.boundaries[b];
    if (!is_fixing(boundary)) continue;
    for (const std::string& name : boundary.on) {
      const mesh::Group* group = mesh.group(name, mesh.dim - 1);
      if (!group) continue;
      const auto fixed = fixed_by(space, boundary, name);
      for (std::size_t c = 0; c < fixed.size(); ++c) {
        if (!fixed[c]) continue;
        for (const Index facet : group->entities) {
          const std::int32_t other = by[c][static_cast<std::size_t>(facet)];
          if (other >= 0 && other != static_cast<std::int32_t>(b)) {
            const BoundaryParams& first = params.boundaries[static_cast<std::size_t>(other)];
            const auto before =
                first.type == "symmetry" ? deck::Expression(0.0) : *first.component(static_cast<int>(c));
            if (!are_same(before, *fixed[c]))
              throw Error(ExitCode::usage,
                          fmt::format("two displacements contradict each other on '{}': u_{} = {} in {}, {} in {}",
                                      name, "xyz"[c], before.text(), entry_of(params, other), fixed[c]->text(),
                                      entry_of(params, static_cast<std::int32_t>(b))),
                          fmt::format("a facet has one displacement; take '{}' out of one of them", name),
                          boundary.where);
          }
          by[c][static_cast<std::size_t>(facet)] = static_cast<std::int32_t>(b);
        }
      }
    }
  }
  return by;
}

/// Throws where a facet has a load of one type twice, or one where everything along it is fixed, and where a load has
/// no area or no outside.
void check_loads(const Params& params, const Discretisation& space, const std::vector<std::vector<std::int32_t>>& by) {
  const mesh::Mesh& mesh = space.mesh;
  const auto facets = static_cast<std::size_t>(mesh.facets.size());
  std::map<std::string, std::vector<std::int32_t>> loaded;
  for (std::size_t b = 0; b < params.boundaries.size(); ++b) {
    const BoundaryParams& boundary = params.boundaries[b];
    if (is_fixing(boundary)) continue;
    auto& claimed = loaded.try_emplace(boundary.type, facets, -1).first->second;
    for (const std::string& name : boundary.on) {
      const mesh::Group& group = find_group(mesh, name, mesh.dim - 1, boundary.where);
      if (mesh::on_axis(mesh, group))
        throw Error(ExitCode::usage, fmt::format("'{}' is on the axis, where a {} has no area", name, boundary.type),
                    "leave it out: nothing acts on the axis", boundary.where);
      for (const Index facet : group.entities) {
        const auto f = static_cast<std::size_t>(facet);
        if (boundary.type == "pressure" && !mesh.facets.exterior[f])
          throw Error(ExitCode::usage,
                      fmt::format("a pressure acts on a surface from outside, and '{}' lies inside the mesh", name),
                      "take a traction, which says its direction, or name exterior facets", boundary.where);
        if (claimed[f] >= 0 && claimed[f] != static_cast<std::int32_t>(b))
          throw Error(ExitCode::usage,
                      fmt::format("'{}' has two boundaries of type {}: {} and {}", name, boundary.type,
                                  entry_of(params, claimed[f]), entry_of(params, static_cast<std::int32_t>(b))),
                      "a facet has one of each type: add the values up in one entry", boundary.where);
        claimed[f] = static_cast<std::int32_t>(b);
        if (const std::int32_t other = what_makes_useless(params, boundary, by, f); other >= 0)
          throw Error(ExitCode::usage,
                      fmt::format("the {} on '{}' has no effect: {} fixes the displacement there", boundary.type, name,
                                  entry_of(params, other)),
                      "a facet is held or loaded: take the group out of one of the entries, or name smaller groups",
                      boundary.where);
      }
    }
  }
}

bool is_on_axis(const Discretisation& space, Index dof, double rounding) {
  return space.dof_points[3 * static_cast<std::size_t>(dof) + static_cast<std::size_t>(space.mesh.measure.radius)] <=
         rounding;
}

/// The last `count` rows have displacements along r, which tear a body apart on its axis unless they are zero there.
void require_zero_on_axis(const Discretisation& space, const BoundaryParams& boundary, const std::string& name,
                          const std::vector<std::pair<Index, double>>& rows, std::size_t count) {
  const double rounding = axis_rounding(space);
  double largest = 0;
  for (std::size_t i = rows.size() - count; i < rows.size(); ++i) largest = std::max(largest, std::abs(rows[i].second));
  for (std::size_t i = rows.size() - count; i < rows.size(); ++i) {
    if (std::abs(rows[i].second) <= 1e-9 * largest || !is_on_axis(space, space.dof_of(rows[i].first), rounding))
      continue;
    throw Error(ExitCode::usage,
                fmt::format("'{}' reaches the axis, where nothing moves along r: u_{} = {} there", name,
                            "xyz"[space.mesh.measure.radius], rows[i].second),
                "a displacement along r is zero on the axis: multiply it by r, or leave this component out",
                boundary.where);
  }
}

}  // namespace

double axis_rounding(const Discretisation& space) {
  if (!space.mesh.measure.weighs()) return 0;
  const mesh::BoundingBox box = mesh::bounding_box(space.mesh);  // as mesh::set_axis
  return 1e-10 * std::hypot(box.max[0] - box.min[0], box.max[1] - box.min[1]);
}

void check_reactions(const Params& params, const mesh::Mesh& mesh) {
  for (const QuantityParams& quantity : params.quantities) {
    if (quantity.kind != "reaction") continue;
    std::vector<std::string> names;
    for (int c = 0; c < mesh.dim; ++c) names.push_back(std::string("u_") + "xyz"[c]);
    if (std::find(names.begin(), names.end(), quantity.of) == names.end())
      throw Error(ExitCode::usage,
                  fmt::format("quantity '{}' is the reaction along '{}', which is no axis", quantity.name, quantity.of),
                  fmt::format("write of = one of: {}", fmt::join(names, ", ")), quantity.where);
    if (quantity.on.empty())
      throw Error(ExitCode::usage, fmt::format("quantity '{}' of kind \"reaction\" names no group", quantity.name),
                  "on = [\"...\"]: through which groups the force acts", quantity.where);
    for (const std::string& name : quantity.on) boundary_group(mesh, name, quantity.where);
  }
}

DirichletData displacements(const Params& params, const Discretisation& space) {
  check_components(params, space.mesh.dim);
  const std::vector<std::vector<std::int32_t>> fixing = fixing_entries(params, space);  // checks, too
  if (!space.ranks) check_loads(params, space, fixing);
  std::vector<std::pair<Index, double>> rows;
  for (const BoundaryParams& boundary : params.boundaries) {
    if (!is_fixing(boundary)) continue;
    for (const std::string& name : boundary.on) {
      const auto fixed = fixed_by(space, boundary, name);
      const std::vector<Index> dofs =
          assembly::facet_dofs(space.mesh, space.dofs, boundary_group(space.mesh, name, boundary.where));
      for (int c = 0; c < space.components; ++c) {
        if (!fixed[static_cast<std::size_t>(c)]) continue;
        const std::vector<double> values =
            physics::evaluate(*fixed[static_cast<std::size_t>(c)], space.dof_points, dofs, space.threads);
        for (std::size_t i = 0; i < dofs.size(); ++i) rows.emplace_back(space.row(dofs[i], c), values[i]);
        if (c == space.mesh.measure.radius) require_zero_on_axis(space, boundary, name, rows, dofs.size());
      }
    }
  }
  if (const int radial = space.mesh.measure.radius; radial >= 0) {
    const double rounding = axis_rounding(space);
    for (Index dof = 0; dof < space.dofs.dofs; ++dof)
      if (is_on_axis(space, dof, rounding)) rows.emplace_back(space.row(dof, radial), 0.0);
  }
  // Stable: of several values in a row the last entry of the deck comes last.
  std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  DirichletData data;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i + 1 < rows.size() && rows[i + 1].first == rows[i].first) continue;
    data.dofs.push_back(rows[i].first);
    data.values.push_back(rows[i].second);
  }
  return data;
}

std::vector<char> fixed_components(const Discretisation& space, const BoundaryParams& boundary,
                                   const std::string& name) {
  std::vector<char> result;
  for (const auto& value : fixed_by(space, boundary, name)) result.push_back(value.has_value());
  return result;
}

std::vector<FacetTerm> facet_terms(const Params& params, const mesh::Mesh& mesh) {
  std::vector<FacetTerm> terms;
  for (const BoundaryParams& boundary : params.boundaries)
    if (!is_fixing(boundary))
      terms.push_back({united_groups(mesh, boundary.on, mesh.dim - 1, boundary.where), &boundary});
  return terms;
}

namespace {

/// Evaluates an expression at the points of a term.
struct ValuesAt {
  const std::vector<double>& xyz;
  const deck::Where& where;
  int threads;

  std::vector<double> operator()(const deck::Expression& e) const { return physics::evaluate(e, xyz, threads); }
  /// The stiffness of a spring, which is not negative.
  std::vector<double> stiffness(const deck::Expression& e) const {
    std::vector<double> k = (*this)(e);
    const auto negative = std::find_if(k.begin(), k.end(), [](double value) { return value < 0; });
    if (negative == k.end()) return k;
    const double* x = &xyz[3 * static_cast<std::size_t>(negative - k.begin())];
    throw Error(ExitCode::usage,
                fmt::format("the stiffness of a spring is {} at ({}, {}, {})", *negative, x[0], x[1], x[2]),
                "a spring pulls back: its stiffness is not negative", where);
  }
};

std::vector<double> tractions(const BoundaryParams& boundary, const ValuesAt& at, const std::vector<double>& normals,
                              int m) {
  const std::size_t points = at.xyz.size() / 3;
  std::vector<double> t(points * m, 0.0), values;
  if (boundary.type == "pressure") values = at(boundary.value.front());
  for (int c = 0; c < m; ++c) {
    if (boundary.type == "traction") {
      const auto of = boundary.component(c);
      if (!of) continue;
      values = at(*of);
    }
    for (std::size_t q = 0; q < points; ++q)
      t[q * m + c] = boundary.type == "pressure" ? -values[q] * normals[3 * q + c] : values[q];
  }
  return t;
}

std::vector<double> springs(const BoundaryParams& boundary, const ValuesAt& at, const std::vector<double>& normals,
                            int m) {
  const std::size_t points = at.xyz.size() / 3;
  const int packed = m * (m + 1) / 2;
  std::vector<double> S(points * packed, 0.0);
  for (int c = 0; c < m && !boundary.stiffness.empty(); ++c) {
    const std::vector<double> k = at.stiffness(boundary.stiffness[boundary.stiffness.size() == 1 ? 0 : c]);
    for (std::size_t q = 0; q < points; ++q) S[q * packed + forms::packed(c, c, m)] += k[q];
  }
  if (normals.empty()) return S;
  const std::vector<double> k = at.stiffness(boundary.normal_stiffness);
  for (std::size_t q = 0; q < points; ++q)
    for (int c = 0; c < m; ++c)
      for (int d = c; d < m; ++d)
        S[q * packed + forms::packed(c, d, m)] += k[q] * normals[3 * q + c] * normals[3 * q + d];
  return S;
}

}  // namespace

TractionValues traction_values(const Problem& problem, const FacetTerm& term) {
  const Discretisation& space = problem.space;
  const BoundaryParams& boundary = *term.boundary;
  const std::vector<double> xyz = assembly::facet_quadrature_points(space.mesh, space.dofs, term.group, space.threads);
  std::vector<double> normals;
  if (boundary.type == "pressure" || !is_zero(boundary.normal_stiffness))
    normals = assembly::facet_normals(space.mesh, space.dofs, term.group, space.threads);
  const ValuesAt at{xyz, boundary.where, space.threads};
  TractionValues result;
  if (boundary.type == "spring")
    result.spring = springs(boundary, at, normals, problem.dim());
  else
    result.traction = tractions(boundary, at, normals, problem.dim());
  scalar::weigh(result.traction, xyz, space.mesh.measure);
  scalar::weigh(result.spring, xyz, space.mesh.measure);
  return result;
}

}  // namespace tessera::physics::elasticity
