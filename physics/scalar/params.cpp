#include "physics/scalar/params.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "assembly/cells/strategy.hpp"

namespace tessera::physics::scalar {

deck::Section<BoundaryParams> boundary_section() {
  return deck::Section<BoundaryParams>("boundary", "Boundary conditions; a boundary without one has k du/dn = 0",
                                       deck::SectionKind::array)
      .key("on", &BoundaryParams::on,
           {.help = "physical group name(s)", .required = true, .example = "[\"left\", \"right\"]"})
      .key("type", &BoundaryParams::type,
           {.help = "dirichlet: u = value; neumann: k du/dn = value; robin: k du/dn + alpha u = value; periodic: u "
                    "is the same on the two sides of `on`",
            .choices = {"dirichlet", "neumann", "robin", "periodic"},
            .required = true,
            .example = "\"dirichlet\""})
      .key("value", &BoundaryParams::value, {.help = "right-hand side of the condition", .example = "\"0\""})
      .key("alpha", &BoundaryParams::alpha, {.help = "coefficient of a robin condition"})
      .position(&BoundaryParams::where);
}

deck::Section<InitialParams> initial_section() {
  return deck::Section<InitialParams>("initial",
                                      "Where an iterative solver starts; without one, at the constant nearest to the "
                                      "data. Of two entries at one place the later holds",
                                      deck::SectionKind::array)
      .key("on", &InitialParams::on, {.help = "physical group name(s); left out: everywhere"})
      .key("u", &InitialParams::u, {.help = "the start", .required = true, .example = "\"20\""})
      .position(&InitialParams::where);
}

void check_initial(const Params& params) {
  if (params.initial.empty()) return;
  const InitialParams& first = params.initial.front();
  if (solvers::is_direct(params.solver) || solvers::is_grid_solver(params.solver))
    throw Error(ExitCode::usage,
                fmt::format("[[initial]] is where an iterative solver starts, solver.type = \"{}\" is direct",
                            params.solver.type),
                "leave [[initial]] out, or choose an iterative solver: `tessera list solvers`", first.where);
}

void check_boundaries(const std::vector<BoundaryParams>& boundaries) {
  for (const BoundaryParams& boundary : boundaries) {
    if (boundary.on.empty())
      throw Error(ExitCode::usage, "this boundary has on = []: it holds nowhere",
                  "name the groups that it holds on, or take the entry out", boundary.where);
    if (boundary.type != "robin" && !(boundary.alpha.is_constant() && boundary.alpha.constant() == 0))
      throw Error(ExitCode::usage, fmt::format("alpha belongs to a robin boundary, this one is {}", boundary.type),
                  "use type = \"robin\", or leave alpha out", boundary.where);
  }
}

void check_choices(const Params& params, const deck::Deck& deck) {
  const std::string& format = params.matrix.format;
  if (solvers::needs_entries(params.solver) && format != "auto" && format != "crs")
    throw Error(ExitCode::usage,
                fmt::format("{} needs the entries of the matrix in CRS, matrix.format is \"{}\"",
                            solvers::reader_of_entries(params.solver), format),
                "leave matrix.format out, or choose another solver or preconditioner", deck.where("matrix.format"));
  if (params.assembly.partition_size == 0) return;
  std::vector<std::string> partitioned;
  for (const assembly::StrategyEntry& entry : assembly::strategy_table())
    if (entry.partitioned) partitioned.push_back(entry.name);
  if (std::find(partitioned.begin(), partitioned.end(), params.assembly.strategy) == partitioned.end())
    throw Error(
        ExitCode::usage,
        fmt::format("assembly.partition_size is read by {}; assembly.strategy is \"{}\"", fmt::join(partitioned, ", "),
                    params.assembly.strategy),
        fmt::format("leave partition_size out, or choose strategy = \"{}\"", fmt::join(partitioned, "\" or \"")),
        deck.where("assembly.partition_size"));
}

std::vector<deck::Expression> expressions_of(const Params& params) {
  std::vector<deck::Expression> all;
  for (const MaterialParams& material : params.materials) {
    all.insert(all.end(), material.diffusivity.begin(), material.diffusivity.end());
    all.insert(all.end(), {material.reaction, material.source});
  }
  for (const BoundaryParams& boundary : params.boundaries) all.insert(all.end(), {boundary.value, boundary.alpha});
  for (const InitialParams& initial : params.initial) all.push_back(initial.u);
  all.push_back(params.exact.u);
  all.insert(all.end(), params.exact.gradient.begin(), params.exact.gradient.end());
  return all;
}

}  // namespace tessera::physics::scalar
