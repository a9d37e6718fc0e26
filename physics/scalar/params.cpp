#include "physics/scalar/params.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tessera::physics::scalar {

std::vector<FieldInfo> scalar_fields() { return {{.name = "u", .measured = true}, {.name = "flux", .vector = true}}; }

deck::Section<BoundaryParams> boundary_section(deck::Knows knows) {
  const bool of_u = knows != deck::Knows::place;
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
      .key("value", &BoundaryParams::value,
           {.help = std::string("right-hand side of the condition") +
                    (of_u ? "; of neumann and robin it may depend on u" : ""),
            .example = "\"0\"",
            .knows = knows})
      .key("alpha", &BoundaryParams::alpha,
           {.help = std::string("coefficient of a robin condition") + (of_u ? "; it may depend on u" : ""),
            .knows = knows})
      .position(&BoundaryParams::where);
}

void check_boundaries(const std::vector<BoundaryParams>& boundaries) {
  for (const BoundaryParams& boundary : boundaries) {
    if (boundary.on.empty())
      throw Error(ExitCode::usage, "this boundary has on = []: it holds nowhere",
                  "name the groups that it holds on, or take the entry out", boundary.where);
    if (boundary.type != "robin" && !(boundary.alpha.is_constant() && boundary.alpha.constant() == 0))
      throw Error(ExitCode::usage, fmt::format("alpha belongs to a robin boundary, this one is {}", boundary.type),
                  "use type = \"robin\", or leave alpha out", boundary.where);
    if (boundary.type != "neumann" && boundary.type != "robin" && boundary.value.depends_on_solution())
      throw Error(ExitCode::usage,
                  fmt::format("the value of a {} boundary depends on u, which it is to fix", boundary.type),
                  "a flow that depends on u is a neumann or robin boundary", boundary.value.where());
  }
}

namespace {

std::vector<deck::Expression> expressions_of(const MaterialParams& material) {
  std::vector<deck::Expression> all = material.diffusivity;
  all.insert(all.end(), {material.reaction, material.source});
  return all;
}

}  // namespace

bool depends_on_solution(const MaterialParams& material) {
  const std::vector<deck::Expression> all = expressions_of(material);
  return std::any_of(all.begin(), all.end(), [](const deck::Expression& e) { return e.depends_on_solution(); });
}

std::vector<deck::Expression> expressions_of(const Params& params) {
  std::vector<deck::Expression> all;
  for (const MaterialParams& material : params.materials) {
    const std::vector<deck::Expression> own = expressions_of(material);
    all.insert(all.end(), own.begin(), own.end());
  }
  for (const BoundaryParams& boundary : params.boundaries) all.insert(all.end(), {boundary.value, boundary.alpha});
  return all;
}

}  // namespace tessera::physics::scalar
