#include "base/confine.hpp"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tessera {

namespace {

#if defined(__x86_64__)
constexpr std::uint32_t machine = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t machine = AUDIT_ARCH_AARCH64;
#else
constexpr std::uint32_t machine = 0;
#endif

constexpr std::uint32_t refused = SECCOMP_RET_ERRNO | EACCES, unknown = SECCOMP_RET_ERRNO | ENOSYS;
constexpr std::uint32_t writing = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC;

// Calls that are never allowed; the older ones do not exist on every machine.
constexpr std::uint32_t never[] = {
    SYS_execve,  SYS_execveat, SYS_unlinkat, SYS_renameat2, SYS_mkdirat, SYS_linkat, SYS_symlinkat,
    SYS_mknodat, SYS_truncate, SYS_fchmodat, SYS_fchownat,  SYS_fchmod,  SYS_fchown, SYS_setxattr,
    SYS_socket,  SYS_ptrace,   SYS_renameat,
#ifdef __x86_64__
    SYS_fork,    SYS_vfork,    SYS_creat,    SYS_unlink,    SYS_rename,  SYS_mkdir,  SYS_rmdir,
    SYS_link,    SYS_symlink,  SYS_mknod,    SYS_chmod,     SYS_chown,   SYS_lchown,
#endif
};

// Instructions of the kernel's filter language (man 2 seccomp). `jump` and the next one belong together.
class Filter {
 public:
  void load(std::size_t offset) { add(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset)); }
  void load_argument(int number) { load(offsetof(seccomp_data, args) + 8 * static_cast<std::size_t>(number)); }
  void answer(std::uint32_t what) { add(BPF_RET | BPF_K, what); }
  /// The next instruction is done only where the loaded value equals `value`.
  void if_equal(std::uint32_t value) { code_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1)); }
  void unless_equal(std::uint32_t value) { code_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 1, 0)); }
  void if_any_bit(std::uint32_t bits) { code_.push_back(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, 0, 1)); }
  void unless_any_bit(std::uint32_t bits) { code_.push_back(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, 1, 0)); }
  /// The call `number`: refused where the argument has any of the bits, or has none of them.
  void judge_argument(std::uint32_t number, int argument, std::uint32_t bits, bool refuse_with) {
    code_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 4));
    load_argument(argument);
    refuse_with ? if_any_bit(bits) : unless_any_bit(bits);
    answer(refused);
    answer(SECCOMP_RET_ALLOW);
  }
  bool install() {
    const sock_fprog program{static_cast<unsigned short>(code_.size()), code_.data()};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
  }

 private:
  void add(int code, std::uint32_t value) { code_.push_back(BPF_STMT(static_cast<std::uint16_t>(code), value)); }
  std::vector<sock_filter> code_;
};

}  // namespace

bool confine_process() {
  if (machine == 0) return false;
  Filter filter;
  filter.load(offsetof(seccomp_data, arch));
  filter.unless_equal(machine);
  filter.answer(refused);
  filter.load(offsetof(seccomp_data, nr));
  for (const std::uint32_t number : never) {
    filter.if_equal(number);
    filter.answer(refused);
  }
  // What these two ask for stands in memory, which a filter does not see: the C library then takes clone and openat.
  for (const std::uint32_t number : {std::uint32_t{SYS_clone3}, std::uint32_t{SYS_openat2}}) {
    filter.if_equal(number);
    filter.answer(unknown);
  }
  filter.judge_argument(SYS_clone, 0, CLONE_THREAD, false);
#ifdef __x86_64__
  filter.judge_argument(SYS_open, 1, writing, true);
#endif
  filter.judge_argument(SYS_openat, 2, writing, true);
  filter.answer(SECCOMP_RET_ALLOW);
  return filter.install();
}

}  // namespace tessera
