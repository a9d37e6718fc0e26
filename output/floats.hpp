#pragma once
#include <limits>
#include <vector>

#include "output/vtk_writer.hpp"

namespace tessera::output {

/// Numbers beyond it are infinite in files of floats.
inline constexpr double largest_float = std::numeric_limits<float>::max();

/// float_values by so many threads; `values` then has as many as the field.
void to_floats(const Field& field, int threads, std::vector<float>& values);

}  // namespace tessera::output
