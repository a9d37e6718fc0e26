#include "physics/wave/coupled_results.hpp"

#include "physics/wave/results.hpp"

namespace tessera::physics::wave {

std::vector<double> CoupledResults::field(const std::string& name) {
  if (name != "p") return WaveResults(problem_.solid, peaks_, s_).field(name);
  std::vector<double> p(static_cast<std::size_t>(s_.space.dofs.dofs), 0.0);
  for (std::size_t i = 0; i < fluid_.second.size(); ++i) p[i] = -fluid_.second[i];
  return p;
}

/// Of the fluids chi'.K chi' / 2 and chi''.M chi'' / 2.
double CoupledResults::quantity(const QuantityParams& quantity) const {
  double sum = WaveResults(problem_.solid, peaks_, s_).quantity(quantity);
  if (fluid_.rate.empty()) return sum;
  const auto own = static_cast<std::size_t>(s_.own_dofs());
  if (quantity.kind == "kinetic_energy") {
    const std::vector<double> force = fluid_stiffness(problem_.fluid, fluid_.rate, s_.threads);
    for (std::size_t i = 0; i < own; ++i) sum += 0.5 * fluid_.rate[i] * force[i];
    return sum;
  }
  const std::vector<double> mass = assembly::spectral::diagonal_mass(problem_.fluid.mesh(), s_.space.dofs,
                                                                     problem_.fluid.cells, problem_.fluid.media.mass);
  for (std::size_t i = 0; i < own; ++i) sum += 0.5 * mass[i] * fluid_.second[i] * fluid_.second[i];
  return sum;
}

std::vector<output::Field> CoupledResults::cell_fields() const {
  output::Field material{"material", 1, {}, true};
  material.values.assign(problem_.material.begin(), problem_.material.end());
  return {material};
}

}  // namespace tessera::physics::wave
