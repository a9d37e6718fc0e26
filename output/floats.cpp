#include "output/floats.hpp"

#include <cmath>

#include "base/team.hpp"

namespace tessera::output {

void to_floats(const Field& field, int threads, std::vector<float>& values) {
  values.resize(field.values.size());
  parallel_for(threads, static_cast<Offset>(values.size()), [&](Offset i) {
    const double value = field.values[static_cast<std::size_t>(i)];
    const bool beyond = std::abs(value) > largest_float;  // C++ leaves open what the cast makes of it
    values[static_cast<std::size_t>(i)] =
        beyond ? std::copysign(std::numeric_limits<float>::infinity(), static_cast<float>(std::copysign(1.0, value)))
               : static_cast<float>(value);
  });
}

}  // namespace tessera::output
