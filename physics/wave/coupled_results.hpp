#pragma once
#include "physics/wave/coupled.hpp"
#include "physics/wave/peaks.hpp"

namespace tessera::physics::wave {

/// What is said of fluids beside solids: the rate of change, the pressure of the fluids, and the energies of both.
class CoupledResults final : public Results {
 public:
  /// Borrows all.
  CoupledResults(const CoupledProblem& problem, const FluidState& fluid, const PeakMaps& peaks,
                 const NodalSolution& solution)
      : problem_(problem), fluid_(fluid), peaks_(peaks), s_(solution) {}

  std::vector<double> field(const std::string& name) override;
  double quantity(const QuantityParams& quantity) const override;
  std::vector<output::Field> cell_fields() const override;

 private:
  const CoupledProblem& problem_;
  const FluidState& fluid_;
  const PeakMaps& peaks_;
  const NodalSolution& s_;
};

}  // namespace tessera::physics::wave
