#include "physics/scalar/params.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tessera::physics::scalar {

deck::Section<BoundaryParams> boundary_section() {
  return deck::Section<BoundaryParams>("boundary", "Boundary conditions; a boundary without one has k du/dn = 0",
                                       deck::SectionKind::array)
      .key("on", &BoundaryParams::on,
           {.help = "physical group name(s)", .required = true, .example = "[\"left\", \"right\"]"})
      .key("type", &BoundaryParams::type,
           {.help = "dirichlet: u = value; neumann: k du/dn = value; robin: k du/dn + alpha u = value",
            .choices = {"dirichlet", "neumann", "robin"},
            .required = true,
            .example = "\"dirichlet\""})
      .key("value", &BoundaryParams::value, {.help = "right-hand side of the condition", .example = "\"0\""})
      .key("alpha", &BoundaryParams::alpha, {.help = "coefficient of a robin condition"})
      .position(&BoundaryParams::where);
}

void check_fields(const OutputParams& output) {
  const std::vector<std::string> fields{"u", "flux"};
  for (const std::string& field : output.fields)
    if (std::find(fields.begin(), fields.end(), field) == fields.end())
      throw Error(ExitCode::usage, fmt::format("unknown output field '{}'", field), suggest(field, fields),
                  output.where);
}

void check_alpha(const std::vector<BoundaryParams>& boundaries) {
  for (const BoundaryParams& boundary : boundaries)
    if (boundary.type != "robin" && !(boundary.alpha.is_constant() && boundary.alpha.constant() == 0))
      throw Error(ExitCode::usage, fmt::format("alpha belongs to a robin boundary, this one is {}", boundary.type),
                  "use type = \"robin\", or leave alpha out", boundary.where);
}

}  // namespace tessera::physics::scalar
