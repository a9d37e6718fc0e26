#include "physics/euler/reference.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/error.hpp"

namespace tessera::physics::euler {

namespace {

deck::Section<ReferenceParams> reference_section() {
  return deck::Section<ReferenceParams>("reference", "The flow far away, of coefficients of forces and pressures")
      .key("density", &ReferenceParams::density,
           {.help = "rho", .unit = "kg/m^3", .min = 0, .open_min = true, .required = true})
      .key("pressure", &ReferenceParams::pressure,
           {.help = "p", .unit = "Pa", .min = 0, .open_min = true, .required = true})
      .key("speed", &ReferenceParams::speed,
           {.help = "V: pressures are divided by rho V^2 / 2",
            .unit = "m/s",
            .min = 0,
            .open_min = true,
            .required = true})
      .key("angle", &ReferenceParams::angle,
           {.help = "of the flow from x towards y: drag acts along it, lift across it",
            .unit = "degrees",
            .min = -180,
            .max = 180})
      .key("length", &ReferenceParams::length,
           {.help = "of forces in the plane and of moments: the chord", .unit = "m", .min = 0, .open_min = true})
      .key("area", &ReferenceParams::area,
           {.help = "of forces in three dimensions; left out: length^2", .unit = "m^2", .min = 0, .open_min = true})
      .key("centre", &ReferenceParams::centre,
           {.help = "of moments, one number an axis; left out: the origin", .unit = "m"})
      .position(&ReferenceParams::where);
}

bool is_total(const std::string& name) { return name == "total_pressure" || name == "total_pressure_loss"; }

}  // namespace

deck::SectionDescription reference_description() { return reference_section().description(); }

std::optional<ReferenceParams> read_reference(const deck::Deck& deck) {
  if (!deck.has("reference")) return std::nullopt;
  ReferenceParams reference = reference_section().read(deck);
  for (const double x : reference.centre)
    if (!std::isfinite(x))
      throw Error(ExitCode::usage, fmt::format("reference.centre has {}, which is no coordinate", x),
                  "give finite numbers", deck.where("reference.centre"));
  return reference;
}

double total_pressure(const Gas& gas, double pressure, double mach) {
  return pressure * std::pow(1 + 0.5 * (gas.gamma - 1) * mach * mach, gas.gamma / (gas.gamma - 1));
}

bool needs_reference(const std::string& name) {
  return name == "total_pressure_loss" || name.ends_with("_coefficient");
}

void check_reference(const std::optional<ReferenceParams>& reference, const std::vector<Asked>& asked,
                     double covolume) {
  for (const Asked& a : asked) {
    if (needs_reference(a.what) && !reference)
      throw Error(ExitCode::usage, fmt::format("{} needs the flow far away, and the deck has no [reference]", a.what),
                  "add [reference] with density, pressure and speed", a.where);
    if (is_total(a.what) && covolume > 0)
      throw Error(ExitCode::usage, fmt::format("{} is that of a perfect gas, and this one has a covolume", a.what),
                  "leave it out, or choose covolume = 0", a.where);
  }
}

}  // namespace tessera::physics::euler
