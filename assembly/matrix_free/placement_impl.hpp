#pragma once
// Lists and maps of the cells of an operator, made where they are used from what the mesh and its dof map have.
#include <span>
#include <vector>

#include "assembly/matrix_free/blocks.hpp"
#include "assembly/space/element.hpp"
#include "base/parallel.hpp"
#include "forms/tensor.hpp"
#include "mesh/mesh.hpp"

namespace tessera::assembly::matrix_free {

/// Items of the host where a backend can read them: those of a device are copied.
template <class Space, class T>
class Readable {
 public:
  explicit Readable(std::span<const T> items) : at_(items.data()) {
    if constexpr (!std::is_same_v<Space, Host>) at_ = (copy_ = to_space<Space>(items)).data();
  }
  const T* data() const { return at_; }

 private:
  Array<T, Space> copy_;
  const T* at_;
};

/// Where the numbers of a cell stand: entry l of cell c at c * cell + l * entry.
struct Strides {
  Offset cell = 0, entry = 1;
};

/// The rows of the dofs [cells, nodes] of cells, dof * components + component: [cells, components, nodes] of
/// `by_components`, or [cells, nodes, components].
struct PlaceRows {
  const Index* dofs;
  const int* node_at;  ///< [nodes] the nodes in their order; null: as they are
  Index cells;
  int nodes, components;
  bool by_components;
  Strides to;
  Index* rows;

  TESSERA_HD void write(Offset cell, int l) const {
    int node = l, component = 0;
    if (components > 1) {
      node = by_components ? l % nodes : l / components;
      component = by_components ? l / nodes : l % components;
    }
    const Index dof = dofs[cell * nodes + (node_at ? node_at[node] : node)];
    rows[cell * to.cell + l * to.entry] = dof * components + component;
  }
};

/// On threads cell by cell; on a GPU neighbouring threads write neighbouring numbers.
inline void place_rows(Threads& exec, const PlaceRows& place) {
  const int rows = place.nodes * place.components;
  for_each(exec, place.cells, [=](Offset cell) {
    for (int l = 0; l < rows; ++l) place.write(cell, l);
  });
}
template <class Exec>
void place_rows(Exec& exec, const PlaceRows& place) {
  const Offset rows = Offset{place.nodes} * place.components, cells = place.cells;
  const bool columns = place.to.cell == 1;
  for_each(exec, cells * rows, [=] TESSERA_HD(Offset k) {
    place.write(columns ? k % cells : k / rows, static_cast<int>(columns ? k / cells : k % rows));
  });
}

/// See PlaceRows; dofs and node_at of the host. node_at empty: nodes as they are.
template <class Exec>
SharedIndices<typename Exec::Space> placed_rows(Exec& exec, std::span<const Index> dofs,
                                                const std::vector<int>& node_at, int nodes, int components,
                                                bool by_components, const Strides& to) {
  using Space = typename Exec::Space;
  Array<Index, Space> rows(static_cast<Offset>(dofs.size()) * components);
  const Readable<Space, Index> from(dofs);
  const Readable<Space, int> order{std::span<const int>(node_at)};
  place_rows(exec, PlaceRows{from.data(), node_at.empty() ? nullptr : order.data(),
                             static_cast<Index>(dofs.size() / static_cast<std::size_t>(nodes)), nodes, components,
                             by_components, to, rows.data()});
  exec.synchronize();  // the copies are released here
  return share(std::move(rows));
}

/// Numbers of the map of a cell of geometric order 1: 2^dim - 1 coefficients of dim, see LineJacobian.
constexpr int map_numbers(int dim) { return ((1 << dim) - 1) * dim; }

/// The way back: dofs [cells, nodes] from rows of which those of the first component of a node stand at `from`; ~row
/// where its value is fixed.
struct CopyDofs {
  const Index* rows;
  const int* node_at;  ///< see PlaceRows
  int nodes, components;
  Strides from;
  Index* dofs;
  TESSERA_HD void operator()(Offset k) const {
    const Offset cell = k / nodes;
    const int l = static_cast<int>(k - cell * nodes);
    const Index row = rows[cell * from.cell + l * from.entry];
    dofs[cell * nodes + (node_at ? node_at[l] : l)] = (row < 0 ? ~row : row) / components;
  }
};

/// What means of eight coordinates that ought to cancel may leave, times the largest of them.
inline constexpr double rounding_of_maps = 4 * 0x1p-52;

/// Coefficients of the maps of cells from their vertices: that of the product of axes m is the mean over the vertices
/// of the signs that they have there.
template <int dim, class T>
struct WriteMaps {
  const double* coordinates;  ///< [mesh nodes, 3]
  const Index* geometry;      ///< [cells, nodes]
  int nodes;
  double signs[(1 << dim) * dim];  ///< [vertices, dim]
  Strides to;
  T* maps;

  TESSERA_HD void operator()(Offset cell) const {
    constexpr int vertices = 1 << dim;
    for (int m = 1; m < vertices; ++m) {
      double sums[dim] = {}, largest[dim] = {};
      for (int v = 0; v < vertices; ++v) {
        double sign = 1.0 / vertices;
        for (int axis = 0; axis < dim; ++axis)
          if (m >> axis & 1) sign *= signs[v * dim + axis];
        const double* x = coordinates + Offset{3} * geometry[cell * nodes + v];
        for (int d = 0; d < dim; ++d) {
          sums[d] += sign * x[d];
          if (const double size = forms::absolute(x[d]); size > largest[d]) largest[d] = size;
        }
      }
      const bool product = (m & (m - 1)) != 0;
      for (int d = 0; d < dim; ++d) {
        const bool rounding = product && forms::absolute(sums[d]) <= rounding_of_maps * largest[d];
        maps[cell * to.cell + ((m - 1) * dim + d) * to.entry] = rounding ? T(0) : static_cast<T>(sums[d]);
      }
    }
  }
};

/// `coordinates` and `geometry` are those of the mesh and of the block, where the backend reads them.
template <class Exec, class T>
void write_maps(Exec& exec, const mesh::CellBlock& cells, const double* coordinates, const Index* geometry, T* maps,
                Offset cell_stride, Offset entry_stride) {
  const std::span<const double> signs = reference_vertices(cells.shape);
  const auto write = [&](auto of_dim) {
    of_dim.coordinates = coordinates, of_dim.geometry = geometry, of_dim.nodes = cells.nodes_per_cell;
    for (std::size_t i = 0; i < std::size(of_dim.signs); ++i) of_dim.signs[i] = signs[i];
    of_dim.to = {cell_stride, entry_stride}, of_dim.maps = maps;
    for_each(exec, cells.cells(), of_dim);
  };
  if (mesh::dimension(cells.shape) == 2)
    write(WriteMaps<2, T>{});
  else
    write(WriteMaps<3, T>{});
}

}  // namespace tessera::assembly::matrix_free
