#include "support/paths.hpp"

#include <cstdlib>

namespace test_paths {

std::string program() {
  const char* moved = std::getenv("TESSERA_PROGRAM");
  return moved ? moved : TESSERA_PROGRAM;
}

std::filesystem::path source() {
  const char* moved = std::getenv("TESSERA_SOURCE_DIR");
  return moved ? moved : TESSERA_SOURCE_DIR;
}

}  // namespace test_paths
