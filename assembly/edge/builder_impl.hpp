#pragma once
// Kernels of EdgeBuilder for either backend.
#include "assembly/edge/builder.hpp"
#include "assembly/space/sparsity.hpp"
#include "base/parallel.hpp"
#include "forms/tensor.hpp"

namespace tessera::assembly {

/// dX_a/dx_d and weight |det J| of one cell at one point; [cells, points, dim dim + 1].
template <int dim>
struct CellGeometry {
  const Index* nodes;
  int geometry_nodes;
  int points;
  const double* map;
  const double* weights;  ///< null: 1
  const double* coordinates;
  double* geometry;

  TESSERA_HD void operator()(Offset index) const {
    const Offset cell = index / points;
    const int q = static_cast<int>(index % points);
    double J[dim][dim] = {}, inverse[dim][dim];
    for (int n = 0; n < geometry_nodes; ++n) {
      const double* x = coordinates + Offset{3} * nodes[cell * geometry_nodes + n];
      const double* derivative = map + (Offset{q} * geometry_nodes + n) * dim;
      for (int d = 0; d < dim; ++d)
        for (int a = 0; a < dim; ++a) J[d][a] += x[d] * derivative[a];
    }
    const double det = forms::absolute(forms::invert<dim, double>(J, inverse));
    double* out = geometry + index * (dim * dim + 1);
    for (int a = 0; a < dim; ++a)
      for (int d = 0; d < dim; ++d) out[a * dim + d] = inverse[a][d];
    out[dim * dim] = weights ? weights[q] * det : det;
  }
};

/// Integrals over the cells that hold two dofs, or one twice.
template <int dim>
struct PairIntegral {
  double antisymmetric[dim] = {};  ///< (c_ij - c_ji)/2
  double symmetric[dim] = {};      ///< (c_ij + c_ji)/2
  double mass = 0, stiffness = 0;

  /// x = phi_a dphi_b, y = phi_b dphi_a on the reference cell.
  TESSERA_HD void add_c(const double* inverse, double weight, const double (&x)[dim], const double (&y)[dim]) {
    for (int d = 0; d < dim; ++d) {
      double c_ab = 0, c_ba = 0;
      for (int a = 0; a < dim; ++a) {
        c_ab += inverse[a * dim + d] * x[a];
        c_ba += inverse[a * dim + d] * y[a];
      }
      antisymmetric[d] += 0.5 * weight * (c_ab - c_ba);
      symmetric[d] += 0.5 * weight * (c_ab + c_ba);
    }
  }

  TESSERA_HD void add_affine(const EdgeBlockView& block, Offset cell, int a, int b, double k) {
    constexpr int width = 1 + dim + dim * dim;
    const double* inverse = block.affine + cell * (dim * dim + 1);
    const double det = inverse[dim * dim];
    const double* ab = block.reference + (a * block.nodes + b) * width;
    const double* ba = block.reference + (b * block.nodes + a) * width;
    mass += det * ab[0];
    double x[dim], y[dim];
    for (int d = 0; d < dim; ++d) {
      x[d] = ab[1 + d];
      y[d] = ba[1 + d];
    }
    add_c(inverse, det, x, y);
    double sum = 0;
    for (int p = 0; p < dim; ++p)
      for (int q = 0; q < dim; ++q) {
        double metric = 0;
        for (int d = 0; d < dim; ++d) metric += inverse[p * dim + d] * inverse[q * dim + d];
        sum += metric * ab[1 + dim + p * dim + q];
      }
    stiffness += k * det * sum;
  }

  TESSERA_HD void add_points(const EdgeBlockView& block, const EdgeRuleView& rule, Offset cell, int a, int b, double k,
                             bool with_ms, bool with_c) {
    for (int q = 0; q < rule.points; ++q) {
      const double* inverse = rule.geometry + (cell * rule.points + q) * (dim * dim + 1);
      const double w = inverse[dim * dim];
      const double phi_a = rule.phi[q * block.nodes + a], phi_b = rule.phi[q * block.nodes + b];
      const double* da = rule.dphi + (q * block.nodes + a) * dim;
      const double* db = rule.dphi + (q * block.nodes + b) * dim;
      if (with_c) {
        double x[dim], y[dim];
        for (int d = 0; d < dim; ++d) {
          x[d] = phi_a * db[d];
          y[d] = phi_b * da[d];
        }
        add_c(inverse, w, x, y);
      }
      if (!with_ms) continue;
      mass += w * phi_a * phi_b;
      for (int d = 0; d < dim; ++d) {
        double grad_a = 0, grad_b = 0;
        for (int x = 0; x < dim; ++x) {
          grad_a += inverse[x * dim + d] * da[x];
          grad_b += inverse[x * dim + d] * db[x];
        }
        stiffness += k * w * grad_a * grad_b;
      }
    }
  }

  TESSERA_HD void add_cell(const EdgeBlockView& block, Offset cell, int a, int b, double k) {
    if (block.reference) return add_affine(block, cell, a, b, k);
    const bool one_rule = block.exact.points == 0;
    add_points(block, block.rule, cell, a, b, k, true, one_rule);
    if (!one_rule) add_points(block, block.exact, cell, a, b, k, false, true);
  }
};

/// The cells around dofs as kernels see them.
struct AroundView {
  const EdgeBlockView* blocks;
  int block_count;
  const Offset* ptr;
  const Index* cells;
  const Index* region;  ///< null: all 0
  const double* k;

  TESSERA_HD const EdgeBlockView& block_of(Index cell) const {
    int b = 0;
    while (b + 1 < block_count && cell >= blocks[b + 1].first_cell) ++b;
    return blocks[b];
  }
};

/// Local number of a dof in a cell, -1 where it is not there.
TESSERA_HD inline int local_dof(const EdgeBlockView& block, Offset cell, Index dof) {
  const Index* dofs = block.dofs + cell * block.nodes;
  for (int n = 0; n < block.nodes; ++n)
    if (dofs[n] == dof) return n;
  return -1;
}

template <int dim>
struct FillEdge {
  AroundView around;
  const Index* i;
  const Index* j;
  Offset edges;
  const MarkWord* boundary;
  double* c;
  double* boundary_c;
  Offset boundary_edges;
  double* mass;
  double* stiffness;

  TESSERA_HD void operator()(Offset edge) const {
    PairIntegral<dim> integral;
    for (Offset m = around.ptr[i[edge]]; m < around.ptr[i[edge] + 1]; ++m) {
      const EdgeBlockView& block = around.block_of(around.cells[m]);
      const Offset cell = around.cells[m] - block.first_cell;
      const int b = local_dof(block, cell, j[edge]);
      if (b >= 0)
        integral.add_cell(block, cell, local_dof(block, cell, i[edge]), b,
                          around.k[around.region ? around.region[around.cells[m]] : 0]);
    }
    for (int d = 0; d < dim; ++d) c[d * edges + edge] = integral.antisymmetric[d];
    mass[edge] = integral.mass;
    stiffness[edge] = integral.stiffness;
    const MarkWord word = boundary[edge / 32];
    const int bit = static_cast<int>(edge % 32);
    if (word.bits >> bit & 1u)
      for (int d = 0; d < dim; ++d) boundary_c[d * boundary_edges + word.rank(bit)] = integral.symmetric[d];
  }
};

template <int dim>
struct FillNode {
  AroundView around;
  Offset nodes;
  double* c;
  double* mass;
  double* lumped_mass;
  double* stiffness;

  TESSERA_HD void operator()(Offset node) const {
    PairIntegral<dim> integral;
    double lumped = 0;
    for (Offset m = around.ptr[node]; m < around.ptr[node + 1]; ++m) {
      const EdgeBlockView& block = around.block_of(around.cells[m]);
      const Offset cell = around.cells[m] - block.first_cell;
      const int a = local_dof(block, cell, static_cast<Index>(node));
      integral.add_cell(block, cell, a, a, around.k[around.region ? around.region[around.cells[m]] : 0]);
      if (block.reference) {
        lumped += block.load[a] * block.affine[cell * (dim * dim + 1) + dim * dim];
      } else {
        for (int q = 0; q < block.rule.points; ++q)
          lumped += block.rule.phi[q * block.nodes + a] *
                    block.rule.geometry[(cell * block.rule.points + q) * (dim * dim + 1) + dim * dim];
      }
    }
    for (int d = 0; d < dim; ++d) c[d * nodes + node] = integral.symmetric[d];
    mass[node] = integral.mass;
    lumped_mass[node] = lumped;
    stiffness[node] = integral.stiffness;
  }
};

template <class Space>
EdgeRuleData<Space> place_rule(const EdgeRule& rule) {
  EdgeRuleData<Space> there;
  there.points = rule.points();
  there.weights = to_space<Space>(rule.weights);
  there.phi = to_space<Space>(rule.phi);
  there.dphi = to_space<Space>(rule.dphi);
  there.map = to_space<Space>(rule.map);
  return there;
}

template <class Exec>
EdgeBuilder<Exec>::EdgeBuilder(Exec& exec, const mesh::Mesh& mesh, const DofMap& map)
    : exec_(exec), state_(std::make_unique<EdgeBuilderState<Space>>()) {
  state_->mesh = &mesh;
  state_->map = &map;
  const DofNeighbours around = cells_around_dofs(map);
  state_->around_ptr = to_space<Space>(around.ptr);
  state_->around = to_space<Space>(around.cells);
  for (std::size_t b = 0; b < mesh.blocks.size(); ++b) {
    const mesh::CellBlock& cells = mesh.blocks[b];
    const EdgeTables tables = make_edge_tables(cells, map.order, map.nodes);
    EdgeBlockData<Space> block;
    block.geometry_nodes = cells.nodes_per_cell;
    block.dofs = to_space<Space>(map.blocks[b].dofs.view());
    block.geometry = to_space<Space>(cells.nodes);
    block.reference = to_space<Space>(tables.reference);
    block.load = to_space<Space>(tables.load);
    block.rule = place_rule<Space>(tables.rule);
    block.exact = place_rule<Space>(tables.exact);
    state_->blocks.push_back(std::move(block));
  }
}

template <class Exec>
EdgeBuilder<Exec>::~EdgeBuilder() = default;

/// Slots of the diagonals, 0 for rows without entries.
template <class Exec>
void find_diagonals(Exec& exec, const linalg::CrsView<const double>& A, std::uint16_t* slots) {
  for_each(exec, A.rows, [=] TESSERA_HD(Offset row) {
    const Offset first = A.row_ptr[row];
    slots[row] = static_cast<std::uint16_t>(
        find_in_row(A.col_ind.data() + first, static_cast<Index>(A.row_ptr[row + 1] - first), static_cast<Index>(row)));
  });
}

/// Nodes and slots of all edges, row by row.
template <class Exec>
void list_edges(Exec& exec, const linalg::CrsView<const double>& A, const Offset* upper_ptr, Index slice,
                const std::uint16_t* diagonal, Index* i, Index* j, std::uint16_t* slot_ij, std::uint16_t* slot_ji,
                std::uint16_t* degree) {
  for_each(exec, A.rows, [=] TESSERA_HD(Offset r) {
    const Index row = static_cast<Index>(r);
    const Offset first = A.row_ptr[row], length = A.row_ptr[row + 1] - first;
    degree[row] = static_cast<std::uint16_t>(length > 0 ? length - 1 : 0);
    for (Index slot = diagonal[row] + 1; slot < length; ++slot) {
      const Offset edge = edge_place(upper_ptr, A.rows, slice, row, slot - diagonal[row] - 1);
      const Index col = A.col_ind[first + slot];
      const Offset other = A.row_ptr[col];
      i[edge] = row;
      j[edge] = col;
      slot_ij[edge] = static_cast<std::uint16_t>(slot);
      slot_ji[edge] = static_cast<std::uint16_t>(
          find_in_row(A.col_ind.data() + other, static_cast<Index>(A.row_ptr[col + 1] - other), row));
    }
  });
}

/// Numbers of the edges between given pairs [count, 2].
template <class Exec>
void find_edges(Exec& exec, const linalg::CrsView<const double>& A, const Offset* upper_ptr, Index slice,
                const std::uint16_t* diagonal, View<const Index> pairs, Index* numbers) {
  for_each(exec, pairs.size() / 2, [=] TESSERA_HD(Offset p) {
    const Index row = pairs[2 * p];
    const Offset first = A.row_ptr[row];
    const Index slot =
        find_in_row(A.col_ind.data() + first, static_cast<Index>(A.row_ptr[row + 1] - first), pairs[2 * p + 1]);
    numbers[p] = static_cast<Index>(edge_place(upper_ptr, A.rows, slice, row, slot - diagonal[row] - 1));
  });
}

template <class Exec>
EdgeList<typename Exec::Space> EdgeBuilder<Exec>::make(const EdgeParams& params) {
  const linalg::Crs<Space> pattern = make_sparsity(exec_, *state_->map);
  const linalg::CrsView<const double> A = pattern.view();
  EdgeList<Space> list;
  list.dim = state_->mesh->dim;
  list.nodes = A.rows;
  list.slice = edge_slice<Space>;
  list.node_slot = Array<std::uint16_t, Space>(A.rows);
  list.degree = Array<std::uint16_t, Space>(A.rows);
  find_diagonals(exec_, A, list.node_slot.data());
  exec_.synchronize();
  const std::vector<Offset> upper = count_upper(to_vector(pattern.row_ptr), to_vector(list.node_slot));
  const auto upper_ptr = to_space<Space>(upper);
  list.edges = static_cast<Index>(upper.back());
  for (Array<Index, Space>* nodes : {&list.i, &list.j}) *nodes = Array<Index, Space>(list.edges);
  for (Array<std::uint16_t, Space>* slots : {&list.slot_ij, &list.slot_ji})
    *slots = Array<std::uint16_t, Space>(list.edges);
  list_edges(exec_, A, upper_ptr.data(), list.slice, list.node_slot.data(), list.i.data(), list.j.data(),
             list.slot_ij.data(), list.slot_ji.data(), list.degree.data());

  const auto pairs = to_space<Space>(boundary_pairs(*state_->mesh, *state_->map));
  Array<Index, Space> numbers(pairs.size() / 2);
  find_edges(exec_, A, upper_ptr.data(), list.slice, list.node_slot.data(), pairs.view(), numbers.data());
  exec_.synchronize();
  list.coefficients.boundary = to_space<Space>(make_marks(to_vector(numbers), list.edges));
  Coefficients<Space>& coefficients = list.coefficients;
  coefficients.c = Array<double, Space>(Offset{list.edges} * list.dim);
  coefficients.boundary_c = Array<double, Space>(numbers.size() * list.dim);
  coefficients.mass = Array<double, Space>(list.edges);
  coefficients.stiffness = Array<double, Space>(list.edges);
  list.node_c = Array<double, Space>(Offset{list.nodes} * list.dim);
  for (Array<double, Space>* values : {&list.node_mass, &list.node_lumped_mass, &list.node_stiffness})
    *values = Array<double, Space>(list.nodes);
  refill(list, params);
  return list;
}

/// Geometry of all cells of a block at the points of a rule, or of straight simplices once.
template <class Exec>
void place_geometry(Exec& exec, int dim, const Index* nodes, Index cells, int geometry_nodes, int points,
                    const double* map, const double* weights, const double* coordinates,
                    Array<double, typename Exec::Space>& geometry) {
  const Offset size = Offset{cells} * points * (dim * dim + 1);
  if (geometry.size() != size) geometry = Array<double, typename Exec::Space>(size);
  const Offset items = Offset{cells} * points;
  double* out = geometry.data();
  if (dim == 1) for_each(exec, items, CellGeometry<1>{nodes, geometry_nodes, points, map, weights, coordinates, out});
  if (dim == 2) for_each(exec, items, CellGeometry<2>{nodes, geometry_nodes, points, map, weights, coordinates, out});
  if (dim == 3) for_each(exec, items, CellGeometry<3>{nodes, geometry_nodes, points, map, weights, coordinates, out});
}

template <int dim, class Exec>
void fill_coefficients(Exec& exec, const AroundView& around, EdgeList<typename Exec::Space>& list) {
  auto& to = list.coefficients;
  for_each(exec, list.edges,
           FillEdge<dim>{around, list.i.data(), list.j.data(), list.edges, to.boundary.data(), to.c.data(),
                         to.boundary_c.data(), to.boundary_c.size() / dim, to.mass.data(), to.stiffness.data()});
  for_each(exec, list.nodes,
           FillNode<dim>{around, list.nodes, list.node_c.data(), list.node_mass.data(), list.node_lumped_mass.data(),
                         list.node_stiffness.data()});
}

template <class Exec>
void EdgeBuilder<Exec>::refill(EdgeList<Space>& list, const EdgeParams& params) {
  const mesh::Mesh& mesh = *state_->mesh;
  check_edge_params(params, mesh.cells());
  const auto coordinates = to_space<Space>(mesh.points);
  const auto region = to_space<Space>(params.region);
  const auto k = to_space<Space>(params.k);
  std::vector<EdgeBlockView> views;
  for (std::size_t b = 0; b < state_->blocks.size(); ++b) {
    EdgeBlockData<Space>& block = state_->blocks[b];
    const Index cells = mesh.blocks[b].cells();
    auto place = [&](EdgeRuleData<Space>& rule) {
      place_geometry(exec_, mesh.dim, block.geometry.data(), cells, block.geometry_nodes, rule.points, rule.map.data(),
                     rule.weights.data(), coordinates.data(), rule.geometry);
    };
    if (!block.reference.empty()) {
      place_geometry(exec_, mesh.dim, block.geometry.data(), cells, block.geometry_nodes, 1, block.rule.map.data(),
                     nullptr, coordinates.data(), block.affine);
    } else {
      place(block.rule);
      place(block.exact);
    }
    views.push_back({state_->map->blocks[b].nodes, mesh.blocks[b].first_cell, block.dofs.data(),
                     block.reference.empty() ? nullptr : block.reference.data(), block.affine.data(), block.load.data(),
                     block.rule.view(), block.exact.view()});
  }
  state_->views = to_space<Space>(views);
  const AroundView around{state_->views.data(),
                          static_cast<int>(views.size()),
                          state_->around_ptr.data(),
                          state_->around.data(),
                          params.region.empty() ? nullptr : region.data(),
                          k.data()};
  if (list.dim == 1) fill_coefficients<1>(exec_, around, list);
  if (list.dim == 2) fill_coefficients<2>(exec_, around, list);
  if (list.dim == 3) fill_coefficients<3>(exec_, around, list);
  exec_.synchronize();  // coordinates, regions and k are released here
}

}  // namespace tessera::assembly
