#pragma once
#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "base/types.hpp"

namespace tessera::mesh {

/// Finds things by the numbers that a file gives them: a table where the numbers are dense, as they nearly always
/// are, else a search.
class NumberTable {
 public:
  /// numbers[position]: of each thing, 1 or more.
  explicit NumberTable(std::span<const Index> numbers) {
    const auto count = static_cast<Index>(numbers.size());
    largest_ = count > 0 ? *std::max_element(numbers.begin(), numbers.end()) : 0;
    if (largest_ / 4 <= Offset{count} + 1000) {
      table_.assign(static_cast<std::size_t>(largest_) + 1, -1);
      for (Index i = 0; i < count; ++i) {
        Index& place = table_[numbers[i]];
        if (place >= 0 && second_ < 0) second_ = i;
        if (place < 0) place = i;
      }
      return;
    }
    for (Index i = 0; i < count; ++i) sorted_.push_back({numbers[i], i});
    std::sort(sorted_.begin(), sorted_.end());
    for (std::size_t i = 1; i < sorted_.size(); ++i)
      if (sorted_[i].first == sorted_[i - 1].first && (second_ < 0 || sorted_[i].second < second_))
        second_ = sorted_[i].second;
  }

  /// The position of the first thing whose number an earlier one has; -1: all differ.
  Index second() const { return second_; }

  /// -1: there is no such number.
  Index operator()(Index number) const {
    if (number < 0 || number > largest_) return -1;
    if (!table_.empty()) return table_[number];
    const auto found = std::lower_bound(sorted_.begin(), sorted_.end(), std::pair{number, Index{0}});
    return found != sorted_.end() && found->first == number ? found->second : -1;
  }

  /// Calls f(position) for the things with the numbers first, first + step, ... up to last.
  template <class F>
  void for_each(Index first, Index last, Index step, F f) const {
    if (!table_.empty()) {
      for (Offset number = first; number <= std::min(last, largest_); number += step)
        if (table_[number] >= 0) f(table_[number]);
      return;
    }
    for (auto at = std::lower_bound(sorted_.begin(), sorted_.end(), std::pair{first, Index{0}});
         at != sorted_.end() && at->first <= last; ++at)
      if ((at->first - first) % step == 0) f(at->second);
  }
  /// At most so many steps does for_each take.
  std::size_t steps(Index first, Index last, Index step) const {
    if (first > largest_) return 1;
    if (!table_.empty()) return 1 + static_cast<std::size_t>((std::min(last, largest_) - first) / step);
    return static_cast<std::size_t>(std::lower_bound(sorted_.begin(), sorted_.end(), std::pair{last, Index{0}}) -
                                    std::lower_bound(sorted_.begin(), sorted_.end(), std::pair{first, Index{0}})) +
           1;
  }

 private:
  Index largest_ = 0, second_ = -1;
  std::vector<Index> table_;                     // by number
  std::vector<std::pair<Index, Index>> sorted_;  // (number, position)
};

}  // namespace tessera::mesh
