#include "base/touch.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

#include "base/team.hpp"

namespace tessera {

void ask_for_large_pages(void* memory, std::size_t bytes) noexcept {
#ifdef MADV_HUGEPAGE
  constexpr std::size_t least = std::size_t{1} << 22;
  constexpr std::uintptr_t page = std::uintptr_t{1} << 21;
  if (bytes < least) return;
  const auto begin = reinterpret_cast<std::uintptr_t>(memory);
  const std::uintptr_t first = (begin + page - 1) / page * page, last = (begin + bytes) / page * page;
  const int before = errno;
  // A refusal costs speed only.
  (void)madvise(static_cast<char*>(memory) + (first - begin), last - first, MADV_HUGEPAGE);
  errno = before;
#else
  (void)memory, (void)bytes;
#endif
}

void touch_pages(void* memory, std::size_t bytes, int threads) {
  ask_for_large_pages(memory, bytes);
#ifdef MADV_POPULATE_WRITE
  /// Fewer are brought in by the loop that writes them.
  constexpr std::size_t least = std::size_t{1} << 20;
  if (threads < 2 || bytes < least) return;
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto begin = reinterpret_cast<std::uintptr_t>(memory);
  const std::uintptr_t first = (begin + page - 1) / page, last = (begin + bytes) / page;
  parallel_ranges(threads, static_cast<Offset>(last - first), [&](Offset from, Offset to, int) {
    // A refusal costs speed only: the pages come when they are written.
    (void)madvise(static_cast<char*>(memory) + ((first + static_cast<std::uintptr_t>(from)) * page - begin),
                  static_cast<std::size_t>(to - from) * page, MADV_POPULATE_WRITE);
  });
#else
  (void)threads;
#endif
}

}  // namespace tessera
