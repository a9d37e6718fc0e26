#include "base/memory.hpp"

#include <fmt/format.h>
#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>

#include "base/error.hpp"
#include "base/memory_device.hpp"

namespace tessera {

namespace {

std::size_t meminfo(const char* key) {
  std::ifstream file("/proc/meminfo");
  std::string name;
  std::size_t kib = 0;
  std::string unit;
  while (file >> name >> kib) {
    std::getline(file, unit);
    if (name == key) return kib * 1024;
  }
  return 0;
}

}  // namespace

std::size_t host_bytes_available() {
  if (const std::size_t available = meminfo("MemAvailable:"); available > 0) return available;
  // Where /proc is hidden: what is built in.
  const long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGE_SIZE);
  if (pages > 0 && size > 0) return static_cast<std::size_t>(pages) * static_cast<std::size_t>(size);
  return std::numeric_limits<std::size_t>::max();
}

void* allocate(Host, std::size_t bytes) {
  constexpr std::size_t alignment = 64;
  // The system promises more than it has and kills later; so large requests are held against what is free.
  constexpr std::size_t large = std::size_t{1} << 28;
  const bool absurd = bytes > large && bytes > host_bytes_available();
  void* memory = absurd ? nullptr : std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  if (!memory)
    throw Error(ExitCode::memory,
                fmt::format("out of host memory: {} asked, {} free of {}", human_bytes(static_cast<double>(bytes)),
                            human_bytes(static_cast<double>(host_bytes_available())),
                            human_bytes(static_cast<double>(meminfo("MemTotal:")))),
                "use a coarser mesh or a lower order; `tessera check DECK` estimates what a run needs");
  return memory;
}

void release(Host, void* memory, std::size_t) noexcept { std::free(memory); }

void copy_bytes(Host, const void* from, Host, void* to, std::size_t bytes) {
  if (bytes > 0) std::memcpy(to, from, bytes);
}

void fill_bytes(Host, void* memory, unsigned char value, std::size_t bytes) {
  if (bytes > 0) std::memset(memory, value, bytes);
}

void keep_freed_memory() {
  (void)mallopt(M_MMAP_MAX, 0);
  (void)mallopt(M_TRIM_THRESHOLD, -1);
}

MemoryUse memory_use() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  MemoryUse use = device_memory_use();
  use.host_peak = static_cast<std::size_t>(usage.ru_maxrss) * 1024;
  return use;
}

Error out_of_host_memory() {
  return Error(
      ExitCode::memory,
      fmt::format("out of host memory: the process holds up to {}, {} are free of {}",
                  human_bytes(static_cast<double>(memory_use().host_peak)),
                  human_bytes(static_cast<double>(host_bytes_available())),
                  human_bytes(static_cast<double>(meminfo("MemTotal:")))),
      "use a coarser mesh, a lower order or a solver without factorisation; `tessera check DECK` estimates the need");
}

std::string human_bytes(double bytes) {
  const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  int unit = 0;
  while (bytes >= 1024 && unit < 6) {
    bytes /= 1024;
    ++unit;
  }
  return unit == 0 ? fmt::format("{:.0f} B", bytes) : fmt::format("{:.3g} {}", bytes, units[unit]);
}

}  // namespace tessera
