#pragma once
#include "base/communicator.hpp"
#include "output/summary.hpp"

namespace tessera::app {

/// Divides the cores of each machine among the ranks there that may use the same ones, which then keep to their share;
/// a launcher that has given them cores of their own is left its way, and so are ranks that are more than cores, ask
/// for more `threads` (0: for all) than their share has, or shall not be bound (TESSERA_BIND=none). Says who has which,
/// in the summary, too. Returns the threads of this rank: as many as its share has cores where 0 are asked for.
/// Collective.
int take_cores(Communicator& ranks, int threads, output::Summary& summary);

}  // namespace tessera::app
