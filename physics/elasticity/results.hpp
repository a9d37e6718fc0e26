#pragma once
// What is said of a displacement: stresses, strains, forces.
#include "assembly/fields/side_loads.hpp"
#include "physics/elasticity/problem.hpp"

namespace tessera::physics::elasticity {

/// Fields "stress", "strain", "von_mises" and "reaction"; quantities of kind "reaction"; the balance of forces.
class ElasticityResults final : public Results {
 public:
  /// Phase: balance.
  ElasticityResults(const Problem& problem, const NodalSolution& solution);
  Totals totals() const override;
  void report(const Totals& totals, output::Summary& summary) const override;

  /// Stress and strain at the nodes, [dofs, 6]: xx yy zz xy yz xz, the order of symmetric tensors in VTK files; the
  /// means over the cells around a node. Shears of strains are those of the tensor, half of the engineering ones.
  std::vector<double> field(const std::string& name) override;
  /// The force that acts on the body through a group: what holds its displacements, and its tractions, pressures and
  /// springs.
  double quantity(const QuantityParams& quantity) const override;
  std::vector<output::Field> cell_fields() const override;

 private:
  std::vector<double> stress_and_strain() const;
  std::vector<double> body_force() const;
  /// What acts through an entry of [[boundary]]; rows are `counted` once.
  std::vector<double> force_of(const BoundaryParams& boundary, std::vector<char>& counted) const;
  std::vector<std::vector<double>> forces() const;
  bool counts(std::size_t component) const;

  const Problem& problem_;
  const NodalSolution s_;
  std::vector<double>
      reactions_;  ///< [rows]: the force that holds a prescribed displacement, 0 elsewhere and of ghosts
  std::vector<assembly::SideLoads> loads_;  ///< of each facet term: tractions, pressures and springs, at its own dofs
  double heat_ = 0;                         ///< sizes of the forces at held nodes that heat alone would need, summed
  std::vector<double> states_;              ///< [dofs, 12]: stress and strain, made when first asked for
};

}  // namespace tessera::physics::elasticity
