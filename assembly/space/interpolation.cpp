#include "assembly/space/interpolation.hpp"

#include <algorithm>
#include <cmath>

namespace tessera::assembly {

namespace {

/// Values that are rounding of zero.
constexpr double no_value = 1e-12;

std::vector<char> marked(Index rows, std::span<const Index> which) {
  std::vector<char> result(static_cast<std::size_t>(rows), 0);
  for (const Index row : which) result[static_cast<std::size_t>(row)] = 1;
  return result;
}

/// A cell that has each dof, and the number of the dof in it: [dofs].
struct Place {
  int block = -1;
  Index cell = 0;
  int node = 0;
};
std::vector<Place> places_of(const DofMap& map) {
  std::vector<Place> result(static_cast<std::size_t>(map.dofs));
  for (std::size_t b = 0; b < map.blocks.size(); ++b)
    for (Index cell = 0; cell < map.blocks[b].cells(); ++cell)
      for (int node = 0; node < map.blocks[b].nodes; ++node) {
        Place& place = result[static_cast<std::size_t>(map.blocks[b].cell(cell)[node])];
        if (place.block < 0) place = {static_cast<int>(b), cell, node};
      }
  return result;
}

}  // namespace

linalg::Crs<Host, float> interpolation(const DofMap& from, const DofMap& to, int components,
                                       std::span<const Index> fixed_from, std::span<const Index> fixed_to) {
  const std::vector<char> out_from = marked(from.dofs * components, fixed_from),
                          out_to = marked(to.dofs * components, fixed_to);
  std::vector<std::vector<double>> phi(to.blocks.size());  // [nodes of to, nodes of from] of each block
  for (std::size_t b = 0; b < to.blocks.size(); ++b) {
    std::vector<double> gradients;
    tabulate(from.element(to.blocks[b].shape), to.element(to.blocks[b].shape).node_points, phi[b], gradients);
  }
  const std::vector<Place> places = places_of(to);
  std::vector<Offset> row_ptr{0};
  std::vector<Index> col_ind;
  std::vector<float> values;
  std::vector<std::pair<Index, double>> entries;  // of the row of a dof
  for (Index dof = 0; dof < to.dofs; ++dof) {
    const Place& place = places[static_cast<std::size_t>(dof)];
    entries.clear();
    if (place.block >= 0) {
      const DofBlock& block = from.blocks[static_cast<std::size_t>(place.block)];
      const double* row =
          &phi[static_cast<std::size_t>(place.block)][static_cast<std::size_t>(place.node * block.nodes)];
      for (int node = 0; node < block.nodes; ++node)
        if (std::abs(row[node]) > no_value) entries.emplace_back(block.cell(place.cell)[node], row[node]);
    }
    std::sort(entries.begin(), entries.end());
    for (int c = 0; c < components; ++c) {
      if (!out_to[static_cast<std::size_t>(dof * components + c)])
        for (const auto& [coarse, value] : entries) {
          const Index column = coarse * components + c;
          if (out_from[static_cast<std::size_t>(column)]) continue;
          if (static_cast<Offset>(col_ind.size()) > row_ptr.back() && col_ind.back() == column) {
            values.back() += static_cast<float>(value);  // a cell whose sides are the same dofs
            continue;
          }
          col_ind.push_back(column);
          values.push_back(static_cast<float>(value));
        }
      row_ptr.push_back(static_cast<Offset>(col_ind.size()));
    }
  }
  linalg::Crs<Host, float> P;
  P.rows = to.dofs * components;
  P.cols = from.dofs * components;
  P.row_ptr = to_space<Host>(row_ptr);
  P.col_ind = to_space<Host>(col_ind);
  P.values = to_space<Host>(values);
  return P;
}

}  // namespace tessera::assembly
