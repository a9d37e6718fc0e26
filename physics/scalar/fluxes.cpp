#include "physics/scalar/fluxes.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>

#include "base/team.hpp"
#include "physics/entry.hpp"
#include "physics/scalar/contact.hpp"
#include "physics/scalar/system.hpp"

namespace tessera::physics::scalar {

namespace {

/// Cells whose coefficients each thread has in memory at a time.
constexpr Offset cells_of_a_part = 1 << 14;
/// Up to so many cells the sums over all of them are made again, which tells whether the assembly had them right.
constexpr Offset cells_summed_again = 1 << 18;
/// Of rows that threads add up apart.
constexpr double most_bytes_of_rows = double{1 << 29};
/// Fewer where there would not be so many parts, for threads to share; but each part makes the tables of its elements.
constexpr Offset parts_wanted = 256, least_cells_of_a_part = 256;

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

/// Calls visit(part, material of its cells) for cells.
template <class Visit>
void visit_part(const Solution& s, std::span<const Index> cells, Visit visit) {
  std::vector<Index> material(cells.size());
  for (std::size_t i = 0; i < cells.size(); ++i) material[i] = s.material[cells[i]];
  visit(assembly::part_of(s.mesh, s.space.dofs, cells), material);
}

/// Of so many cells each thread has so many in memory at a time.
Offset cells_in_part(Offset cells) { return std::clamp(cells / parts_wanted, least_cells_of_a_part, cells_of_a_part); }

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
  for (const CellLoad& load : s_.loads)
    for (std::size_t i = 0; i < load.rows.size() && (inside.empty() || inside[load.cell]); ++i)
      if (const Index at = slot[load.rows[i]]; at >= 0) result[at] -= load.values[i];
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
    const std::vector<double> h = conductance(contact, s_.mesh, s_.threads);
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

/// Constants need no points: then the whole mesh is one part. Otherwise a part a thread: their sums are added in their
/// order, so they do not depend on the number of threads.
template <class Sum>
forms::CellSums Fluxes::sum_in_parts(bool varies, Sum sum) const {
  if (!varies && !s_.share) return sum(s_.mesh, s_.space.dofs, s_.material, s_.threads);
  const std::vector<Index> own = s_.share ? s_.own(nullptr).entities : std::vector<Index>{};
  const Offset cells = s_.share ? static_cast<Offset>(own.size()) : s_.mesh.cells();
  const Offset size = cells_in_part(cells);
  std::vector<forms::CellSums> of_part(static_cast<std::size_t>((cells + size - 1) / size));
  parallel_chunks(s_.threads, cells, size, [&](Offset first, Offset last, int) {
    std::vector<Index> some(static_cast<std::size_t>(last - first));
    if (s_.share)
      std::copy_n(own.begin() + first, last - first, some.begin());
    else
      std::iota(some.begin(), some.end(), static_cast<Index>(first));
    visit_part(s_, some, [&](const assembly::MeshPart& part, const std::vector<Index>& material) {
      of_part[static_cast<std::size_t>(first / size)] = sum(part.mesh, part.dofs, material, 1);
    });
  });
  forms::CellSums total;
  for (const forms::CellSums& sums : of_part) total.add(sums);
  return total;
}

forms::CellSums Fluxes::sums() const {
  if (nodal_) return nodal_->sums;
  if (s_.form.sums && s_.mesh.cells() > cells_summed_again) return *s_.form.sums;
  std::vector<MaterialParams> materials = s_.materials;
  bool varies = s_.form.velocity_varies || s_.mesh.measure.weighs();
  for (MaterialParams& m : materials) {
    m.diffusivity = {deck::Expression(1.0)};
    varies |= !m.source.is_constant() || !m.reaction.is_constant();
  }
  return sum_in_parts(varies, [&](const mesh::Mesh& mesh, const assembly::DofMap& dofs,
                                  const std::vector<Index>& material, int threads) {
    return forms::sum_cells(mesh, dofs, s_.form.data(materials, mesh, dofs, material, s_.u, threads), s_.u, threads);
  });
}

/// int rho du/dt
double Fluxes::storage() const {
  if (!s_.rate || !s_.form.mass) return 0;
  return sum_in_parts(true,
                      [&](const mesh::Mesh& mesh, const assembly::DofMap& dofs, const std::vector<Index>& material,
                          int threads) {
                        return forms::sum_cells(mesh, dofs, {s_.form.mass(mesh, dofs, material, s_.u, threads), {}, {}},
                                                *s_.rate, threads);
                      })
      .reaction;
}

/// What leaves where Dirichlet values hold, through facets or at points and curves, or through a periodic side. `taken`
/// are those that were counted before.
double Fluxes::out_of_open(const std::string& name, std::vector<char>& taken, std::vector<char>& taken_points) const {
  double out = 0;
  if (const mesh::Group* group = s_.mesh.group(name, s_.mesh.dim - 1)) {
    for (const Index facet : group->entities) {
      if (!taken[facet]) out += out_[facet];
      taken[facet] = 1;
    }
    return out;
  }
  const std::vector<Index> dofs = assembly::facet_dofs(s_.mesh, s_.space.dofs, find_group(s_.mesh, name, -1, {}));
  for (std::size_t i = 0; i < points_.size(); ++i) {
    if (taken_points[i] || !std::binary_search(dofs.begin(), dofs.end(), points_[i].first)) continue;
    out += points_[i].second;
    taken_points[i] = 1;
  }
  return out;
}

/// What leaves by the condition of a term through one of its groups.
double Fluxes::out_of_term(std::size_t term, const std::string& name, std::vector<char>& taken) const {
  const std::vector<Index>& facets = s_.facets[term].group.entities;
  double out = 0;
  for (const Index facet : find_group(s_.mesh, name, s_.mesh.dim - 1, {}).entities) {
    if (taken[facet] || open_[facet]) continue;
    taken[facet] = 1;
    out -= conditions_[term].loads.total(std::lower_bound(facets.begin(), facets.end(), facet) - facets.begin());
  }
  return out;
}

Balance Fluxes::balance() const {
  Balance balance;
  balance.cells = sums();
  balance.storage = storage();
  balance.gross = balance.cells.gross + std::abs(balance.storage);
  for (const CellLoad& load : s_.loads)
    for (std::size_t i = 0; i < load.rows.size(); ++i) {
      if (load.rows[i] >= s_.own_dofs()) continue;
      balance.cells.source += load.values[i];
      balance.gross += std::abs(load.values[i]);
    }
  for (const double out : out_) balance.gross += std::abs(out);
  for (const auto& [dof, out] : points_) balance.gross += std::abs(out);
  const auto add = [&](const std::string& name, double out) {
    const auto at = std::find_if(balance.groups.begin(), balance.groups.end(),
                                 [&](const auto& group) { return group.first == name; });
    if (at == balance.groups.end())
      balance.groups.emplace_back(name, out);
    else
      at->second += out;
  };
  // A Dirichlet value that several entries or names give to a facet is the first one's; other conditions on a facet add
  // up.
  std::vector<char> open_taken(open_.size(), 0), points_taken(points_.size(), 0);
  for (const BoundaryParams& boundary : s_.boundaries) {
    if (boundary.type == "dirichlet")
      for (const std::string& name : boundary.on) add(name, out_of_open(name, open_taken, points_taken));
    for (std::size_t term = 0; term < s_.facets.size(); ++term) {
      if (s_.facets[term].boundary != &boundary) continue;
      std::vector<char> taken(open_.size(), 0);
      for (const std::string& name : boundary.on) add(name, out_of_term(term, name, taken));
    }
  }
  for (const Condition& condition : conditions_)  // what leaves one side of a contact enters the other
    if (!condition.side.empty()) {
      double in = 0;
      for (Offset f = 0; f < condition.loads.sides(); ++f) in += condition.loads.total(f);
      add(condition.side, -in);
    }
  for (const BoundaryParams& boundary : s_.periodic)
    for (const std::string& name : boundary.on) add(name, out_of_open(name, open_taken, points_taken));
  return balance;
}

double Balance::remainder() const {
  double sum = cells.source - storage - cells.reaction - cells.convection;
  for (const auto& [name, out] : groups) sum -= out;
  return sum;
}

std::vector<double> Balance::numbers() const {
  std::vector<double> result{cells.source, cells.reaction, cells.convection, gross, storage};
  for (const auto& [name, out] : groups) result.push_back(out);
  return result;
}

Balance Balance::with(std::span<const double> numbers) const {
  Balance result = *this;
  result.cells.source = numbers[0];
  result.cells.reaction = numbers[1];
  result.cells.convection = numbers[2];
  result.gross = numbers[3];
  result.storage = numbers[4];
  for (std::size_t g = 0; g < groups.size(); ++g) result.groups[g].second = numbers[5 + g];
  return result;
}

void report_balance(const Balance& balance, const Solution& solution, output::Summary& summary) {
  const auto any = [&](auto&& term) { return std::any_of(solution.materials.begin(), solution.materials.end(), term); };
  summary.set("balance.source", balance.cells.source);
  if (solution.rate) summary.set("balance.storage", balance.storage);
  if (any([](const MaterialParams& m) { return !is_zero(m.reaction); }))
    summary.set("balance.reaction", balance.cells.reaction);
  if (solution.form.convects) summary.set("balance.convection", balance.cells.convection);
  summary.set_json("balance.groups", nlohmann::ordered_json::object());
  for (const auto& [name, out] : balance.groups) summary.set_in("balance.groups", name, out);
  summary.set("balance.remainder", balance.remainder());
  if (balance.gross > 0) summary.set("balance.relative_remainder", std::abs(balance.remainder()) / balance.gross);
}

}  // namespace tessera::physics::scalar
