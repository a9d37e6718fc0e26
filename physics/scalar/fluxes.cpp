#include "physics/scalar/fluxes.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "base/team.hpp"
#include "physics/scalar/cell_parts.hpp"
#include "physics/scalar/contact.hpp"
#include "physics/scalar/system.hpp"

namespace tessera::physics::scalar {

namespace {

/// Of rows that threads add up apart.
constexpr double most_bytes_of_rows = double{1 << 29};

bool has(const mesh::Group& group, Index entity) {
  return std::binary_search(group.entities.begin(), group.entities.end(), entity);
}

/// Marks the entities of a group.
std::vector<char> marks(const std::vector<Index>& entities, Index count) {
  std::vector<char> result(static_cast<std::size_t>(count), 0);
  for (const Index entity : entities) result[entity] = 1;
  return result;
}

/// slot[dof] = place in `dofs`, -1 for others.
std::vector<Index> slots(const std::vector<Index>& dofs, Index count) {
  std::vector<Index> result(static_cast<std::size_t>(count), -1);
  for (std::size_t i = 0; i < dofs.size(); ++i) result[dofs[i]] = static_cast<Index>(i);
  return result;
}

bool touches(const Solution& s, const std::vector<Index>& slot, Index cell, int side) {
  const assembly::DofBlock& block = s.space.dofs.block_of(cell);
  const Index* dofs = block.cell(cell - block.first_cell);
  const std::vector<int>& local = assembly::facet_local_dofs(block.shape, s.space.dofs.order, side);
  return std::any_of(local.begin(), local.end(), [&](int i) { return slot[dofs[i]] >= 0; });
}

}  // namespace

Fluxes::Fluxes(const Solution& solution)
    : s_(solution),
      nodal_(solution.form.nodal ? std::optional(solution.form.nodal(solution)) : std::nullopt),
      finder_(solution.mesh),
      k_(diffusivity_field(solution)),
      open_(static_cast<std::size_t>(solution.mesh.facets.size()), 0),
      out_(static_cast<std::size_t>(solution.mesh.facets.size()), 0.0) {
  for (const std::vector<BoundaryParams>* list : {&s_.boundaries, &s_.periodic})
    for (const BoundaryParams& boundary : *list) {
      if (boundary.type != "dirichlet" && boundary.type != "periodic") continue;
      for (const std::string& name : boundary.on)
        if (const mesh::Group* group = s_.mesh.group(name, s_.mesh.dim - 1))
          for (const Index facet : group->entities) open_[facet] = 1;
    }
  add_conditions();
  add_reactions();
}

/// Cells that have a dof with a slot, ascending.
std::vector<Index> Fluxes::cells_at(const std::vector<Index>& slot) const {
  std::vector<Index> cells;
  for (const assembly::DofBlock& block : s_.space.dofs.blocks) {
    std::vector<std::vector<Index>> of_part(static_cast<std::size_t>(std::max(1, s_.threads)));
    parallel_ranges(s_.threads, block.cells(), [&](Offset first, Offset last, int part) {
      for (auto c = static_cast<Index>(first); c < last; ++c)
        if (std::any_of(block.cell(c), block.cell(c) + block.nodes, [&](Index dof) { return slot[dof] >= 0; }))
          of_part[static_cast<std::size_t>(part)].push_back(block.first_cell + c);
    });
    for (const std::vector<Index>& found : of_part) cells.insert(cells.end(), found.begin(), found.end());
  }
  return cells;
}

/// A part of the cells a thread; what they have made is added in their order.
template <class Visit>
std::vector<double> Fluxes::rows(const std::vector<Index>& cells, std::size_t size, const std::vector<Index>& slot,
                                 Visit visit) const {
  struct PartRows {
    std::vector<Index> rows;
    std::vector<double> values;
  };
  const auto count = static_cast<Offset>(cells.size()), most = cells_in_part(count);
  std::vector<PartRows> of_part(static_cast<std::size_t>((count + most - 1) / most));
  const int threads = static_cast<int>(
      std::clamp(most_bytes_of_rows / (8.0 * static_cast<double>(size + 1)), 1.0, std::max(1.0, 1.0 * s_.threads)));
  Scratch<std::vector<double>> scratch(threads);
  parallel_chunks(threads, count, most, [&](Offset first, Offset last, int thread) {
    std::vector<double>& sums = scratch.of(thread, size, 0.0);
    PartRows& own = of_part[static_cast<std::size_t>(first / most)];
    visit_part(s_, std::span(cells).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(last - first)),
               [&](const assembly::MeshPart& part, const std::vector<Index>& material) {
                 visit(part, material, sums);
                 for (const assembly::DofBlock& block : part.dofs.blocks)
                   for (const Index dof : block.dofs)
                     if (slot[dof] >= 0) own.rows.push_back(slot[dof]);
               });
    std::sort(own.rows.begin(), own.rows.end());
    own.rows.erase(std::unique(own.rows.begin(), own.rows.end()), own.rows.end());
    for (const Index row : own.rows) own.values.push_back(std::exchange(sums[row], 0.0));
  });
  std::vector<double> result(size, 0.0);
  for (const PartRows& part : of_part)
    for (std::size_t i = 0; i < part.rows.size(); ++i) result[part.rows[i]] += part.values[i];
  return result;
}

/// [size] int rho du/dt phi + a(u, phi) - l(phi) over those of `around`, the cells at these dofs, that are inside.
std::vector<double> Fluxes::residual(const std::vector<Index>& around, const std::vector<char>& inside,
                                     const std::vector<Index>& slot, std::size_t size) const {
  if (nodal_) {  // on a box, which has no facets inside
    std::vector<double> rows(size, 0.0);
    for (std::size_t dof = 0; dof < slot.size(); ++dof)
      if (slot[dof] >= 0) rows[slot[dof]] = nodal_->residual[dof];
    return rows;
  }
  std::vector<Index> cells = around;
  if (!inside.empty()) std::erase_if(cells, [&](Index cell) { return !inside[cell]; });
  std::vector<double> result =
      rows(cells, size, slot,
           [&](const assembly::MeshPart& part, const std::vector<Index>& material, std::vector<double>& sums) {
             const forms::ConvectionData data = s_.form.data(s_.materials, part.mesh, part.dofs, material, s_.u, 1);
             assembly::add_residual(part.mesh, part.dofs, data, forms::Convection{.supg = s_.form.supg}, s_.u, slot,
                                    sums, 1);
           });
  if (s_.rate && s_.form.mass) add_storage(cells, slot, result);
  if (s_.form.add) s_.form.add(s_, around, inside, slot, result);
  s_.each_load([&](Index cell, Index row, double value) {
    if (slot[row] >= 0 && (inside.empty() || inside[cell])) result[slot[row]] -= value;
  });
  return result;
}

/// rows += int rho du/dt phi
void Fluxes::add_storage(const std::vector<Index>& cells, const std::vector<Index>& slot,
                         std::vector<double>& result) const {
  // Of a lumped matrix the row sums, which are its products with 1.
  const std::vector<double> ones(s_.form.lumped ? s_.rate->size() : 0, 1.0);
  const std::vector<double> stored =
      rows(cells, result.size(), slot,
           [&](const assembly::MeshPart& part, const std::vector<Index>& material, std::vector<double>& sums) {
             const forms::ConvectionData data{s_.form.mass(part.mesh, part.dofs, material, s_.u, 1), {}, {}};
             assembly::add_residual(part.mesh, part.dofs, data, forms::Convection{}, s_.form.lumped ? ones : *s_.rate,
                                    slot, sums, 1);
           });
  for (std::size_t dof = 0; dof < slot.size(); ++dof)
    if (slot[dof] >= 0) result[slot[dof]] += stored[slot[dof]] * (s_.form.lumped ? (*s_.rate)[dof] : 1);
}

/// Of a Neumann condition on edges: each of their two nodes has half of the edge, with the value there. Where it is not
/// finite, at a node with a Dirichlet value, it is 0 for all that look at it.
assembly::SideLoads Fluxes::loads_at_nodes(const FacetTerm& term) const {
  assembly::SideLoads loads;
  deck::Evaluator value(term.boundary->value);
  for (const Index facet : term.group.entities) {
    const assembly::DofBlock& block = s_.space.dofs.block_of(s_.mesh.facets.cell[facet]);
    const Index* const dofs = block.cell(s_.mesh.facets.cell[facet] - block.first_cell);
    const std::vector<int>& local = assembly::facet_local_dofs(block.shape, 1, s_.mesh.facets.side[facet]);
    const double* const a = &s_.dof_points[3 * static_cast<std::size_t>(dofs[local.front()])];
    const double* const b = &s_.dof_points[3 * static_cast<std::size_t>(dofs[local.back()])];
    const double half = 0.5 * std::hypot(b[0] - a[0], b[1] - a[1]);
    for (const auto& [dof, at] : {std::pair(dofs[local.front()], a), {dofs[local.back()], b}}) {
      const double there = value(at);
      loads.dofs.push_back(dof);
      loads.flux.push_back(std::isfinite(there) ? half * there : 0);
    }
    loads.first.push_back(static_cast<Offset>(loads.dofs.size()));
  }
  return loads;
}

/// lambda = value - alpha u on facets without a Dirichlet value, and what comes through contacts.
void Fluxes::add_conditions() {
  for (const FacetTerm& term : s_.facets) {
    if (nodal_) {
      add_condition({}, term.group.entities, loads_at_nodes(term));
    } else {
      const assembly::FacetIntegral condition = facet_integral(term, s_.mesh, s_.space.dofs, s_.threads, s_.u);
      add_condition({}, term.group.entities,
                    assembly::facet_loads(s_.mesh, s_.space.dofs, term.group, forms::Robin{},
                                          {condition.alpha, condition.g}, s_.u, s_.threads));
    }
  }
  for (const ContactTerm& contact : s_.contacts) {
    const std::vector<double> h = conductance(contact, s_.mesh, s_.space.dofs, s_.threads, s_.u);
    for (const bool second : {false, true}) {
      const mesh::Group& side = contact.sides[second];
      add_condition(side.name, side.entities,
                    assembly::contact_loads(s_.mesh, s_.space.dofs, contact.points, h, s_.u, side.entities, second));
    }
  }
}

void Fluxes::add_condition(const std::string& name, const std::vector<Index>& facets, assembly::SideLoads loads) {
  s_.keep_own(loads.dofs, loads.flux);
  for (std::size_t f = 0; f < facets.size(); ++f)
    if (!open_[facets[f]]) out_[facets[f]] -= loads.total(static_cast<Offset>(f));
  conditions_.push_back({name, facets, std::move(loads)});
}

/// reaction -= int (value - alpha u) phi over facets of which all cells are inside: these are no boundary of the cells,
/// or one where the condition holds.
void Fluxes::subtract_conditions(const std::vector<char>& inside, const std::vector<Index>& slot,
                                 std::vector<double>& reaction) const {
  for (const auto& [name, facets, loads] : conditions_) {
    const std::vector<mesh::SidePair> sides =
        inside.empty() ? std::vector<mesh::SidePair>{} : mesh::sides_of(s_.mesh, facets);
    for (std::size_t f = 0; f < facets.size(); ++f) {
      if (open_[facets[f]]) continue;
      if (!sides.empty() &&
          (!inside[sides[f].first.cell] || (sides[f].second.cell >= 0 && !inside[sides[f].second.cell])))
        continue;
      for (Offset i = loads.first[f]; i < loads.first[f + 1]; ++i)
        if (const Index at = slot[loads.dofs[i]]; at >= 0) reaction[at] -= loads.flux[i];
    }
  }
}

/// What the Dirichlet values take, and what leaves through each of two periodic sides, whose rows hold only together.
void Fluxes::add_reactions() {
  mesh::Group open{"", s_.mesh.dim - 1, {}, {}};
  for (Index f = 0; f < s_.mesh.facets.size(); ++f)
    if (open_[f]) open.entities.push_back(f);
  const std::vector<Index>& facets = open.entities;
  const std::vector<Index> on_open = assembly::facet_dofs(s_.mesh, s_.space.dofs, open);
  std::vector<Index> fixed;
  std::set_union(on_open.begin(), on_open.end(), s_.fixed.begin(), s_.fixed.end(), std::back_inserter(fixed));
  std::erase_if(fixed, [&](Index dof) { return dof >= s_.own_dofs(); });
  if (fixed.empty()) return;
  const std::vector<Index> slot = slots(fixed, s_.space.dofs.dofs);
  std::vector<double> reaction = residual(cells_at(slot), {}, slot, fixed.size());
  subtract_conditions({}, slot, reaction);
  std::vector<Index> facet_of_side;
  std::vector<mesh::CellSide> sides;
  const std::vector<mesh::SidePair> pairs = mesh::sides_of(s_.mesh, facets);
  for (std::size_t f = 0; f < facets.size(); ++f)
    for (const mesh::CellSide& side : {pairs[f].first, pairs[f].second})
      if (side.cell >= 0) {
        sides.push_back(side);
        facet_of_side.push_back(facets[f]);
      }
  assembly::SideLoads loads = assembly::gradient_loads(s_.mesh, s_.space.dofs, s_.u, k_, sides, s_.threads);
  s_.keep_own(loads.dofs, loads.flux);
  const std::vector<double> shares = assembly::share_reactions(loads, slot, reaction);
  for (std::size_t side = 0; side < sides.size(); ++side) out_[facet_of_side[side]] -= shares[side];
  std::vector<char> on_facet(fixed.size(), 0);
  for (const Index dof : loads.dofs)
    if (slot[dof] >= 0) on_facet[slot[dof]] = 1;
  for (std::size_t i = 0; i < fixed.size(); ++i)
    if (!on_facet[i]) points_.emplace_back(fixed[i], -reaction[i]);
}

double Fluxes::through(const mesh::Group& group) const {
  double sum = 0;
  for (const Index facet : group.entities) sum += out_[facet];
  return sum;
}

double Fluxes::through(const mesh::Group& group, const mesh::Group& from) const {
  mesh::Group outer = group, inner = group;
  outer.entities.clear();
  inner.entities.clear();
  for (const Index facet : group.entities) (s_.mesh.facets.exterior[facet] ? outer : inner).entities.push_back(facet);
  double sum = through(outer);
  if (!inner.entities.empty()) sum += one_sided(inner, marks(from.entities, s_.mesh.cells()));
  return sum;
}

/// The residual of the cells inside alone is the flow through all their boundary; the sides of the group get their part
/// of it.
double Fluxes::one_sided(const mesh::Group& group, const std::vector<char>& inside) const {
  std::vector<Index> dofs = assembly::facet_dofs(s_.mesh, s_.space.dofs, group);
  std::erase_if(dofs, [&](Index dof) { return dof >= s_.own_dofs(); });
  const std::vector<Index> slot = slots(dofs, s_.space.dofs.dofs);
  const std::vector<Index> around = cells_at(slot);
  std::vector<double> reaction = residual(around, inside, slot, dofs.size());
  subtract_conditions(inside, slot, reaction);

  const std::vector<mesh::SidePair> pairs = mesh::pair_sides(
      s_.mesh, around, s_.space.dofs.vertex_dofs, [&](Index cell, int side) { return touches(s_, slot, cell, side); });
  std::vector<mesh::CellSide> sides;
  std::vector<char> counted;
  for (const mesh::SidePair& pair : pairs) {
    const bool first = inside[pair.first.cell], second = pair.second.cell >= 0 && inside[pair.second.cell];
    const Index facet = finder_.find(pair.first);
    const bool cut = facet >= 0 && open_[facet];  // a Dirichlet value holds there, on both sides
    const bool bounds = pair.second.cell >= 0 && first != second;
    const char of_group = facet >= 0 && has(group, facet);
    if (first && (bounds || cut)) sides.push_back(pair.first), counted.push_back(of_group);
    if (second && (bounds || cut)) sides.push_back(pair.second), counted.push_back(of_group);
  }
  assembly::SideLoads loads = assembly::gradient_loads(s_.mesh, s_.space.dofs, s_.u, k_, sides, s_.threads);
  s_.keep_own(loads.dofs, loads.flux);
  const std::vector<double> shares = assembly::share_reactions(loads, slot, reaction);
  double out = 0;
  for (std::size_t side = 0; side < sides.size(); ++side)
    if (counted[side]) out -= shares[side];
  return out;
}

}  // namespace tessera::physics::scalar
