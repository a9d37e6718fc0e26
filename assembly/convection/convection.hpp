#pragma once
// Assembly of  -div(k grad u) + b . grad u + c u = f,  plain (Galerkin) or with streamline diffusion (SUPG).
#include <vector>

#include "assembly/cells/assembler.hpp"

namespace tessera::assembly {

/// Coefficients of the equation.
struct ConvectionData {
  DiffusionData diffusion;  ///< regions, k, c, f
  Coefficient velocity;     ///< b, `dim` components; empty: 0
  Coefficient divergence;   ///< sum_e d k_de / d x_e, `dim` components; empty: 0. Enters the residual of SUPG only
};

struct ConvectionOptions {
  bool supg = false;
  AssemblyOptions assembly;
};

/// Assembles
///   a(u, v) = int k grad u . grad v + (b . grad u) v + c u v,   l(v) = int f v
/// and with SUPG, cell by cell,
///   a(u, v) += int tau (b . grad v) (-div(k grad u) + b . grad u + c u),   l(v) += int tau (b . grad v) f
/// into matrices that are not symmetric, by every strategy. tau: see stabilisation() in convection_form.hpp. Second derivatives are those
/// of the elements on the cells as they are, curved ones included. Every shape and order of a DofMap.
/// Source: A. N. Brooks, T. J. R. Hughes, Streamline upwind/Petrov-Galerkin formulations for convection dominated flows, Comput.
/// Methods Appl. Mech. Eng. 32 (1982) 199-259.
template <class Exec>
class ConvectionAssembler : public CellAssembler<Exec> {
 public:
  using typename CellAssembler<Exec>::Space;

  ConvectionAssembler(Exec& exec, const mesh::Mesh& mesh, const DofMap& map, const ConvectionOptions& options = {});

  /// Copies coefficients to the backend. Those given per point belong to the points of QuadraturePoints.
  void set_data(const ConvectionData& data);

 private:
  using CellAssembler<Exec>::state_;
};

/// div k (ConvectionData::divergence) of a k that is given at points; empty of a k that is constant in each region. In each cell the
/// gradient of the polynomials of the element that fit the values at its points best. `threads` 0: all.
Coefficient divergence_of(const mesh::Mesh& mesh, const DofMap& map, const Coefficient& k, int threads = 0);

/// The largest Peclet number |b| h_b / (2 p k_b) of a cell, over the quadrature points: above 1 plain elements oscillate at layers.
/// h_b and k_b are those of stabilisation(); infinite where there is flow and no diffusion along it. `threads` 0: all.
double largest_peclet(const mesh::Mesh& mesh, const DofMap& map, const ConvectionData& data, int threads = 0);

}  // namespace tessera::assembly
