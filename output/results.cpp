#include "output/results.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <set>
#include <system_error>

namespace tessera::output {

namespace {

namespace fs = std::filesystem;

enum class State { free, taken, writing, finished };

/// Plain memory, so that a signal handler may read it at any time.
struct Slot {
  std::atomic<State> state{State::free};
  char temporary[PATH_MAX];
  char final[PATH_MAX];
};

constexpr int most_slots = 64;
Slot slots[most_slots];
std::atomic<bool> recording{false}, closed{false}, has_one_more{false};
char one_more[PATH_MAX];
static_assert(std::atomic<State>::is_always_lock_free);

/// Of this run; no handler looks at them.
std::mutex lasting_mutex;
std::set<fs::path> lasting;

/// Of names that are shorter.
void put(const fs::path& name, char (&to)[PATH_MAX]) { std::memcpy(to, name.c_str(), name.native().size() + 1); }

/// A slot for a file, or -1 where all are taken or the name is too long: it is then not removed by a handler.
int take_slot(const fs::path& temporary, const fs::path& final) {
  if (temporary.native().size() >= PATH_MAX || final.native().size() >= PATH_MAX) return -1;
  for (int i = 0; i < most_slots; ++i) {
    State expected = State::free;
    if (!slots[i].state.compare_exchange_strong(expected, State::taken)) continue;
    put(temporary, slots[i].temporary);
    put(final, slots[i].final);
    slots[i].state = State::writing;
    return i;
  }
  return -1;
}

/// Other places of a file that stands in `kept` now. The name is that of one writer.
void forget_earlier(const Slot& kept) {
  for (Slot& slot : slots) {
    State expected = State::finished;
    if (&slot != &kept && slot.state == State::finished && std::strcmp(slot.final, kept.final) == 0)
      slot.state.compare_exchange_strong(expected, State::free);
  }
}

/// For ever: a signal handler is ending the program.
void wait_if_closed() {
  while (closed) ::pause();
}

void remove_all() noexcept {
  for (Slot& slot : slots) {
    const State state = slot.state;
    // In this order: whoever is about to rename the one to the other then fails, or has done it before.
    if (state == State::writing || state == State::finished) ::unlink(slot.temporary);
    if (state == State::finished) ::unlink(slot.final);
  }
}

/// Ends the recording; the names of what was recorded.
std::vector<std::string> release_finished() {
  recording = false;
  std::vector<std::string> names;
  for (Slot& slot : slots)
    if (slot.state == State::finished) {
      names.push_back(fs::path(slot.final).filename().string());
      slot.state = State::free;
    }
  return names;
}

}  // namespace

void begin_results() {
  keep_results();
  recording = true;
}

std::vector<std::string> keep_results() {
  std::vector<std::string> names = release_finished();
  const std::lock_guard lock(lasting_mutex);
  std::error_code none;
  for (const fs::path& path : lasting)
    if (fs::exists(path, none)) names.push_back(path.filename().string());
  lasting.clear();
  return names;
}

void make_lasting(const fs::path& path) {
  if (recording) {
    const std::lock_guard lock(lasting_mutex);
    lasting.insert(path);
  }
  for (Slot& slot : slots)
    if (slot.state == State::finished && path == slot.final) slot.state = State::free;
}

void remove_results_from_signal() noexcept {
  closed = true;
  remove_all();
  if (has_one_more) ::unlink(one_more);
}

namespace {

void forbid_new_files() noexcept {
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) != 0) return;
  files.rlim_cur = 0;
  (void)::setrlimit(RLIMIT_NOFILE, &files);
}

/// Removes the file that a slot writes. Whether nothing can come after it.
bool remove_unfinished(const Slot& slot) noexcept {
  const State state = slot.state;
  const bool has_name = state == State::writing || state == State::finished;
  const bool removed = has_name && ::unlink(slot.temporary) == 0;
  return removed || state == State::free || state == State::finished;
}

}  // namespace

/// A library opens its file some time after the slot was taken, and may be within that call just now: its file may come
/// after the removal, but no more than once.
void remove_results_for_good() noexcept {
  closed = true;
  forbid_new_files();
  bool settled[most_slots];
  for (int i = 0; i < most_slots; ++i) settled[i] = remove_unfinished(slots[i]);
  remove_results_from_signal();
  constexpr int most_waits = 100;
  constexpr timespec millisecond{0, 1'000'000};
  for (int wait = 0; wait < most_waits; ++wait) {
    bool all = true;
    for (int i = 0; i < most_slots; ++i) all = (settled[i] = settled[i] || remove_unfinished(slots[i])) && all;
    if (all) return;
    (void)::nanosleep(&millisecond, nullptr);
  }
}

void remove_from_signal_too(const fs::path& path) {
  has_one_more = false;
  if (path.empty() || path.native().size() >= PATH_MAX) return;
  put(path, one_more);
  has_one_more = true;
}

void remove_results() {
  remove_all();
  release_finished();
}

std::size_t bytes_being_written() noexcept {
  std::size_t bytes = 0;
  for (Slot& slot : slots) {
    struct stat file {};
    if (slot.state == State::writing && ::stat(slot.temporary, &file) == 0)
      bytes += static_cast<std::size_t>(file.st_size);
  }
  return bytes;
}

Temporary::Temporary(const fs::path& path, Role role) : path_(path), role_(role) {
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  wait_if_closed();
  temporary_ = folder / fmt::format(".{}.{}.tmp", path.filename().string(), ::getpid());
  slot_ = take_slot(temporary_, path_);
}

Temporary::~Temporary() {
  if (committed_) return;
  ::unlink(temporary_.c_str());
  if (slot_ >= 0) slots[slot_].state = State::free;
}

int Temporary::commit() {
  const bool kept = recording && role_ == Role::result && slot_ >= 0;
  // Said before it is true, so that a handler that comes in between removes both names.
  if (kept) slots[slot_].state = State::finished;
  wait_if_closed();
  const bool failed = ::rename(temporary_.c_str(), path_.c_str()) != 0;
  const int reason = failed ? errno : 0;
  if (failed && kept) slots[slot_].state = State::writing;
  if (failed) return reason;
  committed_ = true;
  if (kept) forget_earlier(slots[slot_]);
  if (!kept && slot_ >= 0) slots[slot_].state = State::free;
  if (role_ == Role::lasting) make_lasting(path_);
  return 0;
}

}  // namespace tessera::output
