#pragma once
// Pages of large memory: their size, and threads that bring them in.
#include <cstddef>
#include <vector>

#include "base/memory.hpp"

namespace tessera {

/// Asks for pages of 2 MiB inside of this memory, from 4 MiB on, where Linux gives them to those who ask
/// (transparent_hugepage "madvise"): the TLB of a processor has room for some thousand pages,
/// which are 8 MB of small ones. For memory that is not written yet. Leaves errno.
void ask_for_large_pages(void* memory, std::size_t bytes) noexcept;

/// Brings the whole pages inside of this memory in by all threads, without changing what is in them. A page that is
/// new to the process is cleared when it is first written: one thread spends more on that than on the writing. For
/// memory that will be written in full, which asks for large pages; where the system cannot do it (Linux before 5.14),
/// no more happens.
void touch_pages(void* memory, std::size_t bytes, int threads);

/// items.resize(count), with pages that all threads bring in. Throws Error(memory) where there is not room for them.
template <class T>
void resize_by_all(std::vector<T>& items, std::size_t count, int threads) {
  const std::size_t before = items.size();
  if (count > before) {
    if (count > items.capacity()) require_host_memory(count * sizeof(T));
    items.reserve(count);
    touch_pages(items.data() + before, (count - before) * sizeof(T), threads);
  }
  items.resize(count);
}

}  // namespace tessera
