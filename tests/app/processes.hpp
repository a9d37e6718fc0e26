#pragma once
// Looks at the processes that run, as tests of programs that start others need it.
#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "app/program.hpp"

namespace app_test {

/// The folders in /proc of the processes that have words in their command line.
inline std::vector<fs::path> processes_with(const std::string& words) {
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator("/proc"))
    if (std::isdigit(static_cast<unsigned char>(entry.path().filename().string()[0])) &&
        bytes_of(entry.path() / "cmdline").find(words) != std::string::npos)
      found.push_back(entry.path());
  return found;
}

/// Looks again and again, for some minutes at most: a busy machine takes long to start ranks.
inline bool comes_true(const std::function<bool()>& condition) {
  for (int look = 0; look < 15000; ++look) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return false;
}

}  // namespace app_test
