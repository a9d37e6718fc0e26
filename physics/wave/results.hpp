#pragma once
#include "physics/wave/problem.hpp"

namespace tessera::physics::wave {

/// What is said of a wave beside its values: its rate of change, and its energies.
class WaveResults final : public Results {
 public:
  /// Borrows both.
  WaveResults(const Problem& problem, const NodalSolution& solution) : problem_(problem), s_(solution) {}

  std::vector<double> field(const std::string& name) override;
  double quantity(const QuantityParams& quantity) const override;
  std::vector<output::Field> cell_fields() const override;

 private:
  const Problem& problem_;
  const NodalSolution& s_;
};

}  // namespace tessera::physics::wave
