#pragma once
// The deck's coefficients and boundary conditions on the mesh: the host side of the problem, without a backend.
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "assembly/space/dof_map.hpp"
#include "assembly/space/quadrature_points.hpp"
#include "forms/diffusion.hpp"
#include "mesh/mesh.hpp"
#include "physics/module.hpp"
#include "physics/scalar/params.hpp"

namespace tessera::physics::scalar {

/// Index of the material of every cell. Throws Error where a group is not in the mesh, two materials claim a cell, or a cell has none.
std::vector<Index> material_of_cells(const std::vector<MaterialParams>& materials, const mesh::Mesh& mesh,
                                     GroupList list = GroupList::sizes);

/// One coefficient from the expressions of every material, [materials][components]: constants are kept per material, what varies is
/// evaluated at the quadrature points. Throws Error(usage) where a value is not finite.
forms::Coefficient coefficient(const std::vector<std::vector<deck::Expression>>& expressions,
                               const std::vector<Index>& material, const mesh::Mesh& mesh,
                               const assembly::QuadraturePoints& points, int threads);

/// Makes a coefficient per_point: the values of every cell's region at each of its points.
void spread_over_points(forms::Coefficient& coefficient, const std::vector<Index>& region, const mesh::Mesh& mesh,
                        const assembly::QuadraturePoints& points);

/// Coefficients of the materials: constants are kept per material, what varies is evaluated at the quadrature points of
/// the space. On a mesh with an axis all are at points and carry the weight 2 pi r. Throws Error(usage) where k is not
/// positive definite or a value is not finite.
forms::DiffusionData diffusion_data(const std::vector<MaterialParams>& materials, const std::vector<Index>& material,
                                    const mesh::Mesh& mesh, const assembly::DofMap& dofs, int threads);

/// The facet integral of one [[boundary]]: alpha and value at the points of its facets, each of which counts once.
struct FacetTerm {
  mesh::Group group;
  const BoundaryParams* boundary = nullptr;
};

struct DirichletData {
  std::vector<Index> dofs;     ///< sorted, unique
  std::vector<double> values;  ///< [dofs]
};

/// Neumann and Robin terms. Throws Error for unknown groups, for facets that two entries of one type claim with different data, and
/// for those that a Dirichlet entry claims, too.
std::vector<FacetTerm> facet_terms(const std::vector<BoundaryParams>& boundaries, const mesh::Mesh& mesh,
                                   GroupList list = GroupList::sizes);

/// Values on the Dirichlet boundaries, interpolated at the dofs. Where groups of different entries meet, the later entry holds;
/// facets that two entries claim with different values are an error.
DirichletData dirichlet_data(const std::vector<BoundaryParams>& boundaries, const mesh::Mesh& mesh,
                             const assembly::DofMap& dofs, std::span<const double> dof_points,
                             GroupList list = GroupList::sizes);

/// Where periodic boundaries make one of several dofs: the space as it is without them, for what looks at places.
struct Unfolded {
  assembly::DofMap dofs;
  std::vector<double> dof_points;
  std::vector<Index> became;  ///< [dofs] the dof of the problem that it is
};

/// The constant that is taken off the data before anything is assembled, and put on the solution in the end: the middle of the
/// Dirichlet values, 0 where there are none. b_i = -a_ij g_j has a rounding of a_ij g_j, which on graded meshes may be felt far away:
/// with 12 layers of factor 0.15 a_ij is 1e10, and g = x^2 + 293 left an error of 4e-6.
double level_of(const DirichletData& dirichlet);
/// The same values less the level.
DirichletData below(DirichletData dirichlet, double level);
/// The data of u - level: f - level c.
forms::DiffusionData below(forms::DiffusionData data, double level, const mesh::Mesh& mesh,
                           const assembly::DofMap& dofs);

/// The problem on the host, before a backend is chosen.
struct Problem {
  Params params;
  mesh::Mesh mesh;
  assembly::DofMap dofs;
  std::vector<double> dof_points;
  std::vector<Index> material;  ///< [cells]
  std::vector<FacetTerm> facets;
  DirichletData dirichlet;
  std::vector<BoundaryParams> periodic;  ///< those of the deck, which params.boundaries has not
  std::optional<Unfolded> unfolded;
};

/// The start of the deck at the dofs; empty: the deck has none. Where entries do not reach, u starts at `level`. Throws Error for
/// unknown groups and for values that are not finite.
std::vector<double> initial_values(const Params& params, const mesh::Mesh& mesh, const assembly::DofMap& dofs,
                                   std::span<const double> dof_points, double level);

/// Throws Error(usage) where the gradient of [exact] does not have `dim` components.
void check_exact(const ExactParams& exact, int dim);

/// The mesh and the space of a deck with its data; names, groups and points are checked, coefficients are not evaluated. Phases of
/// the mesh, dofs.
Problem make_problem(const Context& context, Params params);

/// Throws Error(usage) where nothing fixes the level of u: no Dirichlet value, no reaction, no Robin term; at the first boundary, or
/// at [physics] in a deck without any.
void check_not_singular(const std::vector<MaterialParams>& materials, const std::vector<BoundaryParams>& boundaries,
                        const deck::Where& physics);

}  // namespace tessera::physics::scalar
