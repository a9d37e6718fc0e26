#pragma once
#include "physics/wave/peaks.hpp"
#include "physics/wave/problem.hpp"

namespace tessera::physics::wave {

/// What is said of a wave beside its values: its rate of change, its slopes, the largest values there were, and its
/// energies.
class WaveResults final : public Results {
 public:
  /// Borrows all.
  WaveResults(const Problem& problem, const PeakMaps& peaks, const NodalSolution& solution)
      : problem_(problem), peaks_(peaks), s_(solution) {}

  std::vector<double> field(const std::string& name) override;
  double quantity(const QuantityParams& quantity) const override;
  std::vector<output::Field> cell_fields() const override;

 private:
  std::vector<double> rate() const;

  const Problem& problem_;
  const PeakMaps& peaks_;
  const NodalSolution& s_;
};

}  // namespace tessera::physics::wave
