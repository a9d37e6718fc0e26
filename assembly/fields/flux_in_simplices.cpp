#include "assembly/fields/flux_in_simplices.hpp"

#include <algorithm>
#include <utility>

#include "assembly/fields/simplex_gradient.hpp"
#include "assembly/fields/tensor_field.hpp"
#include "base/team.hpp"

namespace tessera::assembly {

namespace {

constexpr Offset chunk_cells = 256;
using Range = std::pair<Index, Index>;  ///< the least and the largest dof

/// Of each chunk of cells of a block.
std::vector<Range> dofs_of_chunks(const DofBlock& block, int threads) {
  const Offset cells = block.cells();
  std::vector<Range> ranges(static_cast<std::size_t>((cells + chunk_cells - 1) / chunk_cells));
  parallel_chunks(threads, cells, chunk_cells, [&](Offset first, Offset last, int) {
    const auto [least, most] = std::minmax_element(block.dofs.data() + first * block.nodes,  //
                                                   block.dofs.data() + last * block.nodes);
    ranges[static_cast<std::size_t>(first / chunk_cells)] = {*least, *most};
  });
  return ranges;
}

/// The dofs from ... to - 1 and what is added to them.
template <int dim>
class Nodes {
 public:
  Nodes(Offset from, Offset to, std::span<double> out)
      : from_(static_cast<Index>(from)), weight_(static_cast<std::size_t>(to - from), 0.0), out_(out) {
    std::fill_n(&out_[3 * static_cast<std::size_t>(from)], 3 * weight_.size(), 0.0);
  }
  bool touch(const Range& range) const { return range.second >= from_ && range.first - from_ < size(); }
  bool touch(const Index* dofs) const {
    return std::any_of(dofs, dofs + dim + 1, [this](Index dof) { return has(dof); });
  }
  /// Of a cell.
  void add(const Index* dofs, double volume, const double* flux) {
    for (int n = 0; n <= dim; ++n) {
      if (!has(dofs[n])) continue;
      weight_[static_cast<std::size_t>(dofs[n] - from_)] += volume;
      double* const at = &out_[3 * static_cast<std::size_t>(dofs[n])];
      for (int axis = 0; axis < dim; ++axis) at[axis] += volume * flux[axis];
    }
  }
  void divide() {
    double* at = &out_[3 * static_cast<std::size_t>(from_)];
    for (const double weight : weight_)
      for (int axis = 0; axis < 3; ++axis) *at++ /= weight;
  }

 private:
  Index size() const { return static_cast<Index>(weight_.size()); }
  bool has(Index dof) const { return dof >= from_ && dof - from_ < size(); }

  Index from_;
  std::vector<double> weight_;  ///< the measures of the cells
  std::span<double> out_;
};

/// Adds -K grad u of cells first ... last - 1 of a block.
template <int dim>
void add_cells(const mesh::Mesh& mesh, const mesh::CellBlock& block, const DofBlock& of, const FieldView& u,
               const RegionTensors& k, Offset first, Offset last, Nodes<dim>& nodes) {
  for (auto c = static_cast<Index>(first); c < last; ++c) {
    const Index* const dofs = of.cell(c);
    if (!nodes.touch(dofs)) continue;
    const std::size_t region = k.region.empty() ? 0 : static_cast<std::size_t>(k.region[block.first_cell + c]);
    double gradient[3], flux[3] = {};
    const double volume = gradient_in_simplex<dim>(mesh, block.cell(c), dofs, u, gradient);
    HostTensorField::multiply(k.components, &k.values[region * static_cast<std::size_t>(k.components)], dim, gradient,
                              flux);
    for (double& component : flux) component = -component;
    nodes.add(dofs, volume, flux);
  }
}

template <int dim>
void flux_of(const mesh::Mesh& mesh, const DofMap& dofs, const FieldView& u, const RegionTensors& k, int threads,
             std::span<double> out) {
  std::vector<std::vector<Range>> ranges;
  for (const DofBlock& block : dofs.blocks) ranges.push_back(dofs_of_chunks(block, threads));
  parallel_ranges(threads, dofs.dofs, [&](Offset from, Offset to, int) {
    Nodes<dim> nodes(from, to, out);
    for (std::size_t b = 0; b < ranges.size(); ++b)
      for (std::size_t chunk = 0; chunk < ranges[b].size(); ++chunk) {
        if (!nodes.touch(ranges[b][chunk])) continue;
        const Offset first = static_cast<Offset>(chunk) * chunk_cells;
        add_cells<dim>(mesh, mesh.blocks[b], dofs.blocks[b], u, k, first,
                       std::min<Offset>(dofs.blocks[b].cells(), first + chunk_cells), nodes);
      }
    nodes.divide();
  });
}

}  // namespace

bool are_linear_simplices(const mesh::Mesh& mesh, const DofMap& dofs) {
  return std::all_of(mesh.blocks.begin(), mesh.blocks.end(),
                     [&](const mesh::CellBlock& block) { return block.nodes_per_cell == mesh.dim + 1; }) &&
         std::all_of(dofs.blocks.begin(), dofs.blocks.end(),
                     [&](const DofBlock& block) { return block.nodes == mesh.dim + 1; });
}

std::vector<double> flux_in_simplices(const mesh::Mesh& mesh, const DofMap& dofs, std::span<const double> u,
                                      const RegionTensors& k, int threads, std::vector<double> memory) {
  if (threads <= 0) threads = default_threads();
  memory.resize(3 * static_cast<std::size_t>(dofs.dofs));
  if (mesh.dim == 1)
    flux_of<1>(mesh, dofs, u, k, threads, memory);
  else if (mesh.dim == 2)
    flux_of<2>(mesh, dofs, u, k, threads, memory);
  else
    flux_of<3>(mesh, dofs, u, k, threads, memory);
  return memory;
}

}  // namespace tessera::assembly
