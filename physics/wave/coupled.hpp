#pragma once
// Fluids beside elastic solids, on the host.
//
// In a fluid u = grad chi / rho and p = -chi'', so that chi'' / kappa = div(grad chi / rho): it has no curl, and its
// energy is that of the solid's displacements. At the interface, n the outward normal of the fluid,
//   n . grad chi / rho = n . u,      sigma n = chi'' n.
// D. Komatitsch, C. Barnes & J. Tromp, Geophysics 65 (2000) 623-631; E. Chaljub & B. Valette, Geophys. J. Int. 158
// (2004) 131-141.
#include "assembly/space/numbers_of_cells.hpp"
#include "physics/wave/problem.hpp"

namespace tessera::physics::wave {

/// Nodes that fluids and solids share.
struct Interface {
  std::vector<Index> dofs;      ///< ascending, each once
  std::vector<double> normals;  ///< [dofs, dim] out of the fluid, their length the node's part of the area
  Offset sides = 0;             ///< of cells of fluids
  double area = 0;
};

struct CoupledProblem {
  const Params& params;
  const Discretisation& space;
  std::vector<Index> material;  ///< [cells]
  Problem fluid, solid;
  Interface interface;
};

/// As make_problem. Throws Error(usage) also where the materials are all solids, or fluids and solids touch nowhere.
/// Fluids alone are waves of their potential.
CoupledProblem make_coupled_problem(const Params& params, const Discretisation& space);

/// Throws Error(usage) where a start u or v [rows], or empty, moves nodes that are of fluids alone, among the first
/// `owned` dofs: of others a rank may not see the solid.
void refuse_moved_fluid(const CoupledProblem& problem, std::span<const double> u, std::span<const double> v,
                        Index owned);

/// Numbers of cells of both media by those of the whole, as wide as the wider of both; and of one medium by its own.
assembly::NumbersOfCells united(const CoupledProblem& problem, const assembly::NumbersOfCells& fluid,
                                const assembly::NumbersOfCells& solid);
assembly::NumbersOfCells part_of(const Problem& medium, const assembly::NumbersOfCells& numbers);

/// What of the fluids a state has on the host, [dofs seen], at the time that was looked at last.
struct FluidState {
  std::vector<double> chi, rate, second;  ///< chi, chi', chi''; empty: 0
};

/// grad chi / rho at the nodes of the fluid, [dofs, dim]: the mean of its cells around, by their volumes. 0 elsewhere.
std::vector<double> fluid_displacements(const Problem& fluid, std::span<const double> chi);

/// K chi of the fluid, on the host [dofs].
std::vector<double> fluid_stiffness(const Problem& fluid, std::span<const double> chi, int threads);

}  // namespace tessera::physics::wave
