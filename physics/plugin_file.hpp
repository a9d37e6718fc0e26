#pragma once
#include <filesystem>

namespace tessera::physics {

/// Throws unless the file is a whole shared library for this machine: the loader maps what the file's tables promise,
/// and dies of what is not there. Error(usage) for an empty name, Error(file_system) for everything else.
void require_whole_library(const std::filesystem::path& library);

}  // namespace tessera::physics
