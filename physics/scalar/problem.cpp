#include "physics/scalar/problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/profile.hpp"
#include "mesh/make_mesh.hpp"
#include "physics/scalar/evaluate.hpp"

namespace tessera::physics::scalar {

namespace {

/// "material 2 (deck.toml:14)": an entry of a list as a reader of the deck finds it.
std::string entry(const char* list, std::size_t index, const deck::Where& where) {
  return fmt::format("{} {}{}", list, index + 1, where ? fmt::format(" ({}:{})", where->file, where->line) : "");
}

bool is_zero(const deck::Expression& e) { return e.is_constant() && e.constant() == 0; }

/// Symmetric tensor [xx xy yy] or [xx xy xz yy yz zz]: all leading minors positive (Sylvester's criterion).
bool positive_definite(const double* k, int components) {
  if (components == 1) return k[0] > 0;
  if (components == 3) return k[0] > 0 && k[0] * k[2] - k[1] * k[1] > 0;
  const double minor = k[0] * k[3] - k[1] * k[1];
  const double det =
      k[0] * (k[3] * k[5] - k[4] * k[4]) - k[1] * (k[1] * k[5] - k[4] * k[2]) + k[2] * (k[1] * k[4] - k[3] * k[2]);
  return k[0] > 0 && minor > 0 && det > 0;
}

void require_positive_definite(const MaterialParams& material, const double* k, int components, const double* xyz) {
  if (positive_definite(k, components)) return;
  std::string values = fmt::format("{}", fmt::join(k, k + components, ", "));
  throw Error(ExitCode::usage,
              fmt::format("diffusivity [{}]{} is not positive{}", values,
                          xyz ? fmt::format(" at ({}, {}, {})", xyz[0], xyz[1], xyz[2]) : "",
                          components > 1 ? " definite" : ""),
              "the problem is elliptic only where k is positive (a tensor: positive definite)", material.where);
}

/// The components of k of a material; a scalar k of a problem with tensors is spread over the diagonal.
std::vector<deck::Expression> spread(const MaterialParams& material, int components) {
  if (static_cast<int>(material.diffusivity.size()) == components) return material.diffusivity;
  std::vector<deck::Expression> k(static_cast<std::size_t>(components));
  const std::vector<int> diagonal = components == 3 ? std::vector{0, 2} : std::vector{0, 3, 5};
  for (int d : diagonal) k[d] = material.diffusivity.front();
  return k;
}

/// A group that Dirichlet values may stand on: facets, or curves and points; among groups of one name the facets.
const mesh::Group& boundary_group(const mesh::Mesh& mesh, const std::string& name, const deck::Where& where,
                                  GroupList list) {
  for (int dim = mesh.dim - 1; dim >= 0; --dim)
    if (const mesh::Group* group = mesh.group(name, dim)) return *group;
  return find_group(mesh, name, mesh.dim - 1, where, list);  // says what there is
}

/// ", among them those of 'chip'": the first group of cells that has one without material.
std::string bare_group(const std::vector<Index>& material, const mesh::Mesh& mesh) {
  for (const mesh::Group& group : mesh.groups)
    if (group.dim == mesh.dim &&
        std::any_of(group.entities.begin(), group.entities.end(), [&](Index c) { return material[c] < 0; }))
      return fmt::format(", among them cells of '{}'", group.name);
  return ", none of them in a group";
}

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

/// An order that a shape of the mesh does not have is an error at the deck's physics.order.
assembly::DofMap dof_map(const deck::Deck& deck, const mesh::Mesh& mesh, const PhysicsParams& physics, int threads) {
  try {
    return assembly::make_dof_map(mesh, physics.order, threads);
  } catch (const Error& error) {
    if (error.where()) throw;
    const deck::Where where = deck.where("physics.order");
    throw Error(error.code(), error.what(), error.help(), where ? where : physics.where);
  }
}

}  // namespace

std::vector<Index> material_of_cells(const std::vector<MaterialParams>& materials, const mesh::Mesh& mesh,
                                     GroupList list) {
  std::vector<Index> material(static_cast<std::size_t>(mesh.cells()), -1);
  Index rest = -1;
  for (std::size_t m = 0; m < materials.size(); ++m) {
    if (materials[m].on.empty()) {
      if (rest >= 0)
        throw Error(
            ExitCode::usage,
            fmt::format("{} and {} have no `on`: both would hold everywhere",
                        entry("material", rest, materials[rest].where), entry("material", m, materials[m].where)),
            "name the groups of one of them with on = [...]", materials[m].where);
      rest = static_cast<Index>(m);
      continue;
    }
    for (const std::string& name : materials[m].on)
      for (Index cell : find_group(mesh, name, mesh.dim, materials[m].where, list).entities) {
        const Index other = material[cell];
        if (other >= 0 && other != static_cast<Index>(m))
          throw Error(
              ExitCode::usage,
              fmt::format("cell {} of group '{}' has two materials: {} and {}", cell, name,
                          entry("material", other, materials[other].where), entry("material", m, materials[m].where)),
              "groups may overlap, but a cell has one material: name each cell in one entry only", materials[m].where);
        material[cell] = static_cast<Index>(m);
      }
  }
  const Index bare = static_cast<Index>(std::count(material.begin(), material.end(), -1));
  if (bare > 0 && rest < 0)
    throw Error(
        ExitCode::usage,
        fmt::format("{} of {} cells have no material{}", bare, mesh.cells(), bare_group(material, mesh)),
        "add a [[material]] without `on` for the rest, or name their groups; there are: " + describe_groups(mesh, list),
        materials.back().where);
  for (Index& m : material)
    if (m < 0) m = rest;
  return material;
}

constexpr Index evaluation_chunk = 256;  // cells

assembly::Coefficient coefficient(const std::vector<std::vector<deck::Expression>>& expressions,
                                  const std::vector<Index>& material, const mesh::Mesh& mesh,
                                  const assembly::QuadraturePoints& points, int threads) {
  assembly::Coefficient result;
  result.components = static_cast<int>(expressions.front().size());
  for (const auto& of_material : expressions)
    for (const deck::Expression& e : of_material) result.per_point |= !e.is_constant();
  const std::size_t components = static_cast<std::size_t>(result.components);
  if (!result.per_point) {
    for (const auto& of_material : expressions)
      for (const deck::Expression& e : of_material) result.values.push_back(e.constant());
    return result;
  }
  result.values.resize(static_cast<std::size_t>(points.before(mesh.blocks.size())) * components);
  // One block by all threads. Runs of cells of one material are evaluated at once: a call a cell would cost more than the expression.
  struct Workspace {
    std::vector<std::vector<deck::Evaluator>> evaluators;  // [materials][components]
    std::vector<double> xyz, column;
  };
  const auto workspace = [&] {
    Workspace own;
    for (const auto& of_material : expressions) {
      own.evaluators.emplace_back();
      for (const deck::Expression& e : of_material) own.evaluators.back().emplace_back(e);
    }
    return own;
  };
  for (std::size_t block = 0; block < mesh.blocks.size(); ++block) {
    const Index cells = mesh.blocks[block].cells(), first_cell = mesh.blocks[block].first_cell;
    const int per_cell = points.per_cell(block);
    const Offset chunks = (cells + evaluation_chunk - 1) / evaluation_chunk;
    for_each_with(workspace, chunks, threads, [&](Workspace& own, Offset chunk) {
      const Index begin = static_cast<Index>(chunk) * evaluation_chunk, end = std::min(cells, begin + evaluation_chunk);
      for (Index cell = begin, next; cell < end; cell = next) {
        const Index of = material[first_cell + cell];
        for (next = cell + 1; next < end && material[first_cell + next] == of;) ++next;
        const std::size_t count = static_cast<std::size_t>(next - cell) * per_cell;
        own.xyz.resize(3 * count);
        own.column.resize(count);
        points.of_cells(block, cell, next - cell, own.xyz.data());
        double* out = result.values.data() + (points.before(block) + Offset{cell} * per_cell) * components;
        for (std::size_t c = 0; c < components; ++c) {
          own.evaluators[of][c].evaluate(own.xyz.data(), count, 0, own.column.data());
          for (std::size_t q = 0; q < count; ++q) out[q * components + c] = own.column[q];
        }
      }
    });
  }
  return result;
}

assembly::DiffusionData diffusion_data(const std::vector<MaterialParams>& materials, const std::vector<Index>& material,
                                       const mesh::Mesh& mesh, const assembly::DofMap& dofs, int threads) {
  const int dim = mesh.dim;
  const assembly::QuadraturePoints points(mesh, dofs);
  const int full = dim * (dim + 1) / 2;
  int components = 1;
  for (const MaterialParams& m : materials) {
    const int given = static_cast<int>(m.diffusivity.size());
    if (given != 1 && given != full)
      throw Error(
          ExitCode::usage, fmt::format("diffusivity has {} values, a {}-D problem takes 1 or {}", given, dim, full),
          dim == 2 ? "a symmetric tensor is [xx, xy, yy]" : "a symmetric tensor is [xx, xy, xz, yy, yz, zz]", m.where);
    components = std::max(components, given);
  }
  std::vector<std::vector<deck::Expression>> k, c, f;
  for (const MaterialParams& m : materials) {
    k.push_back(spread(m, components));
    c.push_back({m.reaction});
    f.push_back({m.source});
  }
  assembly::DiffusionData data;
  data.region = material;
  data.k = coefficient(k, material, mesh, points, threads);
  auto all_zero = [](const std::vector<std::vector<deck::Expression>>& list) {
    return std::all_of(list.begin(), list.end(), [](const auto& one) { return is_zero(one.front()); });
  };
  if (!all_zero(c)) data.c = coefficient(c, material, mesh, points, threads);
  if (!all_zero(f)) data.f = coefficient(f, material, mesh, points, threads);

  if (!data.k.per_point) {
    for (std::size_t m = 0; m < materials.size(); ++m)
      require_positive_definite(materials[m], data.k.values.data() + m * components, components, nullptr);
  } else {
    for (std::size_t block = 0; block < mesh.blocks.size(); ++block) {
      const int per_cell = points.per_cell(block);
      const double* k_at = data.k.values.data() + points.before(block) * components;
      for (Index cell = 0; cell < mesh.blocks[block].cells(); ++cell)
        for (int q = 0; q < per_cell; ++q, k_at += components) {
          if (positive_definite(k_at, components)) continue;
          std::vector<double> xyz(3 * static_cast<std::size_t>(per_cell));
          points.of_cells(block, cell, 1, xyz.data());
          require_positive_definite(materials[material[mesh.blocks[block].first_cell + cell]], k_at, components,
                                    xyz.data() + 3 * q);
        }
    }
  }
  return data;
}

std::vector<FacetTerm> facet_terms(const std::vector<BoundaryParams>& boundaries, const mesh::Mesh& mesh) {
  check_contradictions(boundaries, mesh, "neumann");
  check_contradictions(boundaries, mesh, "robin");
  std::vector<FacetTerm> terms;
  for (const BoundaryParams& boundary : boundaries) {
    if (boundary.type == "dirichlet") continue;
    for (const std::string& name : boundary.on)
      terms.push_back({&find_group(mesh, name, mesh.dim - 1, boundary.where), &boundary});
  }
  return terms;
}

DirichletData dirichlet_data(const std::vector<BoundaryParams>& boundaries, const mesh::Mesh& mesh,
                             const assembly::DofMap& dofs, std::span<const double> dof_points, GroupList list) {
  check_contradictions(boundaries, mesh, "dirichlet");
  std::vector<std::pair<Index, double>> all;
  for (const BoundaryParams& boundary : boundaries) {
    if (boundary.type != "dirichlet") continue;
    deck::Evaluator value(boundary.value);
    for (const std::string& name : boundary.on)
      for (Index dof : assembly::facet_dofs(mesh, dofs, boundary_group(mesh, name, boundary.where, list))) {
        double u = 0;
        value.evaluate(dof_points.data() + 3 * static_cast<std::size_t>(dof), 1, 0, &u);
        all.emplace_back(dof, u);
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

void check_exact(const ExactParams& exact, int dim) {
  if (!exact.gradient.empty() && static_cast<int>(exact.gradient.size()) != dim)
    throw Error(ExitCode::usage,
                fmt::format("exact.gradient has {} components, the mesh has {} dimensions", exact.gradient.size(), dim),
                "give one expression an axis", exact.where);
}

Problem make_problem(const Context& context, Params of_deck) {
  Problem problem;
  problem.params = std::move(of_deck);
  const Params& params = problem.params;
  Threads exec(params.run.threads);
  problem.mesh = mesh::make_mesh(context.deck, params.mesh, exec.count());
  {
    Scope scope(exec, "dofs");
    problem.dofs = dof_map(context.deck, problem.mesh, params.physics, exec.count());
    problem.dof_points = assembly::dof_points(problem.mesh, problem.dofs);
  }
  check_quantities(params.quantities, problem.mesh);
  check_exact(params.exact, problem.mesh.dim);
  problem.material = material_of_cells(params.materials, problem.mesh);
  problem.facets = facet_terms(params.boundaries, problem.mesh);
  problem.dirichlet = dirichlet_data(params.boundaries, problem.mesh, problem.dofs, problem.dof_points);
  return problem;
}

void check_not_singular(const std::vector<MaterialParams>& materials, const std::vector<BoundaryParams>& boundaries,
                        const deck::Where& physics) {
  for (const MaterialParams& m : materials)
    if (!is_zero(m.reaction)) return;
  for (const BoundaryParams& b : boundaries)
    if (b.type == "dirichlet" || (b.type == "robin" && !is_zero(b.alpha))) return;
  const std::string why = boundaries.empty()
                              ? "the deck has no [[boundary]], so k du/dn = 0 holds all around"
                              : fmt::format("no boundary of the deck ({} of them) fixes u", boundaries.size());
  throw Error(
      ExitCode::usage,
      fmt::format("the problem is singular, u is fixed only up to a constant: {}, and there is no reaction", why),
      "add a dirichlet boundary, a robin boundary with alpha > 0, or a reaction",
      boundaries.empty() ? physics : boundaries.front().where);
}

}  // namespace tessera::physics::scalar
