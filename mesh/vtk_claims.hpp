#pragma once
#include <string>
#include <string_view>

namespace tessera::mesh {

/// Counts that a .vtu file claims and cannot hold: VTK believes them, and asks for the memory or walks beyond its
/// arrays. `text`: the whole file. Empty, or what is absurd, as a sentence.
std::string absurd_claim(std::string_view text);

}  // namespace tessera::mesh
