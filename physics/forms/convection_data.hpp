#pragma once
// What the host says about data of forms/convection.hpp: derived coefficients, numbers, sums.
#include <span>

#include "assembly/space/dof_map.hpp"
#include "forms/convection.hpp"

namespace tessera::forms {

/// div k (ConvectionData::divergence) of a k that is given at points; empty of a k that is constant in each region. In
/// each cell the gradient of the polynomials of the element that fit the values at its points best. `threads` 0: all.
Coefficient divergence_of(const mesh::Mesh& mesh, const assembly::DofMap& map, const Coefficient& k, int threads = 0);

/// The largest Peclet number |b| h_b / (2 p k_b) of a cell, over the quadrature points: above 1 plain elements
/// oscillate at layers. h_b and k_b are those of stabilisation(); infinite where there is flow and no diffusion along
/// it. `threads` 0: all.
double largest_peclet(const mesh::Mesh& mesh, const assembly::DofMap& map, const ConvectionData& data, int threads = 0);

/// Integrals over cells of the terms of -div(k grad u) + b . grad u + c u = f.
struct CellSums {
  double source = 0;      ///< int f
  double reaction = 0;    ///< int c u
  double convection = 0;  ///< int b . grad u
  double gross = 0;       ///< int |f| + |c u| + |b . grad u|: what the sums are small or large beside
  void add(const CellSums& other) {
    source += other.source;
    reaction += other.reaction;
    convection += other.convection;
    gross += other.gross;
  }
};

/// The sums over all cells of `mesh`, by the quadrature of the assembly: without k, and without the terms of SUPG,
/// whose test functions sum to zero. Do not depend on the number of threads.
CellSums sum_cells(const mesh::Mesh& mesh, const assembly::DofMap& dofs, const ConvectionData& data,
                   std::span<const double> u, int threads = 0);

}  // namespace tessera::forms
