#pragma once
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

#include "base/error.hpp"

namespace tessera {

/// Throws Error(file_system) unless `path` is a regular file: one that is missing, a folder, or a pipe or device, which
/// may never end. `what` it should be, for the message: "deck", "mesh file".
void require_regular_file(const std::filesystem::path& path, const std::string& what, const std::string& help,
                          const std::optional<Position>& where = {});

/// All of standard input. Throws Error(file_system) where it cannot be read or holds more than `most` bytes.
std::string read_standard_input(const std::string& what, std::size_t most);

/// Text of others as a message can show it: control characters, which move a terminal's cursor or break the line, as \n
/// or \x1b.
std::string printable(const std::string& text);

}  // namespace tessera
