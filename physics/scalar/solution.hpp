#pragma once
// A solution on the host with all that its evaluation needs.
#include <functional>
#include <optional>
#include <vector>

#include "assembly/fields/tensor_field.hpp"
#include "physics/forms/convection_data.hpp"
#include "physics/scalar/problem.hpp"

namespace tessera::physics::scalar {

struct Solution;

/// Rows that are no integrals over cells but differences at nodes, each times the part of the domain that is nearer to
/// its node than to others.
struct NodalRows {
  std::vector<double> residual;  ///< [dofs] what flows out of this part into others, less what arises in it
  forms::CellSums sums;          ///< of the terms over all of these parts
};

/// The weak form whose rows the solution satisfies, as far as it is not in scalar/: evaluated on parts of the mesh, so
/// that coefficients that vary are not kept for all of it.
struct WeakForm {
  bool supg = false;
  /// Coefficients at the points of the cells of a mesh, of which `material` gives the material; u is the solution.
  std::function<forms::ConvectionData(const std::vector<MaterialParams>& materials, const mesh::Mesh& mesh,
                                      const assembly::DofMap& dofs, const std::vector<Index>& material,
                                      std::span<const double> u, int threads)>
      data;
  /// What the matrix has beside the terms of data, added to residual[slot[dof]] of the dofs with slot >= 0; empty:
  /// nothing. `cells` are those with such a dof; of them only those marked `inside` count, where it is not empty.
  std::function<void(const Solution& solution, const std::vector<Index>& cells, const std::vector<char>& inside,
                     const std::vector<Index>& slot, std::vector<double>& residual)>
      add;
  /// Where the rows are differences: these, instead of what `data` and `add` say. Conditions of the boundary are then
  /// taken at the nodes.
  std::function<NodalRows(const Solution& solution)> nodal;
  /// The sums over all cells, where the assembly has left them: for meshes so large that making them from `data` would
  /// be felt.
  std::optional<forms::CellSums> sums = {};
  /// The coefficient of du/dt, as a reaction, at the points of the cells of a mesh; empty: nothing is stored.
  std::function<forms::DiffusionData(const mesh::Mesh& mesh, const assembly::DofMap& dofs,
                                     const std::vector<Index>& material, std::span<const double> u, int threads)>
      mass = {};
  bool lumped = false;           ///< all of a row of the mass matrix counts at its own node
  bool convects = false;         ///< there is a velocity
  bool velocity_varies = false;  ///< and it is no constant: then the sums over all cells take the mesh in parts
};

/// Borrows all but the form.
struct Solution : NodalSolution {
  const std::vector<Index>& material;
  const std::vector<MaterialParams>& materials;
  const std::vector<BoundaryParams>& boundaries;
  const std::vector<FacetTerm>& facets;
  const std::vector<BoundaryParams>& periodic;
  WeakForm form;
  std::span<const ContactTerm> contacts = {};
};

/// k of every material at any point.
assembly::HostTensorField diffusivity_field(const Solution& solution);

}  // namespace tessera::physics::scalar
