#pragma once
// The deck's materials, boundary conditions and sources on the mesh, on the host.
#include <array>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "assembly/spectral/cells.hpp"
#include "physics/model.hpp"
#include "physics/wave/params.hpp"

namespace tessera::physics::wave {

/// A medium at the nodes of its elements, in the terms of m u'' = div s(u): of pressures m = 1 / kappa and s = grad p /
/// rho.
struct Media {
  assembly::spectral::Coefficients mass;        ///< m
  assembly::spectral::Coefficients stiffness;   ///< of the law: lambda, mu; C_ij; or the factor of the gradient
  assembly::spectral::Coefficients fast, slow;  ///< the speeds: of P and S waves, or twice the one there is
  /// Of a damping alpha M v + beta K v. Components 0: there is none.
  assembly::spectral::Coefficients alpha = {.components = 0, .at_places = false, .values = {}};
  assembly::spectral::Coefficients beta = {.components = 0, .at_places = false, .values = {}};
  bool anisotropic = false;  ///< the law is forms::AnisotropicStress
  /// Of solids that attenuate: what their law of forms/attenuation.hpp takes; the stiffness is then that of a sudden
  /// load. Components 0: there is none.
  assembly::spectral::Coefficients attenuated = {.components = 0, .at_places = false, .values = {}};
  /// Of fluids that attenuate: Z of their compliances 1 / kappa, as physics/wave/attenuation.hpp has them; the mass is
  /// then that of a sudden load.
  assembly::spectral::Coefficients compliance = {.components = 0, .at_places = false, .values = {}};
  std::array<double, 3> times{};  ///< of relaxation
  double deviation = 0;           ///< the largest of a quality factor from that of the deck, in the band
  bool coarse = false;            ///< solids remember at coarse points of cells
  double most_relaxed = 0;        ///< there the largest part of a modulus that relaxes, times W/w (CoarseOperator)
};

/// Where values are prescribed: rows, and an expression of x, y, z, t for each.
struct Prescribed {
  std::vector<Index> rows;          ///< ascending, each once
  std::vector<std::size_t> values;  ///< [rows] its expression
  std::vector<deck::Expression> expressions;

  bool varies() const;
};

/// The cells of one of two media, as a mesh of their own with the nodes of the whole.
struct PartOfMesh {
  mesh::Mesh mesh;
  std::vector<Index> number;  ///< [cells of the whole] in the part, -1: it is in the other one
};

/// A medium with its materials, boundaries and sources. Its vectors are [dofs of the space, components].
struct Problem {
  const Params& params;
  const Discretisation& space;
  Medium medium;
  assembly::spectral::Cells cells;
  std::vector<Index> material;  ///< [cells]
  Media media;
  Prescribed prescribed;
  std::vector<assembly::spectral::CellSide> absorbing;
  std::optional<PartOfMesh> part;  ///< of a medium beside another
  std::vector<Index> interface;    ///< dofs, ascending, that it shares with the other medium
  std::vector<double> grown_from;  ///< as material_points; empty: no cells have grown

  /// [dofs, 3] where materials are looked up: at the dofs, but of cells that have grown at the place of the side from
  /// which they did.
  const std::vector<double>& material_points() const { return grown_from.empty() ? space.dof_points : grown_from; }
  int components() const { return medium == Medium::elastic ? cells.dim : 1; }
  Index row(Index dof, int component) const { return dof * components() + component; }
  Index dof_of(Index row) const { return row / components(); }
  const mesh::Mesh& mesh() const { return part ? part->mesh : space.mesh; }
  /// Number of a cell of the whole among its own, -1: it has not got it.
  Index own(Index cell) const { return part ? part->number[static_cast<std::size_t>(cell)] : cell; }
};

/// Finds materials, boundaries and sources on the mesh and evaluates the materials at the nodes. Throws Error where
/// names are unknown, cells are no quads or hexes or are folded, a material is none, or a source lies outside.
Problem make_problem(const Params& params, const Discretisation& space);
/// The same of one of two media, Medium::acoustic or elastic. `material`: of the cells of the whole. The interface is
/// left empty.
Problem make_part(const Params& params, const Discretisation& space, Medium medium, const std::vector<Index>& material);
/// The checks of [[source]] that need the mesh, of all media. `medium_of_cell(cell)` is asked where sources are.
void check_sources(const Params& params, const Discretisation& space,
                   const std::function<Medium(Index)>& medium_of_cell);
/// Says where an entry that prescribes nothing has facets of one that does, and where nothing moves.
void warn_of_boundaries(const Params& params, const mesh::Mesh& mesh,
                        const std::function<Medium(Index)>& medium_of_cell);
/// Says on one rank which sources move nothing in any of the media, which have the same params.
void warn_of_rest(std::span<const Problem* const> media);
/// Warns where the quality factors of the deck are not held over the band of [attenuation].
void warn_of_losses(std::span<const Problem* const> media);

/// Values of what is prescribed at time t, [prescribed rows], or its derivatives in t. Throws Error(usage) where one is
/// not finite.
std::vector<double> values_at(const Problem& problem, const Prescribed& of, double t);
/// The same rows with the derivatives of their expressions in t.
Prescribed derivative_of(const Prescribed& of);

/// The damping of absorbing sides: at each of its nodes C v, a symmetric block. Stacey, Bull. Seism. Soc. Am. 78 (1988)
/// 2089, first order: the traction of a plane wave along the normal, -rho (vp n n^T + vs (I - n n^T)) v.
struct Absorbing {
  std::vector<Index> dofs;     ///< ascending, each once
  std::vector<double> blocks;  ///< [dofs, components, components]
};
Absorbing absorbing_nodes(const Problem& problem);

/// A point source: its loads on rows, times its function of time.
struct PointLoad {
  std::vector<Index> rows;
  std::vector<double> weights;
  const deck::TimeFunction* function = nullptr;
  double distance = 0;  ///< between its place and that of the element that was found for it
};
/// Those of the elements that this rank sees; of a point on several elements the first one of the whole mesh has it.
/// Collective where ranks share the space.
std::vector<PointLoad> point_loads(const Problem& problem);

}  // namespace tessera::physics::wave
