#pragma once
#include <filesystem>
#include <functional>
#include <vector>

#include "base/array.hpp"
#include "physics/two_point_bvp/params.hpp"

namespace tessera::physics::two_point_bvp {

/// Calls use(first, values) for runs of the values of an expression at nodes 0 .. n-1, in order. `go_on(done)` is
/// asked before each run; false ends it. Returns whether all were visited. `threads` = 0: default_threads(). Throws
/// Error(usage) with the place where a value is not finite.
bool evaluate_on_grid(const deck::Expression& expression, const Grid& grid, int threads,
                      const std::function<bool(Offset done)>& go_on,
                      const std::function<void(Offset first, const std::vector<double>& values)>& use);

/// f at nodes 0 .. n-1 from a text file. Throws Error(file_system) where it cannot be read, Error(usage) with its line
/// where something is not a finite number, and where there are not n or n + 1 of them.
Array<double> read_values(const std::filesystem::path& file, const Grid& grid, const deck::Where& where);

}  // namespace tessera::physics::two_point_bvp
