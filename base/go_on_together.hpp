#pragma once

namespace tessera {

/// After an error that all ranks have had together (on_each_rank) and all of them deal with: they are not on their way
/// out, and have_failed_together() denies it.
void go_on_together();

}  // namespace tessera
