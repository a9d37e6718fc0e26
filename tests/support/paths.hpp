#pragma once
// The built program and the project's files: where the build has them, or, in a bundle, where the environment says.
#include <filesystem>
#include <string>

namespace test_paths {

/// The program `tessera`; TESSERA_PROGRAM overrides.
std::string program();
/// The folder with `inputs/` and `docs/`; TESSERA_SOURCE_DIR overrides.
std::filesystem::path source();

}  // namespace test_paths
