#pragma once
// nonzeros on CUDA with a velocity, linear straight simplices: the cells of a lane of strategy_simplex_rows.cuh.
#include "assembly/cells/simplex_rows.cuh"
#include "assembly/convection/convection_form.hpp"

namespace tessera::assembly::kernels {

/// Row i of a cell, column a, with t = tau b . grad phi_i:
///   int k grad phi_i . grad phi_a + (phi_i + t) (b . grad phi_a + c phi_a) - t div k . grad phi_a
template <int dim>
struct ConvectionCells {
  static constexpr int n = dim + 1;
  static constexpr int blocks = dim == 3 ? 6 : 10;
  const BlockView& block;
  const Index* cells;
  const Index* cols;  ///< of the row
  RowTotals sum;

  __device__ ConvectionCells(const BlockView& b, const SimplexRowsView& rows, const Index* c)
      : block(b), cells(rows.cells), cols(c) {}

  __device__ void add(HeldVertices<dim>& held, bool is_cell, double jacobian, Offset at) {
    if (!is_cell) return;
    const Offset place = cells[at] / n;
    const int i = cells[at] % n;
    double inward[dim], flux[dim] = {}, mass = 0, det = 0;
    held.inward_normal(inward);
    for (int d = 0; d < dim; ++d) det += held.edge[dim - 1][d] * held.normal[dim - 1][d];
    if (is_constant(block)) {
      const double measure = unit_measure<dim> * jacobian, mean = 1.0 / n;
      double reaction;
      const double test = add_point(held, place, 0, inward, 1 / det, measure, mean, flux, reaction);
      mass = reaction * mean * (test + 1.0 / (n + 1));
    } else {
      for (int q = 0; q < block.points; ++q) {
        const double* phi = block.basis + (q * (dim + 1) + dim) * n;
        double reaction;
        const double test = add_point(held, place, q, inward, 1 / det,
                                      reference_factor<dim> * jacobian * block.weights[q], phi[i], flux, reaction);
        if (!block.c.empty()) add_mass(held, place, phi, reaction * (phi[i] + test));
      }
    }
    held.add(flux, 1.0, mass);
  }
  __device__ RowTotals totals() const { return sum; }

 private:
  /// A point of this weight: what it adds to the flux, the load and the whole; its reaction. Returns t.
  __device__ double add_point(const HeldVertices<dim>& held, Offset place, int q, const double (&inward)[dim],
                              double inverse, double weight, double phi, double (&flux)[dim], double& reaction) {
    const Index region = block.region_of(place);
    const Offset cell = block.cell_of(place);
    const CoefficientView& velocity = block.convection.velocity;
    const CoefficientView& divergence = block.convection.divergence;
    const double* k = block.k.empty() ? nullptr : block.k.at(region, cell, q, block.points);
    const double c = block.c.empty() ? 0.0 : *block.c.at(region, cell, q, block.points);
    double of_gradient[dim] = {}, test = 0;
    if (k) apply_diffusivity<dim>(k, block.k.components, inward, of_gradient);
    for (int d = 0; d < dim; ++d) of_gradient[d] *= -inverse * inverse;
    if (!velocity.empty()) {
      double b[dim], flow[dim] = {}, along = 0;
      for (int d = 0; d < dim; ++d) {
        b[d] = velocity.at(region, cell, q, block.points)[d];
        along -= b[d] * inward[d] * inverse;
        for (int a = 0; a < dim; ++a) flow[a] += b[d] * held.normal[a][d] * inverse;
      }
      if (block.convection.supg) {
        test = along * tau(k, b, flow, c);
        if (!divergence.empty())
          for (int d = 0; d < dim; ++d)
            of_gradient[d] -= inverse * test * divergence.at(region, cell, q, block.points)[d];
      }
      for (int d = 0; d < dim; ++d) of_gradient[d] += inverse * (phi + test) * b[d];
    }
    for (int d = 0; d < dim; ++d) flux[d] += weight * of_gradient[d];
    reaction = weight * c;
    sum.whole += reaction * (phi + test);
    if (!block.f.empty()) sum.load += weight * (phi + test) * *block.f.at(region, cell, q, block.points);
    return test;
  }

  /// flow: b . grad phi_a of the other vertices, which is J^-1 b of a unit simplex.
  __device__ double tau(const double* k, const double (&b)[dim], const double (&flow)[dim], double c) const {
    const double unused[symmetric<dim>] = {};
    double flux[dim] = {}, bb = 0, bkb = 0;
    if (k) apply_diffusivity<dim>(k, block.k.components, b, flux);
    for (int d = 0; d < dim; ++d) bb += b[d] * b[d], bkb += b[d] * flux[d];
    return stabilisation<dim>(1, dim, false, flow, bb, bkb, unused, c);
  }

  /// The held vertices are found in the cell by their dofs.
  __device__ void add_mass(HeldVertices<dim>& held, Offset place, const double* phi, double factor) const {
    for (int a = 0; a < dim; ++a) {
      int local = 0;
      while (block.dof(place, local) != cols[held.column[a]]) ++local;
      held.sum[a] += factor * phi[local];
    }
  }
};

}  // namespace tessera::assembly::kernels
