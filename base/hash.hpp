#pragma once
#include <cstdint>
#include <cstring>
#include <string_view>

namespace tessera {

/// Fowler, Noll and Vo's hash FNV-1a, of 64 bits. `start`: the hash of what stands before these bytes.
constexpr std::uint64_t fnv1a(std::string_view bytes, std::uint64_t start = 0xcbf29ce484222325u) {
  for (const char byte : bytes) start = (start ^ static_cast<unsigned char>(byte)) * 0x100000001b3u;
  return start;
}

/// As quick as memory: by words of eight bytes, of which each changes all later bits. For files, not for tables that
/// someone could fill on purpose.
inline std::uint64_t hash_of_words(std::string_view bytes, std::uint64_t start) {
  std::uint64_t hash = start, word = 0;
  for (; bytes.size() >= sizeof word; bytes.remove_prefix(sizeof word)) {
    std::memcpy(&word, bytes.data(), sizeof word);
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 32;
  }
  return fnv1a(bytes, hash);
}

}  // namespace tessera
