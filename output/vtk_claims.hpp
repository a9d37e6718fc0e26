#pragma once
#include <string>

namespace tessera::output {

/// Counts that a .vtu file claims and cannot hold: VTK believes them, and asks for the memory or walks beyond its arrays.
/// `text`: the whole file. Empty, or what is absurd, as a sentence.
std::string absurd_claim(const std::string& text);

}  // namespace tessera::output
