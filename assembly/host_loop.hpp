#pragma once
#include <omp.h>

#include <algorithm>
#include <exception>
#include <mutex>

#include "base/types.hpp"

namespace tessera::assembly {

/// Calls body(chunk, first, last) for consecutive chunks of [0, count), in parallel. Chunks do not depend on the number of
/// threads, so sums kept per chunk and added in order do not either. An exception is rethrown after the loop, that of the
/// lowest chunk.
template <class Body>
void for_chunks(Offset count, Offset chunk_size, int threads, Body body) {
  const Offset chunks = (count + chunk_size - 1) / chunk_size;
  std::mutex mutex;
  std::exception_ptr failure;
  Offset failed = chunks;
#pragma omp parallel for schedule(dynamic) num_threads(threads > 0 ? threads : omp_get_max_threads())
  for (Offset chunk = 0; chunk < chunks; ++chunk) {
    try {
      body(chunk, chunk * chunk_size, std::min(count, (chunk + 1) * chunk_size));
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (chunk < failed) {
        failed = chunk;
        failure = std::current_exception();
      }
    }
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace tessera::assembly
