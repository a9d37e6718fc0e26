#pragma once
// Loops over a team of threads. What a part throws comes out of the call; nothing terminates the program.
#include <algorithm>
#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <type_traits>
#include <vector>

#include "base/types.hpp"

namespace tessera {

/// Threads of a loop where nobody says how many: OMP_NUM_THREADS, or the cores that this process may use.
int default_threads();

/// The part of the outermost parallel call that this thread works on, 0 outside of one: a place for scratch.
int current_part();

/// Whether this thread works on a part. Parallel calls inside of one run their parts one after the other.
bool inside_parallel();

namespace detail {
/// Calls run(context, part) once for each of 0 <= part < parts; see `parallel`.
void run_parts(int parts, void (*run)(void* context, int part), void* context);
/// One part of f. Never inlined and never specialised: one thread and many must run the same machine code, for a second
/// copy of a sum may be vectorised otherwise and round otherwise.
template <class Function>
#if defined(__GNUC__) && !defined(__clang__)
__attribute__((noipa))
#else
__attribute__((noinline))
#endif
void run_part(void* context, int part) {
  (*static_cast<Function*>(context))(part);
}
}  // namespace detail

/// Calls f(part) once for each of 0 <= part < parts and returns when all are done. Part 0 runs on the caller, part p on
/// the p-th thread of the process's team if that thread comes in time; else the caller does that part, too. So a part
/// may not wait for another one, and a thread that a busy machine keeps from running keeps nobody waiting. Threads that
/// wait spin for some microseconds and then sleep (docs/decisions/0009). Calls from several threads of the program at a
/// time are allowed; all but one of them run their parts in order, alone. Throws what the lowest part that failed has
/// thrown; the other parts are finished first. Throws Error(usage) where the system does not let the process have so
/// many threads, Error(memory) where their stacks do not fit.
template <class F>
void parallel(int parts, F&& f) {
  using Function = std::remove_reference_t<F>;
  void* const context = const_cast<void*>(static_cast<const void*>(std::addressof(f)));
  if (parts <= 1)
    detail::run_part<Function>(context, 0);
  else
    detail::run_parts(parts, detail::run_part<Function>, context);
}

/// Calls f(first, last, part) for consecutive ranges, about equal in length, of [0, count), one a thread. f must not
/// depend on where the ranges are cut.
template <class F>
void parallel_ranges(int threads, Offset count, F&& f) {
  if (count <= 0) return;
  const int parts = static_cast<int>(std::clamp<Offset>(threads, 1, count));
  parallel(parts, [&f, count, parts](int part) {
    f(count / parts * part + std::min<Offset>(part, count % parts),
      count / parts * (part + 1) + std::min<Offset>(part + 1, count % parts), part);
  });
}

/// Calls f(i), or f(i, part), for i in [0, count), each thread a range of them. A range ends with the first call that
/// throws.
template <class F>
void parallel_for(int threads, Offset count, F f) {
  parallel_ranges(threads, count, [&f](Offset first, Offset last, [[maybe_unused]] int part) {
    F own = f;  // what it captured by value stays in registers
    for (Offset i = first; i < last; ++i)
      if constexpr (std::is_invocable_v<F&, Offset, int>)
        own(i, part);
      else
        own(i);
  });
}

/// Scratch for each part of parallel calls, made by the thread that first needs it: it then lies apart from that of
/// others.
template <class T>
class Scratch {
 public:
  explicit Scratch(int parts) : places_(static_cast<std::size_t>(parts)) {}
  template <class... Arguments>
  T& of(int part, const Arguments&... arguments) {
    std::optional<T>& mine = places_[static_cast<std::size_t>(part)].value;
    if (!mine) mine.emplace(arguments...);
    return *mine;
  }
  /// Calls f for each that was made, in the order of the parts.
  template <class F>
  void each(F&& f) const {
    for (const Place& place : places_)
      if (place.value) f(*place.value);
  }

 private:
  struct alignas(64) Place {
    std::optional<T> value;
  };
  std::vector<Place> places_;
};

namespace detail {
/// Hands out chunks in ascending order and keeps what the lowest one that failed has thrown.
class Chunks {
 public:
  Chunks(Offset count, Offset chunk) : count_(count), chunk_(chunk), failed_(count) {}
  bool take(Offset& first, Offset& last) {
    first = next_.fetch_add(chunk_, std::memory_order_relaxed);
    last = std::min(count_, first + chunk_);
    return first < count_;
  }
  /// In a handler: nothing more is handed out; all chunks before `first` have been.
  void fail(Offset first);
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  Offset count_, chunk_, failed_;
  std::exception_ptr failure_;
  std::mutex mutex_;
  alignas(64) std::atomic<Offset> next_{0};
};
}  // namespace detail

/// Calls f(first, last, part) for [0, count) in chunks of `chunk` that threads take as they come; `part` tells apart
/// those that run at a time, for scratch. For work of which nobody knows how long it takes. Throws what the lowest
/// chunk has thrown.
template <class F>
void parallel_chunks(int threads, Offset count, Offset chunk, F&& f) {
  if (count <= 0) return;
  detail::Chunks rest(count, chunk);
  parallel(static_cast<int>(std::clamp<Offset>(threads, 1, (count + chunk - 1) / chunk)), [&](int part) {
    Offset first = 0, last = 0;
    try {
      while (rest.take(first, last)) f(first, last, part);
    } catch (...) {
      rest.fail(first);
    }
  });
  rest.rethrow();
}

/// combine(... combine(start, f of the first range) ..., f of the last range), where f(first, last) is that of
/// consecutive ranges of [0, count). The result must not depend on where they are cut: for least and largest values,
/// and counts.
template <class T, class F, class Combine>
T parallel_reduce(int threads, Offset count, T start, F&& f, Combine&& combine) {
  if (count <= 0) return start;
  const int parts = static_cast<int>(std::clamp<Offset>(threads, 1, count));
  struct Part {  // threads may write beside each other, as they may not in a vector of bool
    T value;
  };
  std::vector<Part> results(static_cast<std::size_t>(parts), Part{start});
  parallel_ranges(parts, count, [&](Offset first, Offset last, int part) {
    results[static_cast<std::size_t>(part)].value = f(first, last);
  });
  T result = start;
  for (const Part& part : results) result = combine(result, part.value);
  return result;
}

}  // namespace tessera
