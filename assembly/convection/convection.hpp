#pragma once
// Assembly of  -div(k grad u) + b . grad u + c u = f,  plain (Galerkin) or with streamline diffusion (SUPG).
#include <memory>
#include <span>
#include <vector>

#include "assembly/assemble.hpp"

namespace tessera::assembly {

/// Coefficients of the equation.
struct ConvectionData {
  DiffusionData diffusion;  ///< regions, k, c, f
  Coefficient velocity;     ///< b, `dim` components; empty: 0
  Coefficient divergence;   ///< sum_e d k_de / d x_e, `dim` components; empty: 0. Enters the residual of SUPG only
};

struct ConvectionOptions {
  bool supg = false;
  std::string strategy = "auto";  ///< auto | colour
};

template <class Space>
struct ConvectionState;

/// Assembles
///   a(u, v) = int k grad u . grad v + (b . grad u) v + c u v,   l(v) = int f v
/// and with SUPG, cell by cell,
///   a(u, v) += int tau (b . grad v) (-div(k grad u) + b . grad u + c u),   l(v) += int tau (b . grad v) f
/// into the rows of make_matrix, which are not symmetric. tau: see stabilisation() in convection_form.hpp. Second derivatives are
/// those of the elements on the cells as they are, curved ones included.
/// Cells are added colour by colour: bitwise repeatable, on threads independent of their number. Every shape and order of a DofMap.
/// Source: A. N. Brooks, T. J. R. Hughes, Streamline upwind/Petrov-Galerkin formulations for convection dominated flows, Comput.
/// Methods Appl. Mech. Eng. 32 (1982) 199-259.
/// Mesh and map must outlive the assembler. Throws Error(internal) where sizes do not fit together, Error(usage) for another strategy.
template <class Exec>
class ConvectionAssembler {
 public:
  using Space = typename Exec::Space;

  ConvectionAssembler(Exec& exec, const mesh::Mesh& mesh, const DofMap& map, const ConvectionOptions& options = {});
  ~ConvectionAssembler();
  ConvectionAssembler(const ConvectionAssembler&) = delete;

  /// The sparsity of the space; all values zero. See Assembler::make_matrix.
  linalg::Crs<Space> make_matrix();
  /// Copies coefficients to the backend. Those given per point belong to the points of QuadraturePoints.
  void set_data(const ConvectionData& data);
  /// Fills A (from make_matrix) and b [dofs] anew with the data set before.
  void refill(linalg::Crs<Space>& A, View<double> b);
  /// Least traffic of a refill: dofs, geometry, slots and coefficients read once, values and b written once.
  double refill_bytes(const linalg::Crs<Space>& A) const;
  /// A += int alpha u v ds, b += int g v ds: see Assembler::add_facets.
  void add_facets(const mesh::Group& group, std::span<const double> alpha, std::span<const double> g,
                  linalg::Crs<Space>& A, View<double> b);

  const AssemblyReport& report() const;

 private:
  Exec& exec_;
  std::unique_ptr<ConvectionState<Space>> state_;
};

/// div k (ConvectionData::divergence) of a k that is given at points; empty of a k that is constant in each region. In each cell the
/// gradient of the polynomials of the element that fit the values at its points best. `threads` 0: all.
Coefficient divergence_of(const mesh::Mesh& mesh, const DofMap& map, const Coefficient& k, int threads = 0);

/// The largest Peclet number |b| h_b / (2 p k_b) of a cell, over the quadrature points: above 1 plain elements oscillate at layers.
/// h_b and k_b are those of stabilisation(); infinite where there is flow and no diffusion along it. `threads` 0: all.
double largest_peclet(const mesh::Mesh& mesh, const DofMap& map, const ConvectionData& data, int threads = 0);

}  // namespace tessera::assembly
