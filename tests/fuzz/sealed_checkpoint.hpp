#pragma once
// Checkpoints with hashes that are right, whatever they hold: see output/checkpoint.hpp.
#include <cstdint>
#include <cstring>
#include <string>

#include "output/checkpoint.hpp"

namespace fuzz {

/// Bytes before the size of the file, and of all that stands before the text.
inline constexpr std::size_t before_sizes = 16, before_text = 40;

inline std::string bytes_of(std::uint64_t value) { return {reinterpret_cast<const char*>(&value), sizeof value}; }

/// The text of a checkpoint that is sound.
inline std::string text_of(const std::string& checkpoint) {
  std::uint64_t length = 0;
  std::memcpy(&length, checkpoint.data() + before_sizes + sizeof length, sizeof length);
  return checkpoint.substr(before_text, length);
}

/// The same checkpoint with another text.
inline std::string with_text(const std::string& checkpoint, const std::string& text) {
  const auto hash = [](const std::string& of) {
    return bytes_of(tessera::output::checkpoint_hash(of.data(), of.size()));
  };
  const std::string rest = checkpoint.substr(before_text + text_of(checkpoint).size() + sizeof(std::uint64_t));
  const std::string seal = hash(text);
  const std::string start = checkpoint.substr(0, before_sizes) +
                            bytes_of(before_text + text.size() + seal.size() + rest.size()) + bytes_of(text.size());
  return start + hash(start) + text + seal + rest;
}

}  // namespace fuzz
