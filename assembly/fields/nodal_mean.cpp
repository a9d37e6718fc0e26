#include "assembly/fields/nodal_mean.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "assembly/fields/simplex_gradient.hpp"
#include "assembly/space/geometry_map.hpp"
#include "assembly/space/host_loop.hpp"
#include "assembly/space/quadrature.hpp"
#include "base/team.hpp"

namespace tessera::assembly {

namespace {

constexpr Offset chunk_cells = 256;

double measure(const mesh::Mesh& mesh, const GeometryMap& volume, const Quadrature& rule, const Index* cell) {
  double sum = 0, jacobian[9];
  for (int q = 0; q < rule.size(); ++q) sum += rule.weights[q] * std::abs(volume.jacobian(mesh, cell, q, jacobian));
  return sum;
}

double gradient_in_simplex(const mesh::Mesh& mesh, const Index* nodes, const Index* dofs, const FieldView& u,
                           double* gradient) {
  if (mesh.dim == 1) return gradient_in_simplex<1>(mesh, nodes, dofs, u, gradient);
  if (mesh.dim == 2) return gradient_in_simplex<2>(mesh, nodes, dofs, u, gradient);
  return gradient_in_simplex<3>(mesh, nodes, dofs, u, gradient);
}

/// A block of cells: values at its nodes, computed in parallel.
class BlockValues {
 public:
  BlockValues(const mesh::Mesh& mesh, const mesh::CellBlock& block, const DofMap& dofs, const FieldView& u,
              const PointField& coefficient, int outputs, const Derive& derive, DerivedOf of)
      : mesh_(mesh),
        block_(block),
        of_(dofs.blocks[static_cast<std::size_t>(&block - mesh.blocks.data())]),
        u_(u),
        coefficient_(coefficient),
        outputs_(outputs),
        derive_(derive),
        element_(dofs.element(block.shape)),
        derived_(block, dofs.order, element_.node_points, dofs.nodes),
        rule_(quadrature(block.shape, degree_with_geometry(block.shape, block.order, 0))),
        volume_(block, rule_.points) {
    const bool linear = block.nodes_per_cell == mesh.dim + 1 && element_.nodes == mesh.dim + 1;
    once_ = of == DerivedOf::gradient && linear && coefficient.is_constant;
  }
  int nodes() const { return element_.nodes; }

  /// values [nodes, outputs] of cell c of the block. Returns its measure.
  double operator()(Index c, DerivedValues::Workspace& work, double* values) const {
    if (once_ && coefficient_.is_constant(block_.first_cell + c)) return once(c, work, values);
    std::fill_n(values, element_.nodes * outputs_, 0.0);
    derived_(mesh_, block_.first_cell + c, of_.cell(c), u_, coefficient_, outputs_, derive_, work, values);
    return measure(mesh_, volume_, rule_, block_.cell(c));
  }

 private:
  double once(Index c, DerivedValues::Workspace& work, double* values) const {
    work.state.resize(static_cast<std::size_t>(u_.components()) * mesh_.dim);
    work.of_rule.resize(static_cast<std::size_t>(coefficient_.components));
    const auto x = mesh_.point(block_.cell(c)[0]);
    const double xyz[3] = {x[0], x[1], x[2]};
    coefficient_.evaluate(block_.first_cell + c, 1, {xyz}, work.of_rule.data());
    const double volume = gradient_in_simplex(mesh_, block_.cell(c), of_.cell(c), u_, work.state.data());
    std::fill_n(values, outputs_, 0.0);
    derive_({block_.first_cell + c, xyz, nullptr, work.state.data(), work.of_rule.data()}, values);
    for (int n = 1; n < element_.nodes; ++n) std::copy_n(values, outputs_, values + n * outputs_);
    return volume;
  }

  const mesh::Mesh& mesh_;
  const mesh::CellBlock& block_;
  const DofBlock& of_;
  const FieldView& u_;
  const PointField& coefficient_;
  int outputs_;
  const Derive& derive_;
  const Element& element_;
  DerivedValues derived_;
  const Quadrature& rule_;
  GeometryMap volume_;
  bool once_;  ///< where the coefficient is constant
};

/// Values of cells one after another, [cells, nodes, outputs], and what adds them to the nodes.
struct Batch {
  const Index* dofs = nullptr;  ///< [cells, nodes]
  Index cells = 0;
  int nodes = 0, outputs = 0;
  std::vector<double> values = {}, measures = {};
  std::vector<std::pair<Index, Index>> ranges = {};  ///< the least and the largest dof of each chunk of cells

  /// Adds those of dofs from ... to - 1, in the order of the cells.
  void add(Offset from, Offset to, std::vector<double>& weight, std::vector<double>& result) const {
    for (std::size_t chunk = 0; chunk < ranges.size(); ++chunk) {
      if (ranges[chunk].second < from || ranges[chunk].first >= to) continue;
      const Offset first = static_cast<Offset>(chunk) * chunk_cells;
      const Offset last = std::min<Offset>(cells, first + chunk_cells);
      for (Offset entry = first * nodes; entry < last * nodes; ++entry) {
        const Offset dof = dofs[entry];
        if (dof < from || dof >= to) continue;
        const double volume = measures[static_cast<std::size_t>(entry / nodes)];
        weight[static_cast<std::size_t>(dof)] += volume;
        for (int k = 0; k < outputs; ++k)
          result[static_cast<std::size_t>(outputs * dof + k)] +=
              volume * values[static_cast<std::size_t>(entry * outputs + k)];
      }
    }
  }
};

/// Of a block from cell `start` on, into a batch.
void compute(const BlockValues& of_block, Index start, int threads, Batch& batch) {
  batch.values.resize(static_cast<std::size_t>(batch.cells) * batch.nodes * batch.outputs);
  batch.measures.resize(static_cast<std::size_t>(batch.cells));
  batch.ranges.resize(static_cast<std::size_t>((batch.cells + chunk_cells - 1) / chunk_cells));
  for_chunks(batch.cells, chunk_cells, threads, [&](Offset chunk, Offset first, Offset last) {
    DerivedValues::Workspace work;
    for (Offset i = first; i < last; ++i)
      batch.measures[static_cast<std::size_t>(i)] =
          of_block(start + static_cast<Index>(i), work,
                   &batch.values[static_cast<std::size_t>(i) * batch.nodes * batch.outputs]);
    const auto [least, most] = std::minmax_element(batch.dofs + first * batch.nodes, batch.dofs + last * batch.nodes);
    batch.ranges[static_cast<std::size_t>(chunk)] = {*least, *most};
  });
}

}  // namespace

std::vector<double> nodal_mean(const mesh::Mesh& mesh, const DofMap& dofs, const FieldView& u,
                               const PointField& coefficient, int outputs, const Derive& derive, int threads,
                               DerivedOf derived_of) {
  if (threads <= 0) threads = default_threads();
  constexpr Index batch_values = 1 << 21;  // of a batch of cells, computed in parallel and added in order: 16 MiB
  std::vector<double> result(static_cast<std::size_t>(dofs.dofs) * outputs, 0.0),
      weight(static_cast<std::size_t>(dofs.dofs), 0.0);
  Batch batch;
  batch.outputs = outputs;
  for (std::size_t b = 0; b < mesh.blocks.size(); ++b) {
    const mesh::CellBlock& block = mesh.blocks[b];
    const BlockValues of_block(mesh, block, dofs, u, coefficient, outputs, derive, derived_of);
    batch.nodes = of_block.nodes();
    const Index most = std::max<Index>(1, batch_values / (batch.nodes * outputs));
    for (Index start = 0; start < block.cells(); start += most) {
      batch.cells = std::min(most, block.cells() - start);
      batch.dofs = dofs.blocks[b].cell(start);
      compute(of_block, start, threads, batch);
      Offset least = dofs.dofs, largest = 0;
      for (const auto& [low, high] : batch.ranges)
        least = std::min<Offset>(least, low), largest = std::max<Offset>(largest, high);
      parallel_ranges(threads, largest - least + 1,
                      [&](Offset first, Offset last, int) { batch.add(least + first, least + last, weight, result); });
    }
  }
  parallel_for(threads, static_cast<Offset>(weight.size()), [&](Offset dof) {
    for (int k = 0; k < outputs; ++k)
      result[static_cast<std::size_t>(outputs * dof + k)] /= weight[static_cast<std::size_t>(dof)];
  });
  return result;
}

}  // namespace tessera::assembly
