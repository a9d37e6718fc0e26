#pragma once
// What is said of a solution of one number u with diffusion: its balance, its flux.
#include <memory>

#include "physics/later_fields.hpp"
#include "physics/scalar/fluxes.hpp"

namespace tessera::physics::scalar {

/// Field "flux" = -k grad u, quantities of kind "flux" and "flux_gradient", the material of the cells.
class ScalarResults : public Results, public LaterFields {
 public:
  explicit ScalarResults(const Solution& solution) : s_(solution) {}
  Totals totals() const override;
  void report(const Totals& totals, output::Summary& summary) const override;
  double quantity(const QuantityParams& quantity) const override;
  std::vector<double> field(const std::string& name) override;
  Make field_later(const std::string& name) const override;
  std::vector<output::Field> cell_fields() const override;

 private:
  /// Rows of the whole mesh are looked at for it.
  struct Flows {
    Fluxes fluxes;
    Balance balance;
    explicit Flows(const Solution& solution) : fluxes(solution), balance(fluxes.balance()) {}
  };
  /// Phase, of the first call: balance.
  const Flows& flows() const;

  const Solution s_;
  mutable std::unique_ptr<const Flows> flows_;  ///< of the solution, once somebody has asked
};

}  // namespace tessera::physics::scalar
