#include "physics/wave/rayleigh.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "assembly/spectral/layer_cells.hpp"
#include "physics/wave/material_grid.hpp"
#include "solvers/time/stability.hpp"

namespace tessera::physics::wave {

using assembly::spectral::Cells;
using assembly::spectral::Coefficients;
using assembly::spectral::Most;

namespace {

/// Whether beta is the same in the whole mesh.
bool has_one_beta(const Params& params) {
  const auto beta = [](const MaterialParams& m) -> std::optional<double> {
    if (!m.rayleigh_beta) return 0;
    const MaterialNumber number = m.number("rayleigh_beta", *m.rayleigh_beta);
    if (!number.is_constant()) return {};
    return number.expression.constant();
  };
  const auto is_of_fluid = [&](const MaterialParams& m) { return params.medium == Medium::coupled && m.is_fluid(); };
  const auto some = std::find_if_not(params.materials.begin(), params.materials.end(), is_of_fluid);
  if (some == params.materials.end()) return true;
  const std::optional<double> first = beta(*some);
  return first && std::all_of(some, params.materials.end(),
                              [&](const MaterialParams& m) { return is_of_fluid(m) || beta(m) == first; });
}

}  // namespace

void check_rayleigh(const Params& params) {
  for (const MaterialParams& m : params.materials) {
    if (!m.damps()) continue;
    const auto refuse = [&](const std::string& what, const std::string& help) {
      throw Error(ExitCode::usage, "Rayleigh damping " + what, help, m.where);
    };
    if (params.attenuates() || params.attenuation)
      refuse("beside quality factors", "choose one of both: rayleigh_alpha and rayleigh_beta, or q_kappa and q_mu");
    if (params.has_layers() && !has_one_beta(params))
      refuse(
          "with a rayleigh_beta that is not the same everywhere, beside perfectly matched layers",
          "give all materials the same constant rayleigh_beta, or leave it out; rayleigh_alpha may differ. Or choose "
          "type = \"absorbing\" for the sides with layers");
    if (params.medium == Medium::coupled && m.is_fluid())
      refuse("of a fluid beside solids", "give it to solids, or solve the fluid alone, physics.medium = \"acoustic\"");
  }
}

Coefficients rayleigh_numbers(const Problem& problem, const char* name,
                              std::optional<deck::Expression> MaterialParams::*key) {
  const Cells& cells = problem.cells;
  const std::vector<MaterialParams>& materials = problem.params.materials;
  const auto number = [&](const MaterialParams& m) { return m.number(name, *(m.*key)); };
  bool any = false, at_places = false;
  for (const MaterialParams& m : materials) {
    if (!(m.*key)) continue;
    any = true;
    at_places = at_places || !number(m).is_constant();
  }
  Coefficients result{.components = any ? 1 : 0, .at_places = at_places, .values = {}};
  if (!any) return result;
  result.values.assign(at_places ? cells.dofs.size() : static_cast<std::size_t>(cells.cells), 0.0);
  for (std::size_t of = 0; of < materials.size(); ++of) {
    const MaterialParams& m = materials[of];
    if (!(m.*key)) continue;
    std::vector<std::size_t> where;
    std::vector<Index> dofs;
    for (Index c = 0; c < cells.cells; ++c) {
      if (problem.material[static_cast<std::size_t>(c)] != static_cast<Index>(of)) continue;
      for (int q = 0; q < (at_places ? cells.places : 1); ++q) {
        where.push_back(at_places ? static_cast<std::size_t>(Offset{c} * cells.places + q)
                                  : static_cast<std::size_t>(c));
        dofs.push_back(cells.cell(c)[q]);
      }
    }
    const std::vector<double> values =
        at_places ? evaluate_number(m, number(m), problem.material_points(), dofs, problem.space.threads)
                  : std::vector<double>(where.size(), number(m).expression.constant());
    for (std::size_t i = 0; i < where.size(); ++i) {
      if (!(values[i] >= 0) || !std::isfinite(values[i])) {
        const double* const x = &problem.material_points()[3 * static_cast<std::size_t>(dofs[i])];
        throw Error(ExitCode::usage,
                    fmt::format("{} is {:g}{}", name, values[i],
                                at_places ? fmt::format(" at ({:g}, {:g}, {:g})", x[0], x[1], x[2]) : ""),
                    "what damps takes energy: it must not be negative", m.where);
      }
      result.values[where[i]] = values[i];
    }
  }
  return result;
}

Coefficients product(const Cells& cells, const Coefficients& a, const Coefficients& b) {
  Coefficients result{.components = a.components, .at_places = a.at_places || b.at_places, .values = {}};
  const int places = result.at_places ? cells.places : 1;
  result.values.reserve(static_cast<std::size_t>(Offset{cells.cells} * places * a.components));
  for (Index c = 0; c < cells.cells; ++c)
    for (int q = 0; q < places; ++q)
      for (int k = 0; k < a.components; ++k) result.values.push_back(a.at(cells, c, q, k) * b.at(cells, c, q));
  return result;
}

Range range_of(const Coefficients& numbers) {
  if (numbers.values.empty()) return {};
  const auto [least, greatest] = std::minmax_element(numbers.values.begin(), numbers.values.end());
  return {*least, *greatest};
}

namespace {

/// The mean of the nodes of a cell.
std::array<double, 3> middle(const Problem& problem, Index cell) {
  std::array<double, 3> x{};
  for (int q = 0; q < problem.cells.places; ++q)
    for (std::size_t d = 0; d < 3; ++d)
      x[d] += problem.space.dof_points[3 * static_cast<std::size_t>(problem.cells.cell(cell)[q]) + d] /
              problem.cells.places;
  return x;
}

}  // namespace

Most frequency_of_leaps(const Problem& problem) {
  const Cells& cells = problem.cells;
  const Coefficients& beta = problem.media.beta;
  if (beta.components == 0) return assembly::spectral::highest_frequency(problem.mesh(), cells, problem.media.fast);
  const std::vector<double> of_cells =
      assembly::spectral::highest_frequencies(problem.mesh(), cells, problem.media.fast);
  double highest = 0;
  Index where = -1;
  for (Index c = 0; c < cells.cells; ++c) {
    double most = 0;
    for (int q = 0; q < (beta.at_places ? cells.places : 1); ++q) most = std::max(most, beta.at(cells, c, q));
    const double frequency = 2 / solvers::damped_leap(2 / of_cells[static_cast<std::size_t>(c)], most);
    if (frequency <= highest) continue;
    highest = frequency;
    where = c;
  }
  if (where < 0) return {};
  return {highest, middle(problem, where)};
}

}  // namespace tessera::physics::wave
