// What discrete upwinding adds to rows of the weak form.
#include <algorithm>

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

/// The share of the cells around each pair of dofs that are inside; 1 where all count. [nnz]
std::vector<double> shares(const linalg::Crs<Host>& A, const assembly::DofMap& part, const std::vector<Index>& cells,
                           const std::vector<char>& inside) {
  std::vector<double> share(static_cast<std::size_t>(A.nnz()), 1.0);
  if (inside.empty()) return share;
  std::vector<int> all(share.size(), 0), some(share.size(), 0);
  std::size_t number = 0;
  for (const assembly::DofBlock& block : part.blocks)
    for (Index c = 0; c < block.cells(); ++c, ++number)
      for (int i = 0; i < block.nodes; ++i)
        for (int j = 0; j < block.nodes; ++j) {
          const Index row = block.cell(c)[i];
          const Index* const begin = A.col_ind.data() + A.row_ptr[row];
          const Index* const end = A.col_ind.data() + A.row_ptr[row + 1];
          const std::size_t entry = std::lower_bound(begin, end, block.cell(c)[j]) - A.col_ind.data();
          ++all[entry];
          some[entry] += inside[cells[number]];
        }
  for (std::size_t entry = 0; entry < share.size(); ++entry)
    if (all[entry] > 0) share[entry] = double(some[entry]) / all[entry];
  return share;
}

}  // namespace

/// The diffusion between two dofs stands in the rows of both and is made from entries of the whole matrix between them:
/// cells that have one of them have both. It belongs to the cells around the pair in equal parts.
void add_upwinding(const Params& params, const Solution& s, const std::vector<Index>& cells,
                   const std::vector<char>& inside, const std::vector<Index>& slot, std::vector<double>& residual) {
  assembly::MeshPart part = assembly::part_of(s.mesh, s.space.dofs, cells);
  std::vector<Index> material;
  for (const Index cell : cells) material.push_back(s.material[cell]);
  std::vector<FacetTerm> terms;
  for (const FacetTerm& term : s.facets) terms.push_back(term_of_part(term, s, cells, part.mesh));
  Threads exec(s.threads);
  assembly::Assembler<Threads, forms::Convection> assembler(
      exec, part.mesh, part.dofs, {.vector_at_points = velocity_varies(params) || s.mesh.measure.weighs()});
  assembler.set_data(s.form.data(s.materials, part.mesh, part.dofs, material, s.u, s.threads));
  linalg::Crs<Host> A = assembler.make_matrix();
  Array<double> b(s.space.dofs.dofs);
  assembler.refill(A, b.view());
  for (const FacetTerm& term : terms) {
    const std::vector<double> alpha = facet_integral(term, part.mesh, part.dofs, s.threads).alpha;
    assembler.add_facets(forms::Robin{}, term.group, {alpha, {}}, A, b.view());
  }
  const std::vector<double> before(A.values.begin(), A.values.end());
  linalg::add_discrete_upwinding(exec, A);
  const std::vector<double> share = shares(A, part.dofs, cells, inside);
  for (Index row = 0; row < A.rows; ++row) {
    if (slot[row] < 0) continue;
    for (Offset k = A.row_ptr[row]; k < A.row_ptr[row + 1]; ++k)
      if (const Index column = A.col_ind[k]; column != row)
        residual[slot[row]] += share[k] * (A.values[k] - before[k]) * (s.u[column] - s.u[row]);
  }
}

}  // namespace tessera::physics::convection_diffusion
