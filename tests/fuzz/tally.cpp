#include "fuzz/tally.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <new>
#include <stdexcept>

namespace fuzz {

void KindTally::add(int code, long time, bool finding) {
  const auto place = std::find(codes.begin(), codes.end(), code);
  ++(place == codes.end() ? otherwise : ended[static_cast<std::size_t>(place - codes.begin())]);
  findings += finding;
  milliseconds += time;
  for (long now = longest; now < time && !longest.compare_exchange_weak(now, time);) {
  }
}

long KindTally::runs() const {
  long sum = otherwise;
  for (const auto& count : ended) sum += count;
  return sum;
}

Tally::Tally(std::size_t kinds) : count_(kinds), bytes_(sizeof(std::atomic<long>) + kinds * sizeof(KindTally)) {
  static_assert(std::atomic<long>::is_always_lock_free && sizeof(std::atomic<long>) % alignof(KindTally) == 0);
  void* memory = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::runtime_error("no shared memory");
  next_ = new (memory) std::atomic<long>(0);
  kinds_ = reinterpret_cast<KindTally*>(next_ + 1);
  for (std::size_t i = 0; i < kinds; ++i) new (kinds_ + i) KindTally;
}

Tally::~Tally() { munmap(next_, bytes_); }

long Tally::next() { return (*next_)++; }

long Tally::runs() const {
  long sum = 0;
  for (std::size_t i = 0; i < count_; ++i) sum += kinds_[i].runs();
  return sum;
}

long Tally::findings() const {
  long sum = 0;
  for (std::size_t i = 0; i < count_; ++i) sum += kinds_[i].findings;
  return sum;
}

std::string Tally::table(const std::vector<std::string>& names) const {
  std::string text = fmt::format("{:<12}{:>8}", "kind", "runs");
  for (const int code : KindTally::codes) text += fmt::format("{:>8}", fmt::format("exit {}", code));
  text += fmt::format("{:>7}{:>10}{:>8}{:>9}\n", "other", "findings", "cpu s", "longest");
  for (std::size_t i = 0; i < count_; ++i) {
    const KindTally& kind = kinds_[i];
    text += fmt::format("{:<12}{:>8}", names[i], kind.runs());
    for (const auto& count : kind.ended) text += fmt::format("{:>8}", count.load());
    text += fmt::format("{:>7}{:>10}{:>8.1f}{:>9.2f}\n", kind.otherwise.load(), kind.findings.load(),
                        1e-3 * static_cast<double>(kind.milliseconds), 1e-3 * static_cast<double>(kind.longest));
  }
  return text;
}

}  // namespace fuzz
