#pragma once
#include <algorithm>
#include <vector>

#include "base/link.hpp"

namespace tessera {

/// Ranges of one sum over ranks, as an argument of a kernel: those of an iteration are a few, of a basis as many as it
/// has vectors.
struct SumRanges {
  static constexpr int most = 8;
  SumRange of[most];
  int count = 0;
  int numbers = 0;
};

/// All of the values in their order, at most `most_numbers` at a time.
inline std::vector<SumRanges> split_ranges(const std::vector<SumRange>& values, int most_numbers) {
  std::vector<SumRanges> result;
  for (SumRange left : values)
    while (left.count > 0) {
      if (result.empty() || result.back().count == SumRanges::most || result.back().numbers == most_numbers)
        result.emplace_back();
      SumRanges& into = result.back();
      const int count = std::min(left.count, most_numbers - into.numbers);
      into.of[into.count++] = {left.first, count};
      into.numbers += count;
      left = {left.first + count, left.count - count};
    }
  return result;
}

}  // namespace tessera
