#pragma once
// What a run says and writes.
#include <filesystem>
#include <functional>

#include "base/array.hpp"
#include "output/summary.hpp"
#include "physics/two_point_bvp/params.hpp"

namespace tessera::physics::two_point_bvp {

/// u at nodes 0 .. n-1; at node n it is 0. Between nodes u is linear. Borrows.
struct Solution {
  const Grid& grid;
  View<const double> u;
  int threads = 0;  ///< 0: default_threads()

  double at(Offset i) const { return i < grid.n ? u[i] : 0.0; }
  /// -u' at node i, of second order: central inside, 0 at the left end (u' = 0), one-sided at the right end.
  double flux(Offset i) const;
};

/// errors.u.relative = |u - exact| / |exact| over the unknowns, (14) of the source; errors.u.l2 with the trapezoidal
/// rule; errors.u.max. False where `go_on` ended it.
bool report_errors(const ExactParams& exact, const Solution& solution, const std::function<bool(Offset)>& go_on,
                   output::Summary& summary);
void report_quantities(const std::vector<QuantityParams>& quantities, const Solution& solution,
                       output::Summary& summary);

/// Nodes from one that is written to the next.
Offset nodes_between_output(const Params& params);
/// Writes the tables of [[line]]; between nodes u and flux are linear.
void write_lines(const Params& params, const Solution& solution, const std::filesystem::path& directory);
/// Writes u and flux = -u' in the formats of the deck.
void write_solution(const Params& params, const Solution& solution, const std::filesystem::path& directory);

}  // namespace tessera::physics::two_point_bvp
