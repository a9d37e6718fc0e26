#pragma once
#include "base/communicator.hpp"
#include "output/summary.hpp"

namespace tessera::app {

/// Divides the cores of each machine among the ranks there that may use the same ones, which then keep to their share.
/// All cores stay those of a rank that computes `on_cuda`, and where a launcher has given ranks cores of their own,
/// ranks are more than cores, ask for more `threads` than their share has, or shall not be bound (TESSERA_BIND=none).
/// Says who has which, in the summary, too. Returns the threads of this rank: its part of the cores, bound or not,
/// where 0 are asked for and OMP_NUM_THREADS says none. Collective.
int take_cores(Communicator& ranks, int threads, bool on_cuda, output::Summary& summary);

}  // namespace tessera::app
