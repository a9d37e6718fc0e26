#include "base/host_memory.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>

namespace tessera {
namespace {

constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

/// The beginning of a small text file, in a buffer that is not allocated; empty where there is none.
class SmallFile {
 public:
  SmallFile(const char* root, const char* path, const char* group = "", const char* name = "") {
    char whole[1024];
    const int length = std::snprintf(whole, sizeof whole, "%s%s%s%s", root, path, group, name);
    if (length < 0 || length >= static_cast<int>(sizeof whole)) return;
    const int file = open(whole, O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    std::size_t size = 0;
    for (ssize_t got = 1; got > 0 && size + 1 < sizeof text_;
         size += static_cast<std::size_t>(std::max<ssize_t>(got, 0)))
      got = read(file, text_ + size, sizeof text_ - 1 - size);
    close(file);
  }
  const char* text() const { return text_; }
  bool empty() const { return text_[0] == 0; }
  /// The number behind a word at the start of a line, or `missing`.
  std::size_t number(const char* word, std::size_t missing) const {
    const std::size_t length = std::strlen(word);
    for (const char* line = text_; line; line = std::strchr(line, '\n')) {
      if (*line == '\n') ++line;
      if (std::strncmp(line, word, length) == 0) return std::strtoull(line + length, nullptr, 10);
    }
    return missing;
  }

 private:
  char text_[8192] = {};
};

void take_less(HostMemory& least, std::size_t free, std::size_t total, const char* what, const char* name = "") {
  if (free >= least.free) return;
  least.free = free, least.total = total;
  std::snprintf(least.what.data(), least.what.size(), "%s%s", what, name);
}

/// The limits of a control group and of those above it. `limit`, `usage`, `file_cache`: how its version calls them.
void take_groups(HostMemory& least, const char* root, const char* mount, const char* group, const char* limit,
                 const char* usage, const char* file_cache) {
  char path[512];
  std::snprintf(path, sizeof path, "%s", group);
  for (;;) {
    const SmallFile most(root, mount, path, limit);
    char* end = nullptr;
    const std::size_t bytes = std::strtoull(most.text(), &end, 10);
    if (end != most.text() && bytes < unlimited / 4) {  // "max", or version 1's huge number: no limit
      const SmallFile used(root, mount, path, usage), statistics(root, mount, path, "/memory.stat");
      const std::size_t cache = statistics.number(file_cache, 0);  // which the system gives back
      const std::size_t in_use = std::strtoull(used.text(), nullptr, 10);
      const std::size_t held = in_use - std::min(in_use, cache);
      take_less(least, bytes - std::min(bytes, held), bytes, "the control group ", path[0] ? path : "/");
    }
    char* slash = std::strrchr(path, '/');
    if (!slash) return;
    *slash = 0;
  }
}

/// "4:memory:/a/b" or "0::/a/b" of /proc/self/cgroup.
void take_all_groups(HostMemory& least, const char* root) {
  const SmallFile groups(root, "/proc/self/cgroup");
  for (const char* line = groups.text(); line && *line; line = std::strchr(line, '\n')) {
    if (*line == '\n') ++line;
    const char* controllers = std::strchr(line, ':');
    const char* path = controllers ? std::strchr(controllers + 1, ':') : nullptr;
    if (!path) continue;
    char group[512];
    std::snprintf(group, sizeof group, "%.*s", static_cast<int>(std::strcspn(path + 1, "\n")), path + 1);
    const std::size_t length = static_cast<std::size_t>(path - controllers) - 1;
    if (length == 0)
      take_groups(least, root, "/sys/fs/cgroup", group, "/memory.max", "/memory.current", "inactive_file ");
    else if (length == 6 && std::strncmp(controllers + 1, "memory", 6) == 0)
      take_groups(least, root, "/sys/fs/cgroup/memory", group, "/memory.limit_in_bytes", "/memory.usage_in_bytes",
                  "total_inactive_file ");
  }
}

void take_limit(HostMemory& least, __rlimit_resource resource, std::size_t used, const char* what) {
  rlimit limit{};
  if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
  take_less(least, limit.rlim_cur - std::min<std::size_t>(limit.rlim_cur, used), limit.rlim_cur, what);
}

thread_local std::size_t failed_request = 0;
thread_local int no_unwinding = 0;

}  // namespace

namespace detail {
HostMemory host_memory_below(const char* root) {
  HostMemory least{unlimited, unlimited, {}};
  const SmallFile machine(root, "/proc/meminfo");
  const auto bytes = [&](const char* word) { return machine.number(word, unlimited / 1024) * 1024; };
  take_less(least, bytes("MemAvailable:"), bytes("MemTotal:"), "this machine");
  if (least.free == unlimited / 1024 * 1024) {  // where /proc is hidden: what is built in
    const long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGE_SIZE);
    const std::size_t all =
        pages > 0 && size > 0 ? static_cast<std::size_t>(pages) * static_cast<std::size_t>(size) : unlimited;
    least = {all, all, {}};
    std::snprintf(least.what.data(), least.what.size(), "this machine");
  }
  take_all_groups(least, root);
  return least;
}
}  // namespace detail

HostMemory host_memory() {
  HostMemory least = detail::host_memory_below("");
  const SmallFile mapped("", "/proc/self/statm");  // pages: all, resident, shared, text, 0, data
  std::size_t pages[6] = {};
  std::sscanf(mapped.text(), "%zu %zu %zu %zu %zu %zu", &pages[0], &pages[1], &pages[2], &pages[3], &pages[4],
              &pages[5]);
  const auto page = static_cast<std::size_t>(std::max(1L, sysconf(_SC_PAGE_SIZE)));
  take_limit(least, RLIMIT_AS, pages[0] * page, "the address space (ulimit -v)");
  take_limit(least, RLIMIT_DATA, pages[5] * page, "the data of a process (ulimit -d)");
  return least;
}

void note_failed_request(std::size_t bytes) noexcept { failed_request = bytes; }
std::size_t last_failed_request() noexcept { return failed_request; }

NoUnwinding::NoUnwinding() noexcept { ++no_unwinding; }
NoUnwinding::~NoUnwinding() { --no_unwinding; }
bool may_unwind() noexcept { return no_unwinding == 0; }

}  // namespace tessera
