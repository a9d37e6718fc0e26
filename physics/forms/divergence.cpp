#include <cmath>

#include "assembly/space/element.hpp"
#include "assembly/space/geometry_map.hpp"
#include "assembly/space/host_loop.hpp"
#include "assembly/space/quadrature.hpp"
#include "assembly/space/quadrature_points.hpp"
#include "physics/forms/convection_data.hpp"

namespace tessera::forms {

using namespace assembly;
namespace {

constexpr Offset cells_per_chunk = 256;

/// X = A^-1 X for a symmetric positive definite A [n, n] by Cholesky; X [n, columns]. Overwrites both.
void solve_in_place(std::vector<double>& A, int n, std::vector<double>& X, int columns) {
  for (int j = 0; j < n; ++j) {
    for (int k = 0; k < j; ++k)
      for (int i = j; i < n; ++i) A[i * n + j] -= A[i * n + k] * A[j * n + k];
    const double pivot = std::sqrt(A[j * n + j]);
    for (int i = j; i < n; ++i) A[i * n + j] /= pivot;
  }
  for (int i = 0; i < n; ++i)
    for (int c = 0; c < columns; ++c) {
      for (int k = 0; k < i; ++k) X[i * columns + c] -= A[i * n + k] * X[k * columns + c];
      X[i * columns + c] /= A[i * n + i];
    }
  for (int i = n - 1; i >= 0; --i)
    for (int c = 0; c < columns; ++c) {
      for (int k = i + 1; k < n; ++k) X[i * columns + c] -= A[k * n + i] * X[k * columns + c];
      X[i * columns + c] /= A[i * n + i];
    }
}

/// D [dim, points, points]: from values at the points to reference derivatives there, through the projection onto the
/// element, D_a = dphi_a (Phi^T W Phi)^-1 Phi^T W.
std::vector<double> derivative_at_points(const Element& element, const Quadrature& rule) {
  const int dim = element.dim, n = element.nodes, points = rule.size();
  std::vector<double> phi, dphi;
  tabulate(element, rule.points, phi, dphi);
  std::vector<double> mass(static_cast<std::size_t>(n) * n, 0.0), fit(static_cast<std::size_t>(n) * points);
  for (int i = 0; i < n; ++i)
    for (int q = 0; q < points; ++q) {
      fit[i * points + q] = rule.weights[q] * phi[q * n + i];
      for (int j = 0; j < n; ++j) mass[i * n + j] += rule.weights[q] * phi[q * n + i] * phi[q * n + j];
    }
  solve_in_place(mass, n, fit, points);
  std::vector<double> D(static_cast<std::size_t>(dim) * points * points, 0.0);
  for (int a = 0; a < dim; ++a)
    for (int q = 0; q < points; ++q)
      for (int i = 0; i < n; ++i)
        for (int from = 0; from < points; ++from)
          D[(a * points + q) * points + from] += dphi[(q * n + i) * dim + a] * fit[i * points + from];
  return D;
}

}  // namespace

Coefficient divergence_of(const mesh::Mesh& mesh, const DofMap& map, const Coefficient& k, int threads) {
  Coefficient result{mesh.dim, true, {}};
  if (!k.per_point) return result;
  const int dim = mesh.dim, components = k.components;
  Offset before = 0;
  for (const mesh::CellBlock& block : mesh.blocks) {
    const Quadrature& rule = quadrature(block.shape, quadrature_degree(block, map.order));
    const int points = rule.size();
    const GeometryMap geometry(block, rule.points);
    const std::vector<double> D = derivative_at_points(lagrange(block.shape, map.order), rule);
    result.values.resize(static_cast<std::size_t>(before + Offset{block.cells()} * points) * dim, 0.0);
    for_chunks(block.cells(), cells_per_chunk, threads, [&](Offset, Offset first, Offset last) {
      double J[9], inverse[9];
      for (Offset cell = first; cell < last; ++cell) {
        const double* values = &k.values[static_cast<std::size_t>(before + cell * points) * components];
        for (int q = 0; q < points; ++q) {
          geometry.jacobian(mesh, block.cell(static_cast<Index>(cell)), q, J);
          GeometryMap::invert(J, dim, inverse);
          double* divergence = &result.values[static_cast<std::size_t>(before + cell * points + q) * dim];
          for (int a = 0; a < dim; ++a)
            for (int m = 0; m < components; ++m) {
              double slope = 0;
              for (int from = 0; from < points; ++from)
                slope += D[(a * points + q) * points + from] * values[from * components + m];
              // (div k)_d = sum_e d k_de / d x_e
              for (int d = 0; d < dim; ++d)
                for (int e = 0; e < dim; ++e)
                  if (components == 1 ? d == e : m == packed_symmetric(d, e, dim))
                    divergence[d] += slope * inverse[a * dim + e];
            }
        }
      }
    });
    before += Offset{block.cells()} * points;
  }
  return result;
}

}  // namespace tessera::forms
