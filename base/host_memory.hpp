#pragma once
#include <array>
#include <csignal>
#include <cstddef>

namespace tessera {

/// How much memory this process may still take, and what ends it there: of the machine's free memory, the limits of the
/// process (ulimit -v, ulimit -d) and those of its control groups, the one that leaves least. Allocates nothing.
struct HostMemory {
  std::size_t free = 0;
  std::size_t total = 0;         ///< of the machine, or the limit
  std::array<char, 160> what{};  ///< "this machine", "the address space (ulimit -v)", "the control group /a/b"
};
HostMemory host_memory();

/// For operator new: the bytes of the last request of this thread that failed; 0: none.
void note_failed_request(std::size_t bytes) noexcept;
std::size_t last_failed_request() noexcept;

/// While one lives, a request for memory of this thread that fails ends the process with the message and exit code of
/// one: for libraries that crash where an exception goes through them (VTK's constructors, the values of
/// nlohmann-json).
class NoUnwinding {
 public:
  NoUnwinding() noexcept;
  ~NoUnwinding();
  NoUnwinding(const NoUnwinding&) = delete;
  NoUnwinding& operator=(const NoUnwinding&) = delete;
};
bool may_unwind() noexcept;

/// What end_without_memory calls last, with what it said: it must not allocate. Null: nothing.
void call_before_end_without_memory(void (*last)(const char* what) noexcept) noexcept;

/// While one lives, a crash of this process after a request for memory that failed is a want of memory: for libraries
/// that do not look at what malloc returns (VTK). malloc leaves ENOMEM in errno, and the crash follows. So is an exit()
/// in the thread that has it: some libraries end the process there (HDF5).
class CrashesAreWantOfMemory {
 public:
  CrashesAreWantOfMemory() noexcept;
  ~CrashesAreWantOfMemory();
  CrashesAreWantOfMemory(const CrashesAreWantOfMemory&) = delete;
  CrashesAreWantOfMemory& operator=(const CrashesAreWantOfMemory&) = delete;

 private:
  struct sigaction before_[2];
};

namespace detail {
/// As host_memory(), of the files below `root` ("" is the machine's own /proc and /sys); without the limits of the
/// process.
HostMemory host_memory_below(const char* root);
}  // namespace detail

}  // namespace tessera
