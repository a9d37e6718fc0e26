#pragma once
#include "physics/euler/problem.hpp"

namespace tessera::physics::euler {

/// Fields that follow from the state, in the order of files.
std::vector<FieldInfo> derived_fields();

/// Sums over the cells of a rank: volume, mass, energy, momentum.
std::vector<double> totals_of(const NodalSolution& solution);

/// What is said of a flow beside its state: fields, the balance, and forces on groups.
class FlowResults final : public Results {
 public:
  /// `start`: totals at the beginning, empty where they are not known. Borrows all.
  FlowResults(const Problem& problem, const NodalSolution& solution, const std::vector<double>& start)
      : problem_(problem), s_(solution), start_(start) {}

  std::vector<double> field(const std::string& name) override;
  /// force_x, force_y, force_z: of the pressure on sides, int p n; and coefficients of the pressure above that of the
  /// reference.
  double quantity(const QuantityParams& quantity) const override;
  void write_tables(const std::filesystem::path& directory) override;
  Totals totals() const override;
  void report(const Totals& totals, output::Summary& summary) const override;

 private:
  double coefficient(const QuantityParams& quantity) const;

  const Problem& problem_;
  const NodalSolution& s_;
  const std::vector<double>& start_;
};

}  // namespace tessera::physics::euler
