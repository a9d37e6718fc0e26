#pragma once
#include <functional>

#include "base/communicator.hpp"

namespace tessera {

/// Calls `work` on the root alone; what it throws is thrown on all ranks. Collective.
void on_root(Communicator& ranks, const std::function<void()>& work);

/// Calls `work` on every rank; where it throws on some, all throw the error of the lowest of them, whose message names
/// that rank where the others had none. `work` must not wait for other ranks. Collective.
void on_each_rank(Communicator& ranks, const std::function<void()>& work);

/// Whether such an error was thrown: then all ranks are on their way out.
bool have_failed_together();

}  // namespace tessera
