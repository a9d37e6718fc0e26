#pragma once
// What a GPU must have beside memory.
#include "physics/model.hpp"

namespace tessera::physics {

/// Throws Error(memory) where the elements of the deck take more shared memory than the `most` bytes that a block of
/// threads may have, as the run would.
void check_shared_memory(const CommonParams& params, const Discretisation& space, const AtPoints& coefficients,
                         bool matrix_free, std::size_t most);

}  // namespace tessera::physics
