#include "assembly/facets/contact_impl.hpp"
#include "assembly/facets/contact_slopes.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "forms/tensor.hpp"

namespace tessera::assembly {
namespace {

/// The dofs of a facet, appended.
void append_dofs(const mesh::Mesh& mesh, const DofMap& map, Index facet, std::vector<Index>& to) {
  const DofBlock& block = map.block_of(mesh.facets.cell[facet]);
  const Index* const dofs = block.cell(mesh.facets.cell[facet] - block.first_cell);
  for (const int local : facet_local_dofs(block.shape, map.order, mesh.facets.side[facet])) to.push_back(dofs[local]);
}

/// Those of the first facet, then those of the second.
std::vector<Index> dofs_of(const mesh::Mesh& mesh, const DofMap& map, const ContactPair& pair) {
  std::vector<Index> dofs;
  append_dofs(mesh, map, pair.first, dofs);
  append_dofs(mesh, map, pair.second, dofs);
  return dofs;
}

}  // namespace

std::vector<DofBlock> contact_blocks(const mesh::Mesh& mesh, const DofMap& map, const ContactPoints& points) {
  std::map<int, std::vector<Index>> of_size;
  for (const ContactPair& pair : points.pairs) {
    const std::vector<Index> dofs = dofs_of(mesh, map, pair);
    std::vector<Index>& to = of_size[static_cast<int>(dofs.size())];
    to.insert(to.end(), dofs.begin(), dofs.end());
  }
  std::vector<DofBlock> blocks;
  for (auto& [nodes, dofs] : of_size) {
    DofBlock block;
    block.nodes = nodes;
    block.dofs = CellDofs(std::move(dofs));
    blocks.push_back(std::move(block));
  }
  return blocks;
}

void add_contact_terms(const mesh::Mesh& mesh, const DofMap& map, const ContactPoints& points,
                       std::span<const double> h, FacetTerms& terms) {
  terms.load.resize(static_cast<std::size_t>(map.dofs));
  std::vector<double> jump, matrix;
  for (const ContactPair& pair : points.pairs) {
    const std::vector<Index> dofs = dofs_of(mesh, map, pair);
    // At the end of a contact inside the body both sides have the same dof.
    std::vector<Index> rows = dofs;
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    const int count = static_cast<int>(rows.size());
    jump.resize(rows.size());
    matrix.assign(rows.size() * (rows.size() + 1) / 2, 0.0);
    for (int q = 0; q < pair.points; ++q) {
      const double* const phi = &points.phi[static_cast<std::size_t>(pair.first_phi) + q * dofs.size()];
      std::fill(jump.begin(), jump.end(), 0.0);
      for (std::size_t i = 0; i < dofs.size(); ++i)
        jump[std::lower_bound(rows.begin(), rows.end(), dofs[i]) - rows.begin()] +=
            static_cast<int>(i) < pair.first_nodes ? phi[i] : -phi[i];
      const double factor = h[pair.first_point + q] * points.ds[pair.first_point + q];
      for (int i = 0; i < count; ++i)
        for (int j = i; j < count; ++j) matrix[forms::packed(i, j, count)] += factor * jump[i] * jump[j];
    }
    FacetMatrices& to = terms.shapes[count];
    to.rows.insert(to.rows.end(), rows.begin(), rows.end());
    to.matrices.insert(to.matrices.end(), matrix.begin(), matrix.end());
  }
}

MatrixEntries entries_of(const FacetTerms& terms) { return entries_of(terms, {}); }

MatrixEntries entries_of(const FacetTerms& terms, const MatrixEntries& more) {
  std::vector<std::tuple<Index, Index, double>> all;
  for (const auto& [count, shape] : terms.shapes) {
    const std::size_t packed = static_cast<std::size_t>(count) * (count + 1) / 2;
    for (std::size_t facet = 0; facet * packed < shape.matrices.size(); ++facet) {
      const Index* const rows = &shape.rows[facet * static_cast<std::size_t>(count)];
      const double* const matrix = &shape.matrices[facet * packed];
      for (int i = 0; i < count; ++i)
        for (int j = 0; j < count; ++j)
          all.emplace_back(rows[i], rows[j], matrix[forms::packed(std::min(i, j), std::max(i, j), count)]);
    }
  }
  for (std::size_t k = 0; k < more.rows.size(); ++k) all.emplace_back(more.rows[k], more.cols[k], more.values[k]);
  // Stable: sums have the order of the facets.
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return std::pair(std::get<0>(a), std::get<1>(a)) < std::pair(std::get<0>(b), std::get<1>(b));
  });
  MatrixEntries result;
  for (const auto& [row, col, value] : all) {
    if (!result.rows.empty() && result.rows.back() == row && result.cols.back() == col) {
      result.values.back() += value;
      continue;
    }
    result.rows.push_back(row);
    result.cols.push_back(col);
    result.values.push_back(value);
  }
  return result;
}

ContactState contact_state(const mesh::Mesh& mesh, const DofMap& map, const ContactPoints& points,
                           std::span<const double> u) {
  ContactState state;
  state.mean.assign(points.ds.size(), 0.0);
  state.jump.assign(points.ds.size(), 0.0);
  for (const ContactPair& pair : points.pairs) {
    const std::vector<Index> dofs = dofs_of(mesh, map, pair);
    for (int q = 0; q < pair.points; ++q) {
      const double* const phi = &points.phi[static_cast<std::size_t>(pair.first_phi) + q * dofs.size()];
      double sides[2] = {};
      for (std::size_t i = 0; i < dofs.size(); ++i)
        sides[static_cast<int>(i) < pair.first_nodes ? 0 : 1] += phi[i] * u[static_cast<std::size_t>(dofs[i])];
      state.mean[static_cast<std::size_t>(pair.first_point + q)] = 0.5 * (sides[0] + sides[1]);
      state.jump[static_cast<std::size_t>(pair.first_point + q)] = sides[0] - sides[1];
    }
  }
  return state;
}

void add_contact_slopes(const mesh::Mesh& mesh, const DofMap& map, const ContactPoints& points,
                        std::span<const double> s, MatrixEntries& to) {
  for (const ContactPair& pair : points.pairs) {
    const std::vector<Index> dofs = dofs_of(mesh, map, pair);
    for (std::size_t i = 0; i < dofs.size(); ++i)
      for (std::size_t j = 0; j < dofs.size(); ++j) {
        double value = 0;
        for (int q = 0; q < pair.points; ++q) {
          const double* const phi = &points.phi[static_cast<std::size_t>(pair.first_phi) + q * dofs.size()];
          value += s[pair.first_point + q] * points.ds[pair.first_point + q] * phi[i] * 0.5 * phi[j];
        }
        to.rows.push_back(dofs[i]);
        to.cols.push_back(dofs[j]);
        to.values.push_back(static_cast<int>(i) < pair.first_nodes ? value : -value);
      }
  }
}

void add_product(const MatrixEntries& entries, double factor, std::span<const double> u, std::span<double> y) {
  for (std::size_t k = 0; k < entries.rows.size(); ++k)
    y[static_cast<std::size_t>(entries.rows[k])] +=
        factor * entries.values[k] * u[static_cast<std::size_t>(entries.cols[k])];
}

SideLoads contact_loads(const mesh::Mesh& mesh, const DofMap& map, const ContactPoints& points,
                        std::span<const double> h, std::span<const double> u, const std::vector<Index>& side,
                        bool swapped) {
  SideLoads loads;
  for (const Index facet : side) {
    append_dofs(mesh, map, facet, loads.dofs);
    loads.first.push_back(static_cast<Offset>(loads.dofs.size()));
  }
  loads.flux.assign(loads.dofs.size(), 0.0);
  for (const ContactPair& pair : points.pairs) {
    const std::vector<Index> dofs = dofs_of(mesh, map, pair);
    const auto at = std::lower_bound(side.begin(), side.end(), swapped ? pair.second : pair.first) - side.begin();
    double* const flux = &loads.flux[static_cast<std::size_t>(loads.first[at])];
    const int own = swapped ? pair.first_nodes : 0, count = swapped ? pair.second_nodes : pair.first_nodes;
    for (int q = 0; q < pair.points; ++q) {
      const double* const phi = &points.phi[static_cast<std::size_t>(pair.first_phi) + q * dofs.size()];
      double jump = 0;  // u_1 - u_2
      for (std::size_t i = 0; i < dofs.size(); ++i)
        jump += (static_cast<int>(i) < pair.first_nodes ? phi[i] : -phi[i]) * u[static_cast<std::size_t>(dofs[i])];
      const double in = h[pair.first_point + q] * points.ds[pair.first_point + q] * (swapped ? jump : -jump);
      for (int i = 0; i < count; ++i) flux[i] += in * phi[own + i];
    }
  }
  return loads;
}

template void add_entries(Threads&, const MatrixEntries&, linalg::Crs<Host>&);

}  // namespace tessera::assembly
