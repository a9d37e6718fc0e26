#pragma once
// The deck's coefficients and boundary conditions on the mesh: the host side of the problem, without a backend.
#include <array>
#include <span>
#include <string>
#include <vector>

#include "assembly/cells/coefficient_expressions.hpp"
#include "assembly/facets/contact.hpp"
#include "assembly/fields/field_at_points.hpp"
#include "assembly/space/dof_map.hpp"
#include "assembly/space/quadrature_points.hpp"
#include "forms/diffusion.hpp"
#include "mesh/mesh.hpp"
#include "physics/model.hpp"
#include "physics/places.hpp"
#include "physics/scalar/params.hpp"

namespace tessera::physics::scalar {

/// The solution that expressions may depend on, at the points where they are evaluated. Borrows.
struct SolutionAtPoints {
  const assembly::FieldAtPoints* field = nullptr;
  std::span<const double> u = {};  ///< [dofs]; empty: no expression depends on it
};

/// One coefficient from the expressions of every material, [materials][components]: constants are kept per material,
/// what varies is evaluated at the quadrature points. Throws Error(usage) where a value is not finite.
forms::Coefficient coefficient(const std::vector<std::vector<deck::Expression>>& expressions,
                               const std::vector<Index>& material, const mesh::Mesh& mesh,
                               const assembly::QuadraturePoints& points, int threads,
                               const SolutionAtPoints& state = {});

/// Makes a coefficient per_point: the values of every cell's region at each of its points.
void spread_over_points(forms::Coefficient& coefficient, const std::vector<Index>& region, const mesh::Mesh& mesh,
                        const assembly::QuadraturePoints& points);

/// Coefficients of the materials: constants are kept per material, what varies is evaluated at the quadrature points of
/// the space. On a mesh with an axis all are at points and carry the weight 2 pi r. u [dofs]: the solution that they
/// may depend on. `with_source`: f is asked for. Throws Error(usage) where k is not positive definite or a value is not
/// finite.
forms::DiffusionData diffusion_data(const std::vector<MaterialParams>& materials, const std::vector<Index>& material,
                                    const mesh::Mesh& mesh, const assembly::DofMap& dofs, int threads,
                                    std::span<const double> u = {}, bool with_source = true);

/// The coefficients of u - level, in the order of the members of forms::Diffusion and without an axis, for a backend
/// that evaluates them where it assembles. Borrows the materials. Throws Error(usage) where a constant k is not
/// positive definite; one that varies is refused where it is evaluated.
assembly::ExpressionData diffusion_expressions(const std::vector<MaterialParams>& materials, double level, int dim);

/// The facet integral of one [[boundary]]: alpha and value at the points of its facets, each of which counts once.
struct FacetTerm {
  mesh::Group group;
  const BoundaryParams* boundary = nullptr;
};

/// A contact: its sides and the points where their functions meet.
struct ContactTerm {
  const BoundaryParams* boundary = nullptr;
  std::array<mesh::Group, 2> sides;
  assembly::ContactPoints points;
};

/// Neumann and Robin terms. Throws Error for unknown groups, for facets that two entries of one type claim with
/// different data, and for those that a Dirichlet entry claims, too.
std::vector<FacetTerm> facet_terms(const std::vector<BoundaryParams>& boundaries, const mesh::Mesh& mesh,
                                   GroupList list = GroupList::sizes);

/// Values on the Dirichlet boundaries, interpolated at the dofs. Where groups of different entries meet, the later
/// entry holds; facets that two entries claim with different values are an error.
DirichletData dirichlet_data(const std::vector<BoundaryParams>& boundaries, const mesh::Mesh& mesh,
                             const assembly::DofMap& dofs, std::span<const double> dof_points,
                             GroupList list = GroupList::sizes);

/// The data of u - level: f - level c.
forms::DiffusionData below(forms::DiffusionData data, double level, const mesh::Mesh& mesh,
                           const assembly::DofMap& dofs);

/// The problem on the host, before a backend is chosen. Borrows from the driver and the model.
struct Problem {
  const Params& params;
  const Discretisation& space;
  const mesh::Mesh& mesh;          ///< of the space
  const assembly::DofMap& dofs;    ///< of the space
  const DirichletData& dirichlet;  ///< of the space: none for `tessera export --full`
  std::vector<Index> material;     ///< [cells]
  std::vector<FacetTerm> facets;
  std::vector<ContactTerm> contacts = {};
  std::vector<assembly::DofBlock> couplings = {};  ///< of the contacts
};

/// Whether the sources of a material, or what flows through a boundary, depend on the level of u.
bool fixes_level(const MaterialParams& material);
bool fixes_level_by_flow(const BoundaryParams& boundary);

/// Throws Error(usage) where nothing fixes the level of u: no Dirichlet value, no reaction, no Robin term; at the first
/// boundary, or at [physics] in a deck without any. `modes`: they are asked for.
void check_not_singular(const std::vector<MaterialParams>& materials, const std::vector<BoundaryParams>& boundaries,
                        const deck::Where& physics, bool modes = false);

}  // namespace tessera::physics::scalar
