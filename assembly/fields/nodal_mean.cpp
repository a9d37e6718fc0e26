#include "assembly/fields/nodal_mean.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "assembly/space/geometry_map.hpp"
#include "assembly/space/host_loop.hpp"
#include "assembly/space/quadrature.hpp"
#include "base/team.hpp"

namespace tessera::assembly {

namespace {

double measure(const mesh::Mesh& mesh, const GeometryMap& volume, const Quadrature& rule, const Index* cell) {
  double sum = 0, jacobian[9];
  for (int q = 0; q < rule.size(); ++q) sum += rule.weights[q] * std::abs(volume.jacobian(mesh, cell, q, jacobian));
  return sum;
}

/// The least and the largest of at least one.
std::pair<Index, Index> extremes(const Index* numbers, Offset count, int threads) {
  const auto of = [&](Offset first, Offset last) {
    const auto [least, most] = std::minmax_element(numbers + first, numbers + last);
    return std::pair{*least, *most};
  };
  return parallel_reduce(threads, count, std::pair{numbers[0], numbers[0]}, of, [](const auto& a, const auto& b) {
    return std::pair{std::min(a.first, b.first), std::max(a.second, b.second)};
  });
}

}  // namespace

std::vector<double> nodal_mean(const mesh::Mesh& mesh, const DofMap& dofs, const FieldView& u,
                               const PointField& coefficient, int outputs, const Derive& derive, int threads) {
  if (threads <= 0) threads = default_threads();
  constexpr Index batch_values = 1 << 21;  // of a batch of cells, computed in parallel and added in order: 16 MiB
  std::vector<double> result(static_cast<std::size_t>(dofs.dofs) * outputs, 0.0),
      weight(static_cast<std::size_t>(dofs.dofs), 0.0);
  std::vector<double> values, measures;
  for (std::size_t b = 0; b < mesh.blocks.size(); ++b) {
    const mesh::CellBlock& block = mesh.blocks[b];
    const Element& element = dofs.element(block.shape);
    const DerivedValues derived(block, dofs.order, element.node_points, dofs.nodes);
    const Quadrature& rule = quadrature(block.shape, degree_with_geometry(block.shape, block.order, 0));
    const GeometryMap volume(block, rule.points);
    const DofBlock& of = dofs.blocks[b];
    const Index batch = std::max<Index>(1, batch_values / (element.nodes * outputs));
    for (Index start = 0; start < block.cells(); start += batch) {
      const Index count = std::min(batch, block.cells() - start);
      values.assign(static_cast<std::size_t>(count) * element.nodes * outputs, 0.0);
      measures.resize(count);
      for_chunks(count, 256, threads, [&](Offset, Offset first, Offset last) {
        DerivedValues::Workspace work;
        for (Offset i = first; i < last; ++i) {
          const Index c = start + static_cast<Index>(i);
          measures[i] = measure(mesh, volume, rule, block.cell(c));
          derived(mesh, block.first_cell + c, of.cell(c), u, coefficient, outputs, derive, work,
                  &values[i * element.nodes * outputs]);
        }
      });
      // Each thread adds to some of the dofs, in the order of the cells.
      const Index* const begin = of.cell(start);
      const Offset entries = Offset{count} * element.nodes;
      const std::pair<Index, Index> range = extremes(begin, entries, threads);
      parallel_ranges(threads, Offset{range.second} - range.first + 1, [&](Offset first, Offset last, int) {
        const Offset from = range.first + first, to = range.first + last;
        for (Offset entry = 0; entry < entries; ++entry) {
          const Offset dof = begin[entry];
          if (dof < from || dof >= to) continue;
          const double volume = measures[static_cast<std::size_t>(entry / element.nodes)];
          weight[static_cast<std::size_t>(dof)] += volume;
          for (int k = 0; k < outputs; ++k)
            result[static_cast<std::size_t>(outputs * dof + k)] +=
                volume * values[static_cast<std::size_t>(entry * outputs + k)];
        }
      });
    }
  }
  parallel_for(threads, static_cast<Offset>(weight.size()), [&](Offset dof) {
    for (int k = 0; k < outputs; ++k)
      result[static_cast<std::size_t>(outputs * dof + k)] /= weight[static_cast<std::size_t>(dof)];
  });
  return result;
}

}  // namespace tessera::assembly
