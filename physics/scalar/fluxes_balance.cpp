// The balance of Fluxes: what all cells and all groups of facets say.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <span>

#include "base/team.hpp"
#include "physics/entry.hpp"
#include "physics/groups.hpp"
#include "physics/scalar/cell_parts.hpp"
#include "physics/scalar/fluxes.hpp"

namespace tessera::physics::scalar {

namespace {

/// Up to so many cells the sums over all of them are made again, which tells whether the assembly had them right.
constexpr Offset cells_summed_again = 1 << 18;

}  // namespace

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
  s_.each_load([&](Index, Index row, double value) {
    if (row >= s_.own_dofs()) return;
    balance.cells.source += value;
    balance.gross += std::abs(value);
  });
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
