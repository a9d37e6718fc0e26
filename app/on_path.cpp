#include "app/on_path.hpp"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>

namespace tessera::app {

std::string find_on_path(const std::string& program) {
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (const std::filesystem::path file = std::filesystem::path(folder) / program; access(file.c_str(), X_OK) == 0)
      return file.string();
  return {};
}

}  // namespace tessera::app
