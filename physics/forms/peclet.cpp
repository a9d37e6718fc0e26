#include <algorithm>
#include <limits>

#include "assembly/cells/place_fields.hpp"
#include "assembly/cells/tables.hpp"
#include "assembly/space/geometry_map.hpp"
#include "assembly/space/host_loop.hpp"
#include "assembly/space/quadrature.hpp"
#include "assembly/space/quadrature_points.hpp"
#include "physics/forms/convection_data.hpp"

namespace tessera::forms {

using namespace assembly;
namespace {

constexpr Offset cells_per_chunk = 1024;

template <int dim>
double peclet_at(const double* jacobian, const double* b, const double* k, int components, int simplex_axes,
                 int order) {
  double J[dim][dim], inverse[dim][dim], flow[dim] = {}, speed[dim], flux[dim] = {}, bb = 0, bkb = 0;
  for (int d = 0; d < dim; ++d) {
    speed[d] = b[d];
    bb += b[d] * b[d];
    for (int a = 0; a < dim; ++a) J[d][a] = jacobian[d * dim + a];
  }
  if (bb == 0) return 0;
  invert<dim, double>(J, inverse);
  for (int a = 0; a < dim; ++a)
    for (int d = 0; d < dim; ++d) flow[a] += inverse[a][d] * b[d];
  if (k) multiply_symmetric<dim>(k, components, speed, flux);
  for (int d = 0; d < dim; ++d) bkb += b[d] * flux[d];
  if (!(bkb > 0)) return std::numeric_limits<double>::infinity();
  return 0.5 / (order * crossing_rate<dim>(simplex_axes, flow)) * bb * (bb / bkb);
}

template <int dim>
double largest_of_block(const mesh::Mesh& mesh, const mesh::CellBlock& block, int order,
                        const std::vector<Index>& regions, const Field& k, const Field& b, int threads) {
  const Quadrature& rule = quadrature(block.shape, quadrature_degree(block, order));
  const GeometryMap map(block, rule.points);
  const int axes = simplex_axes(block.shape), points = rule.size();
  std::vector<double> most(static_cast<std::size_t>((block.cells() + cells_per_chunk - 1) / cells_per_chunk), 0.0);
  for_chunks(block.cells(), cells_per_chunk, threads, [&](Offset chunk, Offset first, Offset last) {
    double jacobian[9];
    for (Offset cell = first; cell < last; ++cell) {
      const Index region = regions.empty() ? 0 : regions[block.first_cell + cell];
      for (int q = 0; q < points; ++q) {
        map.jacobian(mesh, block.cell(static_cast<Index>(cell)), q, jacobian);
        const double* k_at = k.empty() ? nullptr : k.at({region, cell, q, points});
        most[chunk] = std::max(
            most[chunk], peclet_at<dim>(jacobian, b.at({region, cell, q, points}), k_at, k.components, axes, order));
      }
    }
  });
  return most.empty() ? 0 : *std::max_element(most.begin(), most.end());
}

}  // namespace

double largest_peclet(const mesh::Mesh& mesh, const DofMap& map, const ConvectionData& data, int threads) {
  if (data.velocity.values.empty()) return 0;
  double most = 0;
  assembly::FieldCursor<Convection> first{};
  Convection form;
  for (const mesh::CellBlock& block : mesh.blocks) {
    const Offset points = Offset{block.cells()} * quadrature(block.shape, quadrature_degree(block, map.order)).size();
    assembly::borrow_form(Convection::coefficients(data), points, first, form);
    const auto largest = mesh.dim == 1   ? largest_of_block<1>
                         : mesh.dim == 2 ? largest_of_block<2>
                                         : largest_of_block<3>;
    most = std::max(most, largest(mesh, block, map.order, data.diffusion.region, form.k, form.velocity, threads));
  }
  return most;
}

}  // namespace tessera::forms
