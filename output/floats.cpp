#include "output/floats.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "base/team.hpp"

namespace tessera::output {

void to_floats(const Field& field, int threads, std::vector<float>& values) {
  constexpr double largest = std::numeric_limits<float>::max();
  values.resize(field.values.size());
  parallel_chunks(threads, static_cast<Offset>(values.size()), 1 << 16, [&](Offset first, Offset last, int) {
    for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i) {
      const double value = field.values[i];
      if (std::abs(value) > largest && std::isfinite(value))
        throw Error(ExitCode::usage,
                    fmt::format("the output field '{}' has {:g}, and output.precision = \"float\" reaches to {:.2g}",
                                field.name, value, largest),
                    "leave output.precision out: files then have doubles");
      values[i] = static_cast<float>(value);
    }
  });
}

}  // namespace tessera::output
