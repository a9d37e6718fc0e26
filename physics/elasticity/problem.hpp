#pragma once
// The deck's materials and boundary conditions on the mesh, on the host.
#include <span>

#include "assembly/cells/coefficient_expressions.hpp"
#include "assembly/fields/derived.hpp"
#include "forms/diffusion.hpp"
#include "forms/elasticity.hpp"
#include "forms/traction.hpp"
#include "physics/elasticity/law.hpp"
#include "physics/model.hpp"

namespace tessera::physics::elasticity {

/// Tractions, pressures and springs of one entry of [[boundary]]; each facet counts once.
struct FacetTerm {
  mesh::Group group;
  const BoundaryParams* boundary = nullptr;
};

struct Problem {
  const Params& params;
  const Discretisation& space;
  Body body;
  std::vector<Index> material;  ///< [cells]
  std::vector<FacetTerm> facets;
  DirichletData dirichlet;
  double axis_rounding = 0;  ///< nodes with a smaller r are on the axis

  int dim() const { return space.mesh.dim; }
  /// Of a body of revolution the axis along which r is, else -1.
  int radial() const { return space.mesh.measure.radius; }
  forms::Elasticity form() const {
    forms::Elasticity form;
    form.radial = radial() < 0 ? 0 : radial();
    return form;
  }
};

/// Finds materials and boundaries on the mesh. Throws Error where names are unknown, entries contradict each other, a
/// symmetry is not plane, or the displacements leave a rigid motion free.
Problem make_problem(const Params& params, const Discretisation& space);

/// Rows with displacements. Where groups of different entries meet, the later one holds; on the axis of revolution u_r
/// = 0, and Error(usage) is thrown where an entry says otherwise.
DirichletData displacements(const Params& params, const Discretisation& space);
/// What r of nodes on the axis may have by rounding; 0 without an axis.
double axis_rounding(const Discretisation& space);
/// Throws Error(usage) for quantities of kind "reaction" without a group or with an `of` that is no axis of the mesh,
/// Error(mesh) where they name no group that displacements may stand on.
void check_reactions(const Params& params, const mesh::Mesh& mesh);
/// Whether an entry fixes each component on a group of that name, [components].
std::vector<char> fixed_components(const Discretisation& space, const BoundaryParams& boundary,
                                   const std::string& name);
/// The other entries.
std::vector<FacetTerm> facet_terms(const Params& params, const mesh::Mesh& mesh);

/// Coefficients at the quadrature points of a mesh or a part of it, with the weight 2 pi r of a body of revolution;
/// material [cells]; `forces`: with body forces. Throws Error(usage) for a law that is none.
forms::ElasticityData elasticity_data(const Params& params, Body body, const mesh::Mesh& mesh,
                                      const assembly::DofMap& dofs, const std::vector<Index>& material, int threads,
                                      bool forces = true);
forms::ElasticityData elasticity_data(const Problem& problem, bool forces = true);
/// rho at the quadrature points as a reaction, with the same weight: what makes the mass. Throws Error(usage) where it
/// is not positive.
forms::DiffusionData mass_data(const Problem& problem);
/// Throws Error(usage) for a material without a density.
void check_densities(const Params& params);
/// Body forces of the materials, `dim` components; empty: there are none.
assembly::RegionExpressions body_forces(const Params& params, int dim);
/// The packed laws of the cells (Law::pack), for what is derived of a displacement. `threads`: at most so many ask.
assembly::PointField law_field(const Problem& problem, int threads);
/// Evaluated values of a facet term, [facets, points, ...]; with the weight.
struct TractionValues {
  std::vector<double> traction, spring;
  forms::TractionData data() const { return {traction, spring}; }
};
TractionValues traction_values(const Problem& problem, const FacetTerm& term);

/// Throws Error(usage) where neither displacements nor springs stop a rigid motion of the body, or of one of its parts,
/// naming it.
void check_held(const Problem& problem);

}  // namespace tessera::physics::elasticity
