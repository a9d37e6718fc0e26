#pragma once
#include <cstdint>
#include <string_view>

namespace tessera {

/// Fowler, Noll and Vo's hash FNV-1a, of 64 bits. `start`: the hash of what stands before these bytes.
constexpr std::uint64_t fnv1a(std::string_view bytes, std::uint64_t start = 0xcbf29ce484222325u) {
  for (const char byte : bytes) start = (start ^ static_cast<unsigned char>(byte)) * 0x100000001b3u;
  return start;
}

}  // namespace tessera
