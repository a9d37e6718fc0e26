#pragma once
#include <cstddef>

namespace tessera::deck {

/// Of a deck, which is written by hand: what is larger is another file.
inline constexpr std::size_t most_bytes = std::size_t{16} << 20;

}  // namespace tessera::deck
