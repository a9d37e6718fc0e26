#include "physics/conservation/step_bytes.hpp"

#include "assembly/edge/builder.hpp"
#include "assembly/space/estimated_entries.hpp"
#include "physics/conservation/stages.hpp"
#include "physics/conservation/steps_ahead.hpp"

namespace tessera::physics::conservation {
namespace {

/// Of the geometry at the points of both rules of EdgeBuilder, [cells, points, dim^2 + 1]; straight simplices have one
/// point.
double geometry_bytes(const Discretisation& space) {
  double numbers = 0;
  for (const mesh::CellBlock& block : space.mesh.blocks) {
    if (block.cells() == 0) continue;
    const assembly::EdgeTables tables = assembly::make_edge_tables(block, space.dofs.order, space.dofs.nodes);
    const int points = tables.affine ? 1 : tables.rule.points() + tables.exact.points();
    numbers += 1.0 * block.cells() * points * (space.mesh.dim * space.mesh.dim + 1);
  }
  return sizeof(double) * numbers;
}

}  // namespace

StepBytes step_bytes(const Discretisation& space, Limiter limiter, const std::string& time_scheme,
                     const std::string& backend, bool in_float) {
  const double real = in_float ? sizeof(float) : sizeof(double);
  const int dim = space.mesh.dim, n = space.components;
  const double nodes = space.dofs.dofs, all = assembly::estimated_entries(space.dofs);
  const double entries = all - nodes, edges = entries / 2;  // each edge stands in the lists of both its nodes
  const bool limits_edges = limiter == Limiter::convex || limiter == Limiter::monolithic;
  // Ends and slots, c, m and s; the lists have a neighbour in the place of these, and d and l of the limiter.
  // In float coefficients of edges are let go once the lists have theirs, of which none is s.
  const double of_edge_made = 12 + 8.0 * (dim + 2), of_edge = in_float ? 12 : of_edge_made;
  const double of_entry =
      4 + real * (dim + (in_float ? 1 : 2)) + real + (limits_edges ? real : 0) + (limiter == Limiter::convex ? 1 : 0);
  // Of the graph; three states and the rows of one; what follows from a state and from its neighbours; the longest step
  // and the weights of limits; states of low order and what widens their bounds.
  double of_node = 8.0 * (dim + 4) + 8.0 * 4 * n + real * (n + 2 + 2 * n + 4) + 16;
  if (in_float) of_node += real * n + 8;  // the state as rows read it, and m_i
  if (limits_edges) of_node += real * (n + 1 + 4);
  if (limiter == Limiter::convex) of_node += 16;  // edges that are refused, and those that are open
  if (limiter == Limiter::fct) of_node += 8.0 * 4 * n;
  // A fourth state, see StepsAhead.
  if (backend == "cuda" && is_of_stages(time_scheme) && space.dofs.dofs <= most_nodes_ahead) of_node += 8.0 * n;
  // Fluxes of the stages before, and their sum.
  const std::size_t stages = is_of_stages(time_scheme) ? stages_of(time_scheme).size() : 1;
  if (is_of_stages(time_scheme) && stages_of(time_scheme).front().length < 1)
    of_node += real * n * dim * static_cast<double>(stages);
  double kept = edges * of_edge + entries * of_entry + nodes * of_node;
  // Coefficients are double before they are rounded, of edges and of the lists: on a GPU that is the most there is.
  if (in_float) kept = std::max(kept, edges * of_edge_made + entries * (4 + 8.0 * (dim + 2)) + nodes * 8.0 * (dim + 4));
  // The graph's edges are there when their coefficients are made: by the sparsity, and cells around each dof.
  double around = 0;
  for (const assembly::DofBlock& block : space.dofs.blocks) around += 8.0 * static_cast<double>(block.dofs.size());
  const double making = edges * of_edge_made + 12 * all + geometry_bytes(space) + around + 24.0 * space.mesh.nodes();
  return {kept, std::max(0.0, making - kept)};
}

}  // namespace tessera::physics::conservation
