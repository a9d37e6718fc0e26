#pragma once
// What the cells contribute to the weak form at a given u, on the host: the residual of the rows before any boundary condition, and
// the sums of its terms.
#include <span>
#include <vector>

#include "assembly/convection/convection.hpp"

namespace tessera::assembly {

/// Some cells of a mesh as a mesh of their own, in the order of their numbers: for coefficients and integrals of these cells alone.
/// Each cell has its own copy of its nodes; dofs keep their numbers. No facets, no groups.
struct MeshPart {
  mesh::Mesh mesh;
  DofMap dofs;
};
/// `cells` ascending.
MeshPart part_of(const mesh::Mesh& mesh, const DofMap& dofs, std::span<const Index> cells);

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

/// The sums over all cells of `mesh`, by the quadrature of the assembly: without k, and without the terms of SUPG, whose test
/// functions sum to zero. Do not depend on the number of threads.
CellSums sum_cells(const mesh::Mesh& mesh, const DofMap& dofs, const ConvectionData& data, std::span<const double> u,
                   int threads = 0);

/// residual[slot[i]] += a(u, phi_i) - l(phi_i) over all cells of `mesh` for the dofs with slot[i] >= 0; the forms are those of
/// ConvectionAssembler, without a velocity those of Assembler and MatrixFree, by their quadrature. [dofs] slot. Cells are added in
/// their order, so the result does not depend on the number of threads.
void add_residual(const mesh::Mesh& mesh, const DofMap& dofs, const ConvectionData& data, bool supg,
                  std::span<const double> u, std::span<const Index> slot, std::span<double> residual, int threads = 0);

}  // namespace tessera::assembly
