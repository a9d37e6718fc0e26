#pragma once
#include <filesystem>
#include <functional>
#include <string>

#include "output/results.hpp"

namespace tessera::output {

/// Makes `directory` and its parents. Throws Error(file_system) naming the path and the system's reason.
void make_directory(const std::filesystem::path& directory);

/// Throws as make_directory would where it is seen without making anything: what is there is no folder, or cannot be
/// written into.
void check_directory(const std::filesystem::path& directory);

/// Writes `text` as the whole new content of `path`: under a temporary name in the same folder, flushed to the disk,
/// then renamed. A reader sees the old file or the new one, never half of it.
/// Throws Error(file_system); the temporary file is then gone and an old `path` untouched.
void atomic_write(const std::filesystem::path& path, const std::string& text, Role role = Role::result);

/// The same for a writer that wants a file name: `write(temporary)` makes the file and may throw.
void atomic_write(const std::filesystem::path& path, const std::function<void(const std::filesystem::path&)>& write,
                  Role role = Role::result);

/// The whole file. Throws Error(file_system).
std::string read_text(const std::filesystem::path& path);

}  // namespace tessera::output
