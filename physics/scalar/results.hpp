#pragma once
// What is said of a solution of one number u with diffusion: its balance, its flux.
#include <memory>

#include "physics/scalar/fluxes.hpp"

namespace tessera::physics::scalar {

/// Field "flux" = -k grad u, quantities of kind "flux" and "flux_gradient", the material of the cells.
class ScalarResults : public Results {
 public:
  /// Phase: balance.
  explicit ScalarResults(const Solution& solution);
  Totals totals() const override;
  void report(const Totals& totals, output::Summary& summary) const override;
  double quantity(const QuantityParams& quantity) const override;
  std::vector<double> field(const std::string& name) override;
  std::vector<output::Field> cell_fields() const override;

 private:
  const Solution s_;
  std::unique_ptr<const Fluxes> fluxes_;
  Balance balance_;
};

}  // namespace tessera::physics::scalar
