#include "physics/scalar/params.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "physics/entry.hpp"

namespace tessera::physics::scalar {

std::vector<FieldInfo> scalar_fields() { return {{.name = "u", .measured = true}, {.name = "flux", .vector = true}}; }

namespace {
constexpr const char* conductance_help = "of a contact: what flows through it by area and difference of u";
}  // namespace

deck::Section<BoundaryParams> boundary_section(deck::Knows knows) {
  const bool of_u = knows != deck::Knows::place;
  const deck::KeyInfo conductance = of_u ? conductance_info() : deck::KeyInfo{.help = conductance_help};
  return deck::Section<BoundaryParams>("boundary", "Boundary conditions; a boundary without one has k du/dn = 0",
                                       deck::SectionKind::array)
      .key("on", &BoundaryParams::on,
           {.help = "physical group name(s)", .required = true, .example = "[\"left\", \"right\"]"})
      .key("type", &BoundaryParams::type,
           {.help = "dirichlet: u = value; neumann: k du/dn = value; robin: k du/dn + alpha u = value; periodic: u "
                    "is the same on the two sides of `on`" +
                    contact_help,
            .choices = {"dirichlet", "neumann", "robin", "periodic", "contact"},
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
      .key("conductance", &BoundaryParams::conductance, conductance)
      .key("gap", &BoundaryParams::gap, gap_info())
      .position(&BoundaryParams::where);
}

deck::KeyInfo conductance_info() {
  return {.help = std::string(conductance_help) + "; it may depend on u, which is the mean of both sides",
          .knows = deck::Knows::solution};
}
deck::KeyInfo gap_info() {
  return {.help = "of a contact: the most that its sides are apart; left out: a tenth of the size of the facets there",
          .unit = "length",
          .min = 0};
}

namespace {

/// What a contact has and what it has not.
void check_contact(const BoundaryParams& boundary) {
  if (boundary.type != "contact") {
    if (is_zero(boundary.conductance) && !boundary.gap) return;
    throw Error(ExitCode::usage,
                fmt::format("conductance and gap belong to a contact, this boundary is {}", boundary.type),
                "use type = \"contact\", or leave them out", boundary.where);
  }
  if (boundary.on.size() > 2 || (boundary.on.size() == 2 && boundary.on[0] == boundary.on[1]))
    throw Error(ExitCode::usage, "a contact names the two sides that lie on each other, or one group inside the mesh",
                "write on = [\"one side\", \"the other\"] or on = [\"interface\"]; one entry for each contact",
                boundary.where);
  if (!is_zero(boundary.value))
    throw Error(ExitCode::usage, "a contact has no value", "give its conductance, and leave value out", boundary.where);
  if (is_zero(boundary.conductance))
    throw Error(ExitCode::usage, "a contact has no conductance, so nothing flows through it",
                "give conductance > 0; sides that nothing flows through need no entry, but mesh.allow_cracks = true",
                boundary.where);
}

}  // namespace

void check_boundaries(const std::vector<BoundaryParams>& boundaries) {
  for (const BoundaryParams& boundary : boundaries) {
    if (boundary.on.empty())
      throw Error(ExitCode::usage, "this boundary has on = []: it holds nowhere",
                  "name the groups that it holds on, or take the entry out", boundary.where);
    if (boundary.type != "robin" && !(boundary.alpha.is_constant() && boundary.alpha.constant() == 0))
      throw Error(ExitCode::usage, fmt::format("alpha belongs to a robin boundary, this one is {}", boundary.type),
                  "use type = \"robin\", or leave alpha out", boundary.where);
    check_contact(boundary);
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
  for (const std::vector<BoundaryParams>* list : {&params.boundaries, &params.contacts})
    for (const BoundaryParams& boundary : *list)
      all.insert(all.end(), {boundary.value, boundary.alpha, boundary.conductance});
  return all;
}

}  // namespace tessera::physics::scalar
