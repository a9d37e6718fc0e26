#pragma once
// What a GPU must have beside memory.
#include "physics/wave/problem.hpp"

namespace tessera::physics::wave {

/// Throws Error(memory) where the elements of a medium take more shared memory than the `most` bytes that a block of
/// threads may have.
void check_shared_memory(const Problem& problem, std::size_t most);

}  // namespace tessera::physics::wave
