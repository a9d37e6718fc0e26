#pragma once
#include <vector>

#include "output/vtk_writer.hpp"

namespace tessera::output {

/// float_values by so many threads, of which `values` then has as many. Throws for the first one beyond their range.
void to_floats(const Field& field, int threads, std::vector<float>& values);

}  // namespace tessera::output
