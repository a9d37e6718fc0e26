#include <fmt/format.h>

#include <algorithm>

#include "assembly/convection/convection_impl.hpp"
#include "base/error.hpp"

namespace tessera::assembly {

void check_vector(const Coefficient& coefficient, const char* name, int dim, const std::vector<Index>& region,
                  Offset points) {
  if (coefficient.values.empty()) return;
  if (coefficient.components != dim)
    throw Error(ExitCode::internal,
                fmt::format("{} has {} components in {} dimensions", name, coefficient.components, dim),
                "give one an axis");
  const Offset items = coefficient.per_point ? points
                       : region.empty()      ? 1
                                             : Offset{*std::max_element(region.begin(), region.end())} + 1;
  const Offset given = static_cast<Offset>(coefficient.values.size());
  if (coefficient.per_point ? given != items * dim : given < items * dim)
    throw Error(ExitCode::internal, fmt::format("{} has {} values, {} are needed", name, given, items * dim),
                "give the coefficient in every region, or at every quadrature point");
}

}  // namespace tessera::assembly
