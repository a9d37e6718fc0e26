#pragma once
#include "base/team.hpp"

namespace tessera::assembly {

/// Calls body(chunk, first, last) for consecutive chunks of [0, count), in parallel. Chunks do not depend on the number
/// of threads, so sums kept per chunk and added in order do not either. An exception is rethrown after the loop, that
/// of the lowest chunk.
template <class Body>
void for_chunks(Offset count, Offset chunk_size, int threads, Body body) {
  parallel_chunks(threads > 0 ? threads : default_threads(), count, chunk_size,
                  [&](Offset first, Offset last, int) { body(first / chunk_size, first, last); });
}

}  // namespace tessera::assembly
