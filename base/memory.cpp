#include "base/memory.hpp"

#include <fmt/format.h>
#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>

#include "base/array_memory.hpp"
#include "base/console.hpp"
#include "base/error.hpp"
#include "base/host_memory.hpp"
#include "base/memory_device.hpp"
#include "base/sanitized.hpp"
#include "base/touch.hpp"

namespace tessera {

namespace {

constexpr std::size_t reserve_bytes = 512 * 1024;
std::atomic<void*> reserve{nullptr};
std::atomic<std::size_t> arrays_now{0}, arrays_peak{0};

/// What all refusals say: "400 MiB asked, 120 MiB free of 512 MiB of the address space (ulimit -v)".
std::string asked_and_free(std::size_t asked) {
  const HostMemory memory = host_memory();
  const std::string request = asked > 0 ? human_bytes(static_cast<double>(asked)) + " asked, " : std::string();
  return fmt::format("out of host memory: {}{} free of {} of {}; the process holds up to {}", request,
                     human_bytes(static_cast<double>(memory.free)), human_bytes(static_cast<double>(memory.total)),
                     memory.what.data(), human_bytes(static_cast<double>(memory_use().host_peak)));
}

std::atomic<void (*)(const char*) noexcept> before_end{nullptr};
void say_last(const char* what) noexcept {
  if (const auto last = before_end.load()) last(what);
}

/// How many CrashesAreWantOfMemory this thread has.
thread_local int calls_of_libraries = 0;

/// A library called exit() (HDF5 does where it cannot register an object).
void end_after_library_exit() {
  if (calls_of_libraries > 0 && errno == ENOMEM) end_without_memory();
}

constexpr bool watched = !TESSERA_SANITIZED;
constexpr int crashes[] = {SIGSEGV, SIGBUS};

/// Another crash on the way comes to the handler that was there before.
extern "C" void end_after_library_crash(int signal) {
  if (errno == ENOMEM) end_without_memory();
  std::signal(signal, SIG_DFL);
  raise(signal);
}

/// Whether a thread is ending the process.
std::atomic_flag ending = ATOMIC_FLAG_INIT;
constexpr unsigned seconds_to_end = 10;

constexpr const char* what_to_do =
    "use a coarser mesh, a lower order or a solver without factorisation, or raise the limit that is named; "
    "`tessera check DECK` estimates the need";

}  // namespace

std::size_t host_bytes_available() { return host_memory().free; }

void require_host_memory(std::size_t bytes) {
  // The system promises more than it has and kills later; so large requests are held against what is free, and against
  // what was freed and kept (keep_freed_memory).
  constexpr std::size_t large = std::size_t{1} << 28;
  if (bytes > large && bytes > host_bytes_available() && bytes > host_bytes_available() + mallinfo2().fordblks)
    throw Error(ExitCode::memory, asked_and_free(bytes), what_to_do);
}

void* allocate(Host, std::size_t bytes) {
  constexpr std::size_t alignment = 64;
  require_host_memory(bytes);
  void* memory = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  if (!memory) throw Error(ExitCode::memory, asked_and_free(bytes), what_to_do);
  ask_for_large_pages(memory, bytes);
  const std::size_t now = arrays_now += bytes;
  std::size_t peak = arrays_peak;
  while (now > peak && !arrays_peak.compare_exchange_weak(peak, now)) {
  }
  return memory;
}

void release(Host, void* memory, std::size_t bytes) noexcept {
  if (memory) arrays_now -= bytes;
  std::free(memory);
}

ArrayMemory host_array_memory() { return {arrays_now, arrays_peak}; }
void reset_host_array_peak() { arrays_peak = arrays_now.load(); }

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
  std::free(reserve.exchange(nullptr));
  return Error(ExitCode::memory, asked_and_free(last_failed_request()), what_to_do);
}

void end_without_memory() noexcept {
  // A request of the long message that fails comes back here.
  static thread_local bool came_back = false;
  // Two threads would write one file, and the process would end while the second has written half of it. The first may
  // need what the second holds, so that this one waits for some time only.
  if (!came_back && ending.test_and_set()) {
    for (unsigned left = seconds_to_end; left > 0;) left = sleep(left);
    _exit(static_cast<int>(ExitCode::memory));
  }
  if (!std::exchange(came_back, true)) {
    const NoUnwinding here;
    const Error error = out_of_host_memory();
    console::say(error.report());
    say_last(error.what());
    _exit(static_cast<int>(ExitCode::memory));
  }
  constexpr std::string_view words =
      "error: out of host memory, and none is left for a longer message\n"
      "  help: use a coarser mesh or a lower order, or raise the limit (ulimit -v, ulimit -d, the control group)\n";
  [[maybe_unused]] const auto written = write(STDERR_FILENO, words.data(), words.size());
  say_last("out of host memory");
  _exit(static_cast<int>(ExitCode::memory));
}

void call_before_end_without_memory(void (*last)(const char*) noexcept) noexcept { before_end = last; }

CrashesAreWantOfMemory::CrashesAreWantOfMemory() noexcept {
  [[maybe_unused]] static const int registered = std::atexit(end_after_library_exit);
  ++calls_of_libraries;
  errno = 0;
  struct sigaction action {};
  action.sa_handler = end_after_library_crash;
  action.sa_flags = SA_RESETHAND | SA_NODEFER;
  for (int i = 0; i < 2; ++i)
    if (watched) sigaction(crashes[i], &action, &before_[i]);
}

CrashesAreWantOfMemory::~CrashesAreWantOfMemory() {
  --calls_of_libraries;
  for (int i = 0; i < 2; ++i)
    if (watched) sigaction(crashes[i], &before_[i], nullptr);
}

void keep_memory_reserve() {
  if (!reserve.load()) reserve = std::malloc(reserve_bytes);
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
