// Data of u less a constant.
#include <algorithm>

#include "physics/scalar/problem.hpp"
#include "physics/scalar/system.hpp"

namespace tessera::physics::scalar {

void spread_over_points(forms::Coefficient& coefficient, const std::vector<Index>& region, const mesh::Mesh& mesh,
                        const assembly::QuadraturePoints& points) {
  if (coefficient.per_point) return;
  std::vector<double> values;
  const std::size_t components = static_cast<std::size_t>(coefficient.components);
  values.reserve(static_cast<std::size_t>(points.before(mesh.blocks.size())) * components);
  for (std::size_t block = 0; block < mesh.blocks.size(); ++block)
    for (Index cell = 0; cell < mesh.blocks[block].cells(); ++cell) {
      const std::size_t of = region.empty() ? 0 : region[mesh.blocks[block].first_cell + cell];
      const double* const first = coefficient.values.data() + of * components;
      for (int q = 0; q < points.per_cell(block); ++q) values.insert(values.end(), first, first + components);
    }
  coefficient.values = std::move(values);
  coefficient.per_point = true;
}

forms::DiffusionData below(forms::DiffusionData data, double level, const mesh::Mesh& mesh,
                           const assembly::DofMap& dofs) {
  if (level == 0 || data.c.values.empty()) return data;
  if (data.f.values.empty()) {
    data.f = data.c;
    std::fill(data.f.values.begin(), data.f.values.end(), 0.0);
  }
  forms::Coefficient c = data.c;
  if (data.f.per_point != c.per_point) {
    const assembly::QuadraturePoints points(mesh, dofs);
    spread_over_points(c, data.region, mesh, points);
    spread_over_points(data.f, data.region, mesh, points);
  }
  for (std::size_t i = 0; i < data.f.values.size(); ++i) data.f.values[i] -= level * c.values[i];
  return data;
}

assembly::BoundaryData below(assembly::BoundaryData data, double level) {
  for (assembly::FacetIntegral& term : data.facets) {
    if (term.g.empty()) term.g.assign(term.alpha.size(), 0.0);
    for (std::size_t i = 0; i < term.alpha.size(); ++i) term.g[i] -= level * term.alpha[i];
  }
  for (double& value : data.values) value -= level;
  return data;
}

}  // namespace tessera::physics::scalar
