#pragma once
// The tables of [[line]].
#include <filesystem>
#include <functional>

#include "physics/sections.hpp"

namespace tessera::physics {

/// Writes <directory>/<name>.csv with the columns s (length from the start), x, y, z and the components of the fields
/// that the line asks for: u, flux_x, ... `values(point, out)` is called for each point and fills those of them, in
/// that order.
void write_line(const LineParams& line, int dim, const std::vector<FieldInfo>& fields,
                const std::function<void(const std::array<double, 3>& point, double* out)>& values,
                const std::filesystem::path& directory);

}  // namespace tessera::physics
