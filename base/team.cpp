#include "base/team.hpp"

#include <fmt/format.h>
#include <linux/futex.h>
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <limits>

#include "base/error.hpp"
#include "base/memory.hpp"
#include "base/signals_held.hpp"
#include "base/thread_limit.hpp"

namespace tessera {
namespace {

/// Of a thread of the team: nothing of ours keeps large arrays on the stack, and under `ulimit -v` every stack counts.
constexpr std::size_t stack_bytes = std::size_t{2} << 20;

using Clock = std::chrono::steady_clock;

/// How long a thread that waits keeps its core before it sleeps (docs/decisions/0009). Always: some times what a
/// wake-up takes, and short beside the slice of time that another process would have used.
constexpr std::chrono::microseconds short_spin{50};
/// On a machine where nobody else seems to want the core.
constexpr std::chrono::microseconds long_spin{2000};
/// After a sign that somebody does, for so long only short spins.
constexpr std::chrono::milliseconds caution{100};

/// Pauses between two looks at the clock: about 2 microseconds. Two looks much further apart mean that the core was
/// taken away.
constexpr int pauses_a_look = 32;
constexpr std::chrono::microseconds core_was_taken{200};

thread_local bool inside = false;
thread_local int part_of_thread = 0;

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb");
#endif
}

/// No long spins before this time, of the steady clock.
std::atomic<Clock::rep> cautious_until{std::numeric_limits<Clock::rep>::min()};

void be_cautious(Clock::time_point now) {
  cautious_until.store((now + caution).time_since_epoch().count(), std::memory_order_relaxed);
}

/// Whether this thread was made to leave a core since the last call.
bool was_preempted() {
  thread_local long before = -1;
  rusage use{};
  getrusage(RUSAGE_THREAD, &use);
  const bool preempted = before >= 0 && use.ru_nivcsw != before;
  before = use.ru_nivcsw;
  return preempted;
}

/// Whether `ready` came true within the time that a waiting thread may spin.
template <class Ready>
bool spin_until(const Ready& ready) {
  if (ready()) return true;
  const Clock::time_point start = Clock::now();
  bool patient = false;
  for (Clock::time_point before = start;;) {
    for (int k = 0; k < pauses_a_look; ++k) {
      pause();
      if (ready()) return true;
    }
    const Clock::time_point now = Clock::now();
    const bool taken = now - before > core_was_taken;
    before = now;
    if (taken) be_cautious(now);
    if (now - start < short_spin) continue;
    if (now.time_since_epoch().count() < cautious_until.load(std::memory_order_relaxed)) return false;
    // A long spin in vain is a sign, too: the thread that is waited for may not have a core.
    if (!patient ? was_preempted() : now - start > long_spin) {
      be_cautious(now);
      return false;
    }
    patient = true;
  }
}

/// Where one thread sleeps until something is ready that others make so, by a sequentially consistent store, and then
/// wake() it. std::atomic::wait would do, but it yields its core before it sleeps: beside a busy process that costs a
/// slice of time.
class Bed {
 public:
  template <class Ready>
  void sleep_until(const Ready& ready) {
    while (!ready()) {
      asleep_.store(1, std::memory_order_seq_cst);
      if (!ready()) syscall(SYS_futex, &asleep_, FUTEX_WAIT_PRIVATE, 1, nullptr, nullptr, 0);
    }
    asleep_.store(0, std::memory_order_relaxed);
  }
  void wake() {
    if (asleep_.load(std::memory_order_seq_cst) == 1 && asleep_.exchange(0, std::memory_order_seq_cst) == 1)
      syscall(SYS_futex, &asleep_, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
  }

 private:
  std::atomic<int> asleep_{0};
  static_assert(sizeof(std::atomic<int>) == 4);
};

struct Job {
  void (*run)(void* context, int part) = nullptr;
  void* context = nullptr;
  bool may_spin = true;  ///< there is a core for each part
};

/// The parts of a job that are not done, and where the caller waits for them.
struct Rest {
  std::atomic<int> parts{0};
  Bed caller;
};

/// Where one thread of the team takes its work. `ticket`: 2 k + 1 while the part of job k waits for somebody, 2 k + 2
/// once it is taken; whoever changes the first into the second runs the part. So a thread that comes late finds nothing
/// to take.
struct alignas(64) Seat {
  std::atomic<std::uint64_t> ticket{0};
  Bed bed;
  const Job* job = nullptr;  ///< the team's; valid for who has taken the ticket
  Rest* rest = nullptr;      ///< the team's
  int part = 0;
  std::exception_ptr failure;

  bool take(std::uint64_t offered) {
    return ticket.compare_exchange_strong(offered, offered + 1, std::memory_order_acq_rel);
  }
};

/// Runs a part on this thread and keeps what it throws.
void run_part(const Job& job, int part, std::exception_ptr& failure) {
  inside = true, part_of_thread = part;
  try {
    job.run(job.context, part);
  } catch (...) {
    failure = std::current_exception();
  }
  inside = false, part_of_thread = 0;
}

/// What a thread of the team does for ever.
void* attend(void* argument) {
  Seat& seat = *static_cast<Seat*>(argument);
  const auto offered = [&] { return seat.ticket.load(std::memory_order_seq_cst) % 2 == 1; };
  bool may_spin = false;
  for (;;) {
    if (!may_spin || !spin_until(offered)) seat.bed.sleep_until(offered);
    const std::uint64_t ticket = seat.ticket.load(std::memory_order_acquire);
    if (ticket % 2 == 0 || !seat.take(ticket)) continue;
    may_spin = seat.job->may_spin;
    run_part(*seat.job, seat.part, seat.failure);
    if (seat.rest->parts.fetch_sub(1, std::memory_order_seq_cst) == 1) seat.rest->caller.wake();
  }
}

int cores() {
  cpu_set_t set;
  static const int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : omp_get_num_procs();
  return count;
}

/// The caller and the threads at its seats; a seat is added when a call has more parts than any before.
class Team {
 public:
  void run(int parts, Job job);
  std::atomic_flag busy = ATOMIC_FLAG_INIT;  ///< a call is under way

 private:
  void add_seat(int parts);

  std::vector<std::unique_ptr<Seat>> seats_;
  std::uint64_t jobs_ = 0;
  Job job_;
  alignas(64) Rest rest_;
};

[[noreturn]] void throw_no_thread(std::size_t have, int wanted) {
  void* stack = mmap(nullptr, 2 * stack_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (stack == MAP_FAILED)
    throw Error(ExitCode::memory,
                fmt::format("out of host memory: no room for the stack ({}) of thread {} of {}",
                            human_bytes(static_cast<double>(stack_bytes)), have + 1, wanted),
                "use fewer threads (run.threads, OMP_NUM_THREADS) or raise the limit of the address space (ulimit -v)");
  munmap(stack, 2 * stack_bytes);
  throw Error(ExitCode::usage, fmt::format("{} threads were asked for, but the system starts only {}", wanted, have),
              "use fewer (run.threads, OMP_NUM_THREADS), or raise the limit: ulimit -u, or pids.max of the container");
}

void Team::add_seat(int parts) {
  auto seat = std::make_unique<Seat>();
  seat->job = &job_, seat->rest = &rest_, seat->part = static_cast<int>(seats_.size()) + 1;
  seats_.reserve(seats_.size() + 1);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, stack_bytes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_t thread;
  int failed = 0;
  {
    const SignalsHeld held;
    failed = pthread_create(&thread, &attributes, attend, seat.get());
  }
  pthread_attr_destroy(&attributes);
  if (failed) throw_no_thread(seats_.size() + 1, parts);
  seats_.push_back(std::move(seat));
}

void Team::run(int parts, Job job) {
  while (static_cast<int>(seats_.size()) < parts - 1) add_seat(parts);
  job.may_spin = parts <= cores();
  job_ = job;
  rest_.parts.store(parts - 1, std::memory_order_relaxed);
  const std::uint64_t offered = 2 * jobs_++ + 1;
  for (int part = 1; part < parts; ++part) {
    Seat& seat = *seats_[static_cast<std::size_t>(part) - 1];
    seat.ticket.store(offered, std::memory_order_seq_cst);
    seat.bed.wake();
  }
  std::exception_ptr failure;
  run_part(job_, 0, failure);
  for (int part = 1; part < parts; ++part) {
    Seat& seat = *seats_[static_cast<std::size_t>(part) - 1];
    if (!seat.take(offered)) continue;
    run_part(job_, part, seat.failure);
    rest_.parts.fetch_sub(1, std::memory_order_acq_rel);
  }
  const auto done = [&] { return rest_.parts.load(std::memory_order_seq_cst) == 0; };
  if (!job.may_spin || !spin_until(done)) rest_.caller.sleep_until(done);
  for (int part = 1; part < parts; ++part) {
    std::exception_ptr& of_part = seats_[static_cast<std::size_t>(part) - 1]->failure;
    if (!of_part) continue;
    if (!failure) failure = of_part;
    of_part = nullptr;
  }
  if (failure) std::rethrow_exception(failure);
}

/// Never destroyed: its threads look at it until the process ends. A child of fork() has no threads and starts anew.
Team*& the_team() {
  static Team* team = [] {
    pthread_atfork(nullptr, nullptr, [] { the_team() = new Team; });
    return new Team;
  }();
  return team;
}

}  // namespace

int default_threads() { return thread_limit() > 0 ? thread_limit() : std::max(1, omp_get_max_threads()); }
int current_part() { return part_of_thread; }
bool inside_parallel() { return inside; }

namespace detail {

void Chunks::fail(Offset first) {
  const std::lock_guard lock(mutex_);
  next_.store(count_, std::memory_order_relaxed);
  if (first >= failed_) return;
  failed_ = first;
  failure_ = std::current_exception();
}

void run_parts(int parts, void (*run)(void* context, int part), void* context) {
  Team* team = inside || leaves_team() ? nullptr : the_team();
  if (!team || team->busy.test_and_set(std::memory_order_acquire)) {
    for (int part = 0; part < parts; ++part) run(context, part);
    return;
  }
  struct Release {
    Team* team;
    ~Release() { team->busy.clear(std::memory_order_release); }
  } const release{team};
  team->run(parts, {run, context, true});
}

}  // namespace detail
}  // namespace tessera
