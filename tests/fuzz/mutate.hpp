#pragma once
// Damage to a text or a binary file, as transfers, editors and other programs do it, and worse.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fuzz {

/// SplitMix64 (Steele, Lea, Flood 2014): the same numbers on every machine.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t operator()() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  /// In [0, count); 0 for no choice.
  std::size_t below(std::size_t count) { return count > 0 ? (*this)() % count : 0; }

 private:
  std::uint64_t state_;
};

/// One to eight changes of `seed`: bits, bytes, numbers, ranges, lines, words of `dictionary`, parts of `other`.
std::string mutate(std::string seed, const std::string& other, const std::vector<std::string_view>& dictionary,
                   Random& random);

}  // namespace fuzz
