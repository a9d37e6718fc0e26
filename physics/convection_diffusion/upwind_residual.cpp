// What discrete upwinding adds to rows of the weak form.
#include <algorithm>
#include <span>

#include "assembly/cells/assembler.hpp"
#include "assembly/space/mesh_part.hpp"
#include "linalg/discrete_upwinding.hpp"
#include "physics/convection_diffusion/problem.hpp"
#include "physics/scalar/system.hpp"

namespace tessera::physics::convection_diffusion {

namespace {

/// The facets of a term whose cells are in the part, as facets of the part, which gets them: all that touch a dof with
/// a slot are.
FacetTerm term_of_part(const FacetTerm& term, const Solution& s, const std::vector<Index>& cells, mesh::Mesh& part) {
  FacetTerm result{term.group, term.boundary};
  result.group.entities.clear();
  for (const Index facet : term.group.entities) {
    const auto cell = std::lower_bound(cells.begin(), cells.end(), s.mesh.facets.cell[facet]);
    if (cell == cells.end() || *cell != s.mesh.facets.cell[facet]) continue;
    result.group.entities.push_back(part.facets.size());
    part.facets.cell.push_back(static_cast<Index>(cell - cells.begin()));
    part.facets.side.push_back(s.mesh.facets.side[facet]);
    part.facets.exterior.push_back(s.mesh.facets.exterior[facet]);
  }
  return result;
}

/// Cells that have a dof with a slot, or one that a periodic side makes the same, ascending.
std::vector<Index> cells_at(const Solution& s, std::span<const Index> became, const std::vector<Index>& slot) {
  std::vector<char> wanted(slot.size(), 0);
  for (std::size_t dof = 0; dof < slot.size(); ++dof)
    if (slot[dof] >= 0) wanted[became[dof]] = 1;
  std::vector<Index> cells;
  for (const assembly::DofBlock& block : s.space.dofs.blocks)
    for (Index c = 0; c < block.cells(); ++c)
      if (std::any_of(block.cell(c), block.cell(c) + block.nodes, [&](Index dof) { return wanted[became[dof]] != 0; }))
        cells.push_back(block.first_cell + c);
  return cells;
}

/// The dofs of the system.
assembly::DofMap folded(assembly::DofMap dofs, std::span<const Index> became) {
  if (became.empty()) return dofs;
  dofs.dofs = 1 + *std::max_element(became.begin(), became.end());
  for (assembly::DofBlock& block : dofs.blocks) {
    std::vector<Index> in_system(block.dofs.begin(), block.dofs.end());
    for (Index& dof : in_system) dof = became[dof];
    block.dofs = assembly::CellDofs(std::move(in_system));
  }
  return dofs;
}

/// Calls visit(number of the cell, local i, local j, entry of A) for all pairs of dofs of all cells.
template <class Visit>
void for_each_pair(const assembly::DofMap& dofs, const linalg::Crs<Host>& A, Visit visit) {
  std::size_t number = 0;
  for (const assembly::DofBlock& block : dofs.blocks)
    for (Index c = 0; c < block.cells(); ++c, ++number)
      for (int i = 0; i < block.nodes; ++i)
        for (int j = 0; j < block.nodes; ++j) {
          const Index row = block.cell(c)[i];
          const Index* const begin = A.col_ind.data() + A.row_ptr[row];
          const Index* const end = A.col_ind.data() + A.row_ptr[row + 1];
          visit(number, i, j, std::lower_bound(begin, end, block.cell(c)[j]) - A.col_ind.data());
        }
}

/// What discrete upwinding adds to each entry of the system's matrix, of which these cells have whole rows.
struct Upwinding {
  linalg::Crs<Host> A;
  std::vector<double> added;  ///< [nnz]
  std::vector<int> around;    ///< [nnz] cells around the pair
};

/// `part`: these cells; `dofs`: the same with the dofs of the system.
Upwinding upwinding_of(const Params& params, const Solution& s, const std::vector<Index>& cells,
                       assembly::MeshPart& part, const assembly::DofMap& dofs) {
  mesh::Mesh& mesh = part.mesh;
  std::vector<Index> material;
  for (const Index cell : cells) material.push_back(s.material[cell]);
  std::vector<FacetTerm> terms;
  for (const FacetTerm& term : s.facets) terms.push_back(term_of_part(term, s, cells, mesh));
  Threads exec(s.threads);
  assembly::Assembler<Threads, forms::Convection> assembler(
      exec, mesh, dofs, {.vector_at_points = velocity_varies(params) || s.mesh.measure.weighs()});
  assembler.set_data(s.form.data(s.materials, mesh, part.dofs, material, s.u, s.threads));
  Upwinding result{assembler.make_matrix(), {}, {}};
  linalg::Crs<Host>& A = result.A;
  Array<double> b(dofs.dofs);
  assembler.refill(A, b.view());
  for (const FacetTerm& term : terms) {
    const std::vector<double> alpha = facet_integral(term, mesh, dofs, s.threads).alpha;
    assembler.add_facets(forms::Robin{}, term.group, {alpha, {}}, A, b.view());
  }
  const std::vector<double> before(A.values.begin(), A.values.end());
  linalg::add_discrete_upwinding(exec, A);
  for (std::size_t entry = 0; entry < before.size(); ++entry)
    result.added.push_back(A.values[static_cast<Offset>(entry)] - before[entry]);
  result.around.assign(before.size(), 0);
  for_each_pair(dofs, A, [&](std::size_t, int, int, Offset entry) { ++result.around[entry]; });
  return result;
}

}  // namespace

/// The diffusion between two dofs stands in the rows of both and is made from entries of the whole matrix between them:
/// cells that have one of them have both. It belongs to the cells around the pair in equal parts; so a pair in a
/// periodic side has some of it on either side.
void add_upwinding(const Params& params, std::span<const Index> became, const Solution& s,
                   const std::vector<Index>& cells, const std::vector<char>& inside, const std::vector<Index>& slot,
                   std::vector<double>& residual) {
  const std::vector<Index> all = became.empty() ? cells : cells_at(s, became, slot);
  assembly::MeshPart part = assembly::part_of(s.mesh, s.space.dofs, all);
  const assembly::DofMap dofs = folded(part.dofs, became);
  const Upwinding upwinding = upwinding_of(params, s, all, part, dofs);
  std::vector<const Index*> dofs_of_cell;  // of the solution
  for (const assembly::DofBlock& block : part.dofs.blocks)
    for (Index c = 0; c < block.cells(); ++c) dofs_of_cell.push_back(block.cell(c));
  for_each_pair(dofs, upwinding.A, [&](std::size_t number, int i, int j, Offset entry) {
    const Index row = dofs_of_cell[number][i], column = dofs_of_cell[number][j];
    if (slot[row] < 0 || row == column || (!inside.empty() && !inside[all[number]])) return;
    residual[slot[row]] += upwinding.added[entry] / upwinding.around[entry] * (s.u[column] - s.u[row]);
  });
}

}  // namespace tessera::physics::convection_diffusion
