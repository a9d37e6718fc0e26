#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace tessera::mesh {

/// The place of the byte `at` of a file's text, for an error: its line without what a terminal would not print, and a
/// caret of `length` characters. Counts lines from the start, so it is for errors only.
Position place_in_text(const std::string& file, std::string_view text, std::size_t at, std::size_t length = 1);

/// Text that a terminal can print: a tab becomes a blank, other bytes '?'.
std::string plain_text(std::string_view text);

}  // namespace tessera::mesh
