#include "physics/wave/results.hpp"

#include "assembly/spectral/operator.hpp"
#include "forms/spectral.hpp"
#include "physics/wave/slopes.hpp"

namespace tessera::physics::wave {

namespace {

/// -K u on the host, [dofs, components].
template <class Law>
std::vector<double> forces(const Problem& problem, const NodalSolution& s) {
  Threads exec(s.threads);
  assembly::SpectralOperator<Threads, Law> K(exec, problem.mesh(), s.space.dofs, problem.cells,
                                             problem.media.stiffness);
  const std::vector<double> ones(static_cast<std::size_t>(s.space.dofs.dofs), 1.0);
  std::vector<double> f(s.u.size());
  K.apply(exec, {s.u.data(), static_cast<Offset>(s.u.size())}, {ones.data(), static_cast<Offset>(ones.size())},
          {f.data(), static_cast<Offset>(f.size())});
  return f;
}

}  // namespace

std::vector<double> WaveResults::field(const std::string& name) {
  if (name.starts_with("div_")) return divergence(problem_, name == "div_u" ? s_.u : *s_.rate);
  if (name.starts_with("curl_")) return curl(problem_, name == "curl_u" ? s_.u : *s_.rate);
  if (!name.starts_with("peak_")) return rate();
  std::vector<double> values = (name.ends_with("_u") || name.ends_with("_p") ? peaks_.u : peaks_.rate).values;
  values.resize(static_cast<std::size_t>(s_.space.dofs.dofs));
  return values;
}

std::vector<double> WaveResults::rate() const {
  const int C = s_.space.components, stride = C == 1 ? 1 : 3;
  std::vector<double> rate(static_cast<std::size_t>(Offset{s_.space.dofs.dofs} * stride), 0.0);
  for (Index dof = 0; dof < s_.space.dofs.dofs; ++dof)
    for (int c = 0; c < C; ++c)
      rate[static_cast<std::size_t>(Offset{dof} * stride + c)] =
          (*s_.rate)[static_cast<std::size_t>(s_.space.row(dof, c))];
  return rate;
}

double WaveResults::quantity(const QuantityParams& quantity) const {
  const Index own = s_.own_dofs();
  const int C = s_.space.components;
  double sum = 0;
  if (quantity.kind == "kinetic_energy") {  // v . M v / 2
    const std::vector<double> mass =
        assembly::spectral::diagonal_mass(problem_.mesh(), s_.space.dofs, problem_.cells, problem_.media.mass);
    for (Index dof = 0; dof < own; ++dof)
      for (int c = 0; c < C; ++c) {
        const double v = (*s_.rate)[static_cast<std::size_t>(s_.space.row(dof, c))];
        sum += 0.5 * mass[static_cast<std::size_t>(dof)] * v * v;
      }
    return sum;
  }
  const std::vector<double> f = problem_.medium != Medium::elastic ? forces<forms::GradientFlux>(problem_, s_)
                                : problem_.media.anisotropic       ? forces<forms::AnisotropicStress>(problem_, s_)
                                                                   : forces<forms::IsotropicStress>(problem_, s_);
  for (std::size_t row = 0; row < static_cast<std::size_t>(Offset{own} * C); ++row) sum -= 0.5 * f[row] * s_.u[row];
  return sum;
}

std::vector<output::Field> WaveResults::cell_fields() const {
  output::Field material{"material", 1, {}, true};
  material.values.assign(problem_.material.begin(), problem_.material.end());
  return {material};
}

}  // namespace tessera::physics::wave
