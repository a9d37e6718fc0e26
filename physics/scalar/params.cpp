#include "physics/scalar/params.hpp"

#include <fmt/format.h>

#include "base/log.hpp"

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

void warn_of_time(const std::vector<deck::Expression>& expressions) {
  for (const deck::Expression& e : expressions)
    if (e.depends_on_time())
      warn(fmt::format("{}the expression '{}' depends on t, but the problem is stationary: t is 0",
                       e.where() ? fmt::format("{}:{}: ", e.where()->file, e.where()->line) : "", e.text()));
}

void warn_of_time(const Params& params) {
  for (const MaterialParams& material : params.materials) {
    warn_of_time(material.diffusivity);
    warn_of_time({material.reaction, material.source});
  }
  for (const BoundaryParams& boundary : params.boundaries) warn_of_time({boundary.value, boundary.alpha});
  warn_of_time({params.exact.u});
  warn_of_time(params.exact.gradient);
}

}  // namespace tessera::physics::scalar
